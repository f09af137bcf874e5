//! The adapter's options: `matrix.option.ADAPTER.KEY` in a scenario.

use busmark_adapter::OptionSpec;

/// All, with their defaults.
pub const OPTIONS: &[OptionSpec] = &[OptionSpec {
    key: "peers",
    value: "",
    doc: "ADDRESS:PORT of participants that do not hear multicast, to announce this one to, \
          separated by commas (HDDS_SPDP_UNICAST_PEERS; one value for the whole process).",
}];
