//! An adapter that declares what it does not do fails, under the clause that it breaks.
//!
//! Each test builds `tests/c/liar.c`, the example adapter with one lie.

mod common;

use busmark_conformance::Outcome;
use common::{check, compile, failures, names};

const LIAR: &str = "crates/busmark-conformance/tests/c/liar.c";

/// How long the suite waits for what a liar will never do.
const QUICK: [&str; 4] = ["--patience-ms", "1500", "--quiet-ms", "100"];

/// The lie fails the named tests and no other; `only` limits what is run, where a lie breaks so much
/// that the rest says nothing.
fn caught(lie: &str, expected: &[&str], only: &[&str]) {
    let library = compile(LIAR, &[lie]);
    let only: Vec<&str> = only.iter().flat_map(|name| ["--only", name]).collect();
    let report = check(&library.path, &[&QUICK[..], &only].concat());
    assert_eq!(names(&report, Outcome::Failed), expected, "{lie}:\n{}", failures(&report));
}

#[test]
fn without_a_lie_the_liar_is_honest() {
    caught("NO_LIE", &[], &[]);
}

/// `name: LIE => failing tests;` runs the whole suite, `… in tests` only these.
macro_rules! lies {
    ($($name:ident: $lie:literal => [$($test:literal),*] $(in [$($only:literal),*])?;)*) => {
        $(#[test]
        fn $name() {
            caught($lie, &[$($test),*], &[$($($only),*)?]);
        })*
    };
}

