//! The Rust mirror of the header has the layout that a C compiler gives the header.

mod common;

use std::collections::BTreeMap;
use std::fmt::Write;
use std::mem::offset_of;
use std::process::Command;

use busmark_adapter::abi::{
    CapabilitiesC, CountersC, EndpointConfigC, EntityC, ErrorC, Header, HostC, ListenerC, MatchC,
    OptionC, ParticipantConfigC, QosC, ReceivedC, SecurityC, SettingC, Struct, Table,
};

/// One structure: its C name, size, and fields with their offsets.
type Layout = (&'static str, usize, Vec<(&'static str, usize)>);

macro_rules! layout {
    ($c:literal = $rust:ty { $($field:ident),* $(,)? }) => {
        ($c, size_of::<$rust>(), vec![$((stringify!($field), offset_of!($rust, $field))),*])
    };
}

#[rustfmt::skip] // One line per structure would become one line per field.
fn mirror() -> Vec<Layout> {
    vec![
        layout!("busmark_error_t" = ErrorC {
            struct_size, status, message,
        }),
        layout!("busmark_header_t" = Header {
            cookie, seq, intended_ns, sent_ns, echo_sent_ns, echo_delivered_ns, echo_read_ns,
            writer_id, flags,
        }),
        layout!("busmark_struct_t" = Struct {
            number, text, real,
        }),
        layout!("busmark_qos_t" = QosC {
            struct_size, present, max_blocking_ns, lifespan_ns, deadline_ns, latency_budget_ns,
            time_based_filter_ns, depth, transport_priority, ownership_strength, max_samples,
            partition, liveliness_lease_ns,
        }),
        layout!("busmark_option_t" = OptionC {
            key, value, doc,
        }),
        layout!("busmark_capabilities_t" = CapabilitiesC {
            struct_size, waits, reach, payloads, qos, qos_mutable, features,
            max_body_bytes, name, title, version, middleware_version, licence, cost, install,
            transports, options, user_type, disclosures, carriers, security,
            tuned, stored_samples, stored_bytes, service_waits, service_qos, service_requests,
            service_clients,
        }),
        layout!("busmark_setting_t" = SettingC {
            key, value,
        }),
        layout!("busmark_participant_config_t" = ParticipantConfigC {
            struct_size, domain, interface_name, interface_address, transport, profile, run_dir,
            settings, security,
        }),
        layout!("busmark_security_t" = SecurityC {
            struct_size, reserved, profile, identity_ca, certificate, private_key, password,
            permissions_ca, governance, permissions,
        }),
        layout!("busmark_endpoint_config_t" = EndpointConfigC {
            struct_size, payload, wait, reserved, max_body_bytes, topic, qos, instances,
            filter_below,
        }),
        layout!("busmark_received_t" = ReceivedC {
            struct_size, reserved, header, body, body_bytes, source_ns, reception_ns, request,
        }),
        layout!("busmark_listener_t" = ListenerC {
            struct_size, reserved, on_data, context,
        }),
        layout!("busmark_counters_t" = CountersC {
            struct_size, reserved, lost, rejected, deadline_missed, retransmitted,
            injected_drops, injected_duplicates, injected_reorders, injected_corruptions,
            injected_delays,
        }),
        layout!("busmark_host_t" = HostC {
            struct_size, abi_version, table_bytes, name, log, context,
        }),
        layout!("busmark_match_t" = MatchC {
            struct_size, count, changed_ns,
        }),
        layout!("busmark_entity_t" = EntityC {
            struct_size, kind, own, vendor, key, participant, name, host, process, topic, type_name,
            qos, more,
        }),
        layout!("busmark_adapter_t" = Table {
            abi_version, struct_size, capabilities, probe, participant_create,
            participant_destroy, writer_create, writer_destroy, reader_create, reader_destroy,
            sample_create, sample_destroy, write, flush, take, wait, writer_matched,
            reader_matched, reader_locator, writer_connect, writer_set_qos, reader_set_qos,
            writer_counters, reader_counters, server_create, server_destroy, attach,
            writer_last_error, reader_last_error, writer_match, reader_match, write_many, loan, publish,
            writer_locator, reader_connect, entities, service_create, service_destroy,
            service_sample_create, service_sample_destroy, service_send, service_take, service_wait,
            service_drop, service_match, service_last_error, service_locator, service_connect,
        }),
    ]
}

/// The same, as a C compiler sees the header: "name size", "name.field offset".
fn from_c(layouts: &[Layout]) -> BTreeMap<String, usize> {
    let mut source =
        "#include \"busmark_adapter.h\"\n#include <stdio.h>\nint main(void) {\n".to_owned();
    for (name, _, fields) in layouts {
        let _ = writeln!(source, "printf(\"{name} %zu\\n\", sizeof({name}));");
        for (field, _) in fields {
            let _ =
                writeln!(source, "printf(\"{name}.{field} %zu\\n\", offsetof({name}, {field}));");
        }
    }
    source.push_str("return 0;\n}\n");
    let dir = tempfile::tempdir().expect("a temporary directory");
    let (text, program) = (dir.path().join("layout.c"), dir.path().join("layout"));
    std::fs::write(&text, source).expect("the source is written");
    let status = Command::new("cc")
        .args(["-std=c11", "-Wall", "-Wextra", "-Werror", "-I"])
        .arg(common::root().join("abi"))
        .args([&text, std::path::Path::new("-o"), &program])
        .status()
        .expect("cc runs");
    assert!(status.success(), "every field of the mirror exists in the header");
    let output = Command::new(&program).output().expect("the program runs");
    String::from_utf8_lossy(&output.stdout)
        .lines()
        .filter_map(|line| line.split_once(' '))
        .map(|(what, n)| (what.to_owned(), n.parse().expect("a number")))
        .collect()
}

#[test]
fn every_structure_has_the_size_and_offsets_of_the_header() {
    let layouts = mirror();
    let c = from_c(&layouts);
    for (name, size, fields) in &layouts {
        assert_eq!(c[*name], *size, "sizeof({name})");
        for (field, offset) in fields {
            assert_eq!(c[&format!("{name}.{field}")], *offset, "offsetof({name}, {field})");
        }
    }
}

#[test]
fn no_structure_of_the_header_is_missing_in_the_mirror() {
    let header = std::fs::read_to_string(common::root().join("abi/busmark_adapter.h"))
        .expect("the header is there");
    let mirrored = mirror();
    let stated: Vec<&str> = header
        .lines()
        .filter_map(|l| l.strip_prefix("typedef struct ")?.strip_suffix(" {"))
        .map(|l| l.split(' ').next().unwrap_or(l))
        .collect();
    assert!(stated.len() >= 10, "the header was not understood");
    for name in stated {
        assert!(mirrored.iter().any(|(n, ..)| *n == name), "{name} has no mirror");
    }
}

#[test]
fn the_header_compiles_as_c_and_as_cplusplus() {
    let header = common::root().join("abi/busmark_adapter.h");
    for language in [
        &["-x", "c", "-std=c99"],
        &["-x", "c", "-std=c11"],
        &["-x", "c++", "-std=c++11"],
        &["-x", "c++", "-std=c++17"],
    ] {
        let output = Command::new("cc")
            .args(language)
            .args(["-fsyntax-only", "-Wall", "-Wextra", "-Wpedantic", "-Werror"])
            .arg(&header)
            .output()
            .expect("cc runs");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }
}
