//! The table of tests: one line each, in the order of the clauses.

use crate::groups::{
    capabilities, changes, config, content, entities, errors, events, history, host, hotpath,
    instances, lending, lifecycle, listener, locators, matching, network, processes, qos_late,
    qos_plain, qos_routing, security, security_wire, servers, service_path, service_routing,
    services, threads, user_type, versions, waiting,
};
use crate::kit::{Context, Verdict};

pub(crate) struct Test {
    pub name: &'static str,
    pub run: fn(&Context) -> Verdict,
}

impl Test {
    /// "C7" of `c07_…`.
    pub fn clause(&self) -> String {
        format!("C{}", self.name[1..3].trim_start_matches('0'))
    }

    /// The name as a sentence.
    pub fn title(&self) -> String {
        self.name[4..].replace('_', " ")
    }
}

macro_rules! tests {
    ($($group:ident :: $name:ident,)*) => {
        &[$(Test { name: stringify!($name), run: $group::$name },)*]
    };
}

pub(crate) const TESTS: &[Test] = tests![
    versions::c01_every_call_gives_the_same_table,
    versions::c01_the_table_declares_its_version_and_size,
    versions::c02_structures_longer_than_known_are_accepted,
    versions::c02_nothing_is_written_past_a_structure,
    versions::c02_the_room_of_the_callers_structure_is_unchanged,
    errors::c03_every_failure_says_what_failed,
    errors::c04_an_undeclared_transport_is_refused,
    errors::c04_an_unknown_option_is_refused,
    errors::c04_an_undeclared_payload_kind_is_refused,
    errors::c04_an_undeclared_wait_strategy_is_refused,
    errors::c04_an_undeclared_qos_value_is_refused,
    errors::c04_a_body_larger_than_the_endpoint_is_refused,
    errors::c04_an_endpoint_larger_than_the_capabilities_is_refused,
    errors::c04_a_topic_without_a_name_is_refused,
    errors::c04_a_listener_that_does_not_fit_the_strategy_is_refused,
    errors::c05_nothing_is_printed_on_standard_output,
    errors::c05_signal_handlers_are_left_alone,
    content::c06_every_payload_kind_is_a_type_of_its_own,
    content::c07_every_payload_kind_arrives_bit_for_bit,
    content::c07_large_bodies_arrive_bit_for_bit,
    content::c07_bodies_of_random_sizes_arrive_bit_for_bit,
    content::c07_bodies_that_change_arrive_bit_for_bit,
    content::c07_every_byte_value_arrives_unchanged,
    content::c07_extreme_headers_arrive_bit_for_bit,
    qos_plain::c08_reliable_delivers_every_sample_in_order,
    qos_plain::c08_best_effort_delivers,
    qos_late::c08_keep_last_keeps_the_last_samples_only,
    history::c08_keep_last_counts_what_wait_has_fetched,
    qos_late::c08_keep_all_keeps_all_samples,
    qos_late::c08_volatile_gives_a_late_reader_no_history,
    qos_late::c08_transient_local_gives_a_late_reader_the_history,
    qos_late::c08_lifespan_lets_old_samples_expire,
    qos_plain::c08_a_missed_deadline_is_counted,
    qos_routing::c08_partitions_separate,
    qos_routing::c08_the_strongest_owner_alone_is_heard,
    qos_routing::c08_order_by_source_keeps_the_order_of_writing,
    qos_late::c08_resource_limits_bound_what_is_stored,
    qos_plain::c08_a_time_based_filter_thins_the_stream,
    qos_routing::c08_a_reader_hears_writers_of_its_liveliness_lease,
    network::c08_reliable_loses_nothing_on_a_lossy_network,
    network::c08_best_effort_loses_on_a_lossy_network,
    network::c08_lost_samples_are_counted_or_the_counter_is_absent,
    network::c08_order_by_source_sorts_what_comes_late,
    network::c08_latency_budget_gathers_samples,
    network::c08_transport_priority_marks_packets,
    capabilities::c09_declarations_are_complete_and_consistent,
    capabilities::c09_every_wait_strategy_receives,
    capabilities::c09_every_transport_carries_samples,
    capabilities::c09_transports_use_the_sockets_of_their_carriers,
    processes::c09_samples_cross_processes_where_declared,
    capabilities::c09_time_stamps_are_there_exactly_if_declared,
    capabilities::c09_source_time_is_the_writers,
    capabilities::c09_flush_matters_where_batching_is_declared,
    security::c09_security_is_declared_with_its_profiles,
    capabilities::c09_injected_faults_are_counted_exactly,
    capabilities::c10_capabilities_are_constant,
    network::c11_traffic_stays_on_the_named_interface,
    network::c11_sockets_receive_on_the_named_interface_only,
    config::c12_files_are_made_in_the_run_directory_only,
    config::c13_two_domains_do_not_hear_each_other,
    config::c14_configurations_may_be_overwritten_after_the_call,
    lifecycle::c15_repeated_cycles_leave_nothing_behind,
    lifecycle::c15_memory_does_not_grow_with_cycles,
    lifecycle::c15_memory_does_not_grow_with_endpoints,
    lifecycle::c15_memory_does_not_grow_with_samples,
    lifecycle::c15_nothing_is_left_after_the_last_destroy,
    lifecycle::c15_several_participants_live_side_by_side,
    lifecycle::c16_destroy_returns_with_samples_unacknowledged,
    lifecycle::c16_destroy_returns_when_the_peer_is_gone,
    processes::c16_destroy_returns_when_the_peer_was_killed,
    threads::c17_four_writers_and_two_readers_share_a_topic,
    threads::c17_pairs_on_their_own_topics_run_at_once,
    threads::c17_matched_and_counters_answer_during_traffic,
    hotpath::c18_a_sample_may_be_written_again_at_once,
    hotpath::c18_write_does_not_allocate,
    hotpath::c18_a_write_that_times_out_was_not_sent,
    hotpath::c19_take_gives_at_most_max_and_in_order,
    hotpath::c19_take_says_when_there_is_nothing,
    listener::c20_every_sample_is_announced_without_overlap,
    listener::c20_on_data_never_comes_from_within_reader_create,
    listener::c21_write_works_from_within_on_data,
    listener::c21_reliable_keep_all_writes_work_from_within_on_data,
    listener::c22_no_call_comes_after_reader_destroy,
    waiting::c23_wait_returns_with_data_and_times_out_without,
    waiting::c23_wait_wakes_for_a_late_sample,
    waiting::c23_wait_sleeps,
    matching::c24_matched_rises_and_falls,
    matching::c24_a_reliable_sample_after_matching_is_not_lost,
    matching::c24_matched_is_unsupported_without_the_feature,
    locators::c25_locators_connect,
    locators::c25_a_wrong_locator_is_refused,
    locators::c25_discovery_needs_no_locators,
    locators::c36_writer_locators_connect,
    locators::c36_each_reader_hears_the_writers_that_it_was_connected_to,
    locators::c36_a_wrong_locator_is_refused,
    locators::c36_only_the_side_that_binds_has_a_locator,
    changes::c26_set_qos_takes_effect_while_traffic_flows,
    network::c26_a_changed_transport_priority_marks_packets,
    network::c26_a_changed_latency_budget_gathers_samples,
    changes::c26_what_cannot_change_is_refused_and_changes_nothing,
    instances::c27_samples_of_every_instance_arrive,
    instances::c27_keep_last_holds_samples_of_each_instance,
    instances::c27_without_the_feature_keys_are_refused,
    instances::c28_a_filter_gives_its_instances_only,
    instances::c28_a_filter_leaves_other_readers_alone,
    instances::c28_a_filter_that_cannot_be_is_refused,
    servers::c29_the_server_serves_and_is_gone_after_destroy,
    servers::c29_two_servers_stand_side_by_side,
    servers::c29_without_the_feature_there_is_no_server,
    user_type::c30_the_payload_kind_type_goes_with_the_name_of_a_type,
    user_type::c30_a_value_arrives_bit_for_bit,
    user_type::c30_a_value_that_is_not_checked_is_not_serialised_again,
    user_type::c30_a_body_that_is_no_value_is_refused,
    host::c31_a_host_of_any_size_is_accepted,
    host::c32_words_come_after_a_failure_only,
    host::c32_a_failed_write_is_reported_in_words,
    events::c33_a_match_carries_the_time_of_its_event,
    events::c33_without_the_feature_no_time_is_reported,
    lending::c34_many_writes_are_as_single_ones,
    lending::c34_without_the_feature_there_is_no_such_entry,
    lending::c35_what_was_lent_arrives_bit_for_bit,
    lending::c35_one_loan_at_a_time,
    lending::c35_without_the_feature_nothing_is_lent,
    entities::c37_entities_are_listed_with_topic_type_and_qos,
    entities::c37_what_has_gone_is_not_listed,
    entities::c37_looking_changes_nothing,
    entities::c37_entities_of_another_process_are_listed,
    entities::c37_without_the_feature_nothing_is_listed,
    security::c38_an_unknown_security_profile_is_refused,
    security::c38_secured_samples_arrive,
    security::c38_documents_that_cannot_be_used_are_refused,
    security::c38_a_plain_participant_exchanges_nothing,
    security::c38_an_identity_of_another_authority_exchanges_nothing,
    security::c38_a_topic_that_is_not_permitted_carries_nothing,
    security_wire::c38_bodies_can_be_read_on_the_wire_only_where_not_encrypted,
    services::c39_a_request_reaches_the_server_and_its_response_the_client,
    services::c39_services_are_declared_with_all_that_belongs_to_them,
    services::c39_what_is_not_declared_of_services_is_refused,
    services::c39_without_the_feature_there_are_no_services,
    services::c39_locators_connect_clients_or_are_unsupported,
    services::c39_other_names_domains_and_topics_are_something_else,
    services::c39_repeated_cycles_of_services_leave_nothing_behind,
    services::c39_requests_cross_processes_where_declared,
    service_routing::c40_requests_and_responses_of_any_size_arrive_bit_for_bit,
    service_routing::c40_each_of_ten_clients_gets_its_own_responses,
    service_routing::c40_clients_whose_headers_are_equal_get_their_own_responses,
    service_routing::c40_a_client_that_goes_disturbs_nobody,
    service_routing::c40_a_handle_is_good_for_one_response,
    service_routing::c40_keep_last_answers_nothing_twice,
    services::c41_what_is_forgotten_is_given_back,
    services::c41_a_server_that_is_made_again_is_used_again,
    service_path::c42_requests_wait_for_a_slow_server_or_are_refused,
    service_path::c42_wait_wakes_for_requests_and_responses,
    service_path::c42_take_gives_at_most_max_and_says_when_there_is_nothing,
    service_path::c42_send_does_not_allocate,
    services::c42_memory_does_not_grow_with_requests,
    service_path::c42_a_request_that_fails_is_reported_in_words,
    services::c43_the_count_of_the_other_side_rises_and_falls,
    services::c43_a_request_after_the_match_is_answered,
    service_path::c44_several_threads_answer_while_one_sends_and_one_takes,
    lifecycle::c15_the_library_can_be_closed_and_opened_again,
];

