//! Honest adapters conform.

mod common;

use busmark_conformance::Outcome;
use common::{adapter, check, compile, failures, names};

#[test]
fn the_reference_adapter_conforms_within_a_process() {
    let report = check(&adapter("reference"), &[]);
    assert!(report.failed == 0, "{}", failures(&report));
    let skipped = names(&report, Outcome::Skipped);
    let allowed = [
        "c08_latency_budget_gathers_samples",
        "c08_lost_samples_are_counted_or_the_counter_is_absent",
        "c09_loaned_bodies_are_not_copied",
        "c08_transport_priority_marks_packets",
        "c08_the_strongest_owner_alone_is_heard",
        "c08_a_reader_hears_writers_of_its_liveliness_lease",
        "c08_order_by_source_keeps_the_order_of_writing",
        "c08_order_by_source_sorts_what_comes_late",
        "c08_reliable_loses_nothing_on_a_lossy_network",
        "c08_best_effort_loses_on_a_lossy_network",
        "c11_traffic_stays_on_the_named_interface",
        "c25_discovery_needs_no_locators",
        // Keys, filters and servers are shown by the adapters of middleware that has them.
        "c27_samples_of_every_instance_arrive",
        "c27_keep_last_holds_samples_of_each_instance",
        "c28_a_filter_gives_its_instances_only",
        "c28_a_filter_leaves_other_readers_alone",
        "c29_the_server_serves_and_is_gone_after_destroy",
        "c29_two_servers_stand_side_by_side",
        // It sends no packets that could be marked or gathered.
        "c26_a_changed_transport_priority_marks_packets",
        "c26_a_changed_latency_budget_gathers_samples",
        // Its counts are looked at when they are asked for; others have events.
        "c33_a_match_carries_the_time_of_its_event",
        "c34_without_the_feature_there_is_no_such_entry",
        "c35_without_the_feature_nothing_is_lent",
        // Its readers bind; writers that bind are shown by zeromq.
        "c36_writer_locators_connect",
        "c36_each_reader_hears_the_writers_that_it_was_connected_to",
        "c36_a_wrong_locator_is_refused",
        // It has no discovery; the DDS adapters list what is on the bus.
        "c37_entities_are_listed_with_topic_type_and_qos",
        "c37_what_has_gone_is_not_listed",
        "c37_looking_changes_nothing",
        "c37_entities_of_another_process_are_listed",
        // What is secured by documents is shown by tcp, mqtt, nats and DDS.
        "c38_secured_samples_arrive",
        "c38_documents_that_cannot_be_used_are_refused",
        "c38_a_plain_participant_exchanges_nothing",
        "c38_an_identity_of_another_authority_exchanges_nothing",
        "c38_a_topic_that_is_not_permitted_carries_nothing",
        "c38_bodies_can_be_read_on_the_wire_only_where_not_encrypted",
        // It has services of its own.
        "c39_without_the_feature_there_are_no_services",
        // A type of the user's needs a library that was compiled with it.
        "c30_a_value_arrives_bit_for_bit",
        "c30_a_value_that_is_not_checked_is_not_serialised_again",
        "c30_a_body_that_is_no_value_is_refused",
    ];
    let more: Vec<_> = skipped.iter().filter(|name| !allowed.contains(name)).collect();
    assert!(more.is_empty(), "the executable specification should show these: {more:?}");
}

#[test]
fn the_reference_adapter_conforms_between_processes() {
    let report = check(&adapter("reference"), &["--transport", "pipe"]);
    assert!(report.failed == 0, "{}", failures(&report));
}

#[test]
fn the_null_adapter_conforms() {
    let report = check(&adapter("null"), &[]);
    assert!(report.failed == 0, "{}", failures(&report));
    assert!(report.passed >= 45, "only {} tests passed", report.passed);
}

#[test]
fn a_middleware_that_is_missing_is_skipped_with_its_remedy() {
    let library = compile("crates/busmark-conformance/tests/c/unavailable.c", &[]);
    let output = common::run(&library.path, &[]);
    assert_eq!(output.status.code(), Some(2), "not a pass");
    let report = check(&library.path, &[]);
    assert_eq!((report.passed, report.failed), (0, 0));
    assert!(report.results.iter().all(|r| r.detail.contains("apt-get install libexample")));
}

#[test]
fn injected_faults_make_the_tests_of_services_fail() {
    const ALL: &str = "c39_a_request_reaches_the_server_and_its_response_the_client";
    const OWN: &str = "c40_each_of_ten_clients_gets_its_own_responses";
    let reference = adapter("reference");
    for (fault, tests) in [
        ("request_drop=0.05", &[ALL, OWN][..]),
        ("response_drop=0.05", &[ALL, OWN]),
        ("response_duplicate=0.05", &[ALL, OWN]),
        // One client has nobody beside it.
        ("response_misroute=0.05", &[OWN]),
    ] {
        let only = ["--only", ALL, "--only", OWN, "--patience-ms", "1000", "--set", fault];
        let report = check(&reference, &only);
        assert_eq!(names(&report, Outcome::Failed), tests, "{fault}: {}", failures(&report));
    }
}

#[test]
fn injected_faults_make_the_delivery_tests_fail() {
    let reference = adapter("reference");
    let quick = ["--patience-ms", "1500"];
    for (fault, test) in [
        ("drop=0.05", "c08_reliable_delivers_every_sample_in_order"),
        ("duplicate=0.05", "c08_reliable_delivers_every_sample_in_order"),
        ("corrupt=1", "c07_every_payload_kind_arrives_bit_for_bit"),
    ] {
        let report = check(&reference, &[&["--only", test, "--set", fault][..], &quick].concat());
        assert_eq!(names(&report, Outcome::Failed), [test], "{fault}");
    }
}