lies! {
    two_tables_break_c1: "LIE_TWO_TABLES" => ["c01_every_call_gives_the_same_table"] in ["c01"];
    exact_sizes_break_c2: "LIE_EXACT_SIZES"
        => ["c02_structures_longer_than_known_are_accepted"] in ["c02_structures"];
    writing_past_a_structure_breaks_c2: "LIE_OVERRUNS"
        => ["c02_nothing_is_written_past_a_structure"] in ["c02"];
    saying_nothing_breaks_c3: "LIE_SAYS_NOTHING" => ["c03_every_failure_says_what_failed"];
    an_accepted_transport_breaks_c4: "LIE_ACCEPTS_TRANSPORT"
        => ["c04_an_undeclared_transport_is_refused"] in ["c04"];
    an_accepted_option_breaks_c4: "LIE_ACCEPTS_OPTION" => ["c04_an_unknown_option_is_refused"] in ["c04"];
    ignored_qos_breaks_c4: "LIE_IGNORES_QOS" => ["c04_an_undeclared_qos_value_is_refused"] in ["c04"];
    an_ignored_payload_kind_breaks_c4: "LIE_IGNORES_PAYLOAD"
        => ["c04_an_undeclared_payload_kind_is_refused"] in ["c04"];
    an_ignored_wait_strategy_breaks_c4: "LIE_IGNORES_WAIT"
        => ["c04_an_undeclared_wait_strategy_is_refused"] in ["c04"];
    a_truncated_body_breaks_c4: "LIE_TRUNCATES"
        => ["c04_a_body_larger_than_the_endpoint_is_refused"] in ["c04"];
    printing_breaks_c5: "LIE_PRINTS" => ["c05_nothing_is_printed_on_standard_output"] in ["c05"];
    signal_handlers_break_c5: "LIE_HANDLES_SIGNALS"
        => ["c05_signal_handlers_are_left_alone"] in ["c05"];
    one_type_breaks_c6: "LIE_ONE_TYPE" => ["c06_every_payload_kind_is_a_type_of_its_own"] in ["c06"];
    corrupted_structs_break_c7: "LIE_CORRUPTS_STRUCTS"
        => ["c07_every_payload_kind_arrives_bit_for_bit", "c07_large_bodies_arrive_bit_for_bit"] in ["c07"];
    a_changed_header_breaks_c7: "LIE_HEADER" => ["c07_extreme_headers_arrive_bit_for_bit"] in ["c07"];
    drops_break_reliable_c8: "LIE_DROPS"
        => ["c08_reliable_delivers_every_sample_in_order"] in ["c08_reliable_delivers"];
    duplicates_break_reliable_c8: "LIE_DUPLICATES"
        => ["c08_reliable_delivers_every_sample_in_order"] in ["c08_reliable_delivers"];
    keep_last_that_keeps_all_breaks_c8: "LIE_KEEP_LAST"
        => ["c08_keep_last_keeps_the_last_samples_only"] in ["c08"];
    keep_all_that_keeps_the_last_breaks_c8: "LIE_KEEP_ALL"
        => ["c08_keep_all_keeps_all_samples"] in ["c08_keep"];
    a_claimed_lifespan_breaks_c8: "LIE_LIFESPAN" => ["c08_lifespan_lets_old_samples_expire"] in ["c08"];
    a_claimed_history_breaks_c8: "LIE_TRANSIENT_LOCAL"
        => ["c08_transient_local_gives_a_late_reader_the_history"] in ["c08"];
    a_claimed_deadline_breaks_c8: "LIE_DEADLINE" => ["c08_a_missed_deadline_is_counted"] in ["c08"];
    a_claimed_partition_breaks_c8: "LIE_PARTITION" => ["c08_partitions_separate"] in ["c08"];
    a_claimed_ownership_breaks_c8: "LIE_OWNERSHIP" => ["c08_the_strongest_owner_alone_is_heard"] in ["c08"];
    claimed_limits_break_c8: "LIE_RESOURCE_LIMITS"
        => ["c08_resource_limits_bound_what_is_stored"] in ["c08"];
    a_claimed_filter_breaks_c8: "LIE_TIME_BASED_FILTER"
        => ["c08_a_time_based_filter_thins_the_stream"] in ["c08"];
    missing_words_break_c9: "LIE_NO_LICENCE"
        => ["c09_declarations_are_complete_and_consistent"] in ["c09"];
    claimed_time_stamps_break_c9: "LIE_SOURCE_TIME"
        => ["c09_time_stamps_are_there_exactly_if_declared"] in ["c09"];
    a_reach_that_is_not_there_breaks_c9: "LIE_REACH"
        => ["c09_samples_cross_processes_where_declared"] in ["c09"];
    changing_capabilities_break_c10: "LIE_CHANGING_CAPABILITIES"
        => ["c10_capabilities_are_constant"] in ["c10"];
    left_files_break_c12: "LIE_LEAVES_FILES"
        => ["c12_files_are_made_in_the_run_directory_only"] in ["c12"];
    one_domain_breaks_c13: "LIE_ONE_DOMAIN" => ["c13_two_domains_do_not_hear_each_other"];
    kept_pointers_break_c14: "LIE_KEEPS_POINTER"
        => ["c14_configurations_may_be_overwritten_after_the_call"] in ["c14"];
    leaked_descriptors_break_c15: "LIE_LEAKS_DESCRIPTORS"
        => ["c15_repeated_cycles_leave_nothing_behind"] in ["c15"];
    leaked_memory_breaks_c15: "LIE_LEAKS_MEMORY"
        => ["c15_memory_does_not_grow_with_cycles"] in ["c15"];
    hidden_cost_breaks_c18: "LIE_NO_COST" => ["c18_write_does_not_allocate"] in ["c18"];
    taking_more_than_max_breaks_c19: "LIE_TAKES_MORE"
        => ["c19_take_gives_at_most_max_and_in_order"] in ["c19"];
    a_silent_listener_breaks_c20: "LIE_NEVER_CALLS"
        => ["c20_every_sample_is_announced_without_overlap"] in ["c20"];
    a_call_within_create_breaks_c20: "LIE_CALLS_IN_CREATE"
        => ["c20_on_data_never_comes_from_within_reader_create"] in ["c20_on_data"];
    calls_for_ever_break_c22: "LIE_CALLS_FOR_EVER"
        => ["c22_no_call_comes_after_reader_destroy"] in ["c22"];
    a_wait_without_reason_breaks_c23: "LIE_WAKES_ALWAYS"
        => [
            "c23_wait_returns_with_data_and_times_out_without",
            "c23_wait_wakes_for_a_late_sample",
            "c23_wait_sleeps"
        ] in ["c23"];
    spinning_breaks_c23: "LIE_SPINS" => ["c23_wait_sleeps"] in ["c23"];
    a_constant_match_breaks_c24: "LIE_MATCHED" => ["c24_matched_rises_and_falls"] in ["c24"];
    claimed_locators_break_c25: "LIE_LOCATORS"
        => ["c25_locators_connect", "c25_a_wrong_locator_is_refused"] in ["c25"];
    a_change_without_effect_breaks_c26: "LIE_MUTABLE"
        => ["c26_set_qos_takes_effect_while_traffic_flows"] in ["c26"];
    a_refused_change_breaks_c26: "LIE_MUTABLE_REFUSED"
        => ["c26_set_qos_takes_effect_while_traffic_flows"] in ["c26"];
    an_ignored_key_breaks_c27: "LIE_KEYS"
        => [
            "c27_keep_last_holds_samples_of_each_instance",
            "c27_without_the_feature_keys_are_refused"
        ] in ["c27"];
    an_ignored_filter_breaks_c28: "LIE_FILTER"
        => [
            "c28_a_filter_gives_its_instances_only",
            "c28_a_filter_leaves_other_readers_alone",
            "c28_a_filter_that_cannot_be_is_refused"
        ] in ["c28"];
    a_type_without_a_name_breaks_c30: "LIE_USER_TYPE"
        => ["c30_the_payload_kind_type_goes_with_the_name_of_a_type"] in ["c30"];
    a_claimed_server_breaks_c29: "LIE_SERVER"
        => [
            "c29_the_server_serves_and_is_gone_after_destroy",
            "c29_two_servers_stand_side_by_side",
            "c29_without_the_feature_there_is_no_server"
        ] in ["c29"];
}

#[test]
fn traffic_on_another_interface_breaks_c11() {
    let library = compile(LIAR, &["LIE_OTHER_INTERFACE"]);
    let name = "c11_traffic_stays_on_the_named_interface";
    let report = check(&library.path, &["--only", name]);
    // Without the right to make a network namespace nothing is sent and nothing proven.
    if names(&report, Outcome::Skipped).is_empty() {
        assert_eq!(names(&report, Outcome::Failed), [name]);
    }
}

#[test]
fn a_test_that_hangs_ends_the_run_with_a_report() {
    let library = compile(LIAR, &["LIE_HANGS"]);
    let report = check(&library.path, &["--only", "c01", "--only", "c05", "--hang-ms", "1000"]);
    let first = "c01_every_call_gives_the_same_table";
    assert_eq!(names(&report, Outcome::Failed), [first], "{}", failures(&report));
    assert!(report.results[0].detail.starts_with("hangs"));
    let rest = names(&report, Outcome::Skipped);
    assert_eq!(rest.len(), report.results.len() - 1, "the rest is not run");
}