/// One test as others may list it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TestInfo {
    /// The clause, such as "C7".
    pub clause: String,
    /// The test's name.
    pub name: &'static str,
    /// The name as a sentence.
    pub title: String,
}

/// Every test, in the order of running.
pub fn tests() -> Vec<TestInfo> {
    let info = |t: &Test| TestInfo { clause: t.clause(), name: t.name, title: t.title() };
    TESTS.iter().map(info).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    const HEADER: &str = include_str!("../../../abi/busmark_adapter.h");

    /// Numbers of the clauses that the header states: "C7" at the start of a comment line.
    fn stated() -> BTreeSet<u32> {
        let number = |line: &str| {
            let text = line.trim_start_matches(['/', '*', ' ']).strip_prefix('C')?;
            let digits: String = text.chars().take_while(char::is_ascii_digit).collect();
            text[digits.len()..].starts_with(' ').then(|| digits.parse().ok())?
        };
        HEADER.lines().filter_map(number).collect()
    }

    #[test]
    fn every_clause_of_the_header_has_a_test_and_every_test_a_clause() {
        let tested: BTreeSet<u32> =
            TESTS.iter().map(|t| t.name[1..3].parse().expect("two digits")).collect();
        assert_eq!(stated(), tested);
    }

    #[test]
    fn the_header_numbers_its_clauses_without_gaps() {
        let numbers = stated();
        assert_eq!(numbers, (1..=numbers.len() as u32).collect());
    }

    #[test]
    fn no_test_is_listed_twice() {
        let names: BTreeSet<_> = TESTS.iter().map(|t| t.name).collect();
        assert_eq!(names.len(), TESTS.len());
    }

    #[test]
    fn names_become_clause_and_sentence() {
        let test = &TESTS[0];
        assert_eq!(test.clause(), "C1");
        assert_eq!(test.title(), "every call gives the same table");
    }
}
