//! Services as the contract has them, plain and over TLS.

use busmark_adapter::testing::services::Case;
use busmark_sockets::testing::{RunDir, library, stream};
use busmark_tls::testing::Authority;

fn cases() -> Vec<Case> {
    let run_dir = RunDir::new();
    let plain = run_dir.participant("tcp", &[]);
    let mut secured = plain.clone();
    let authority = Authority::new();
    secured.security = Some(Box::new(authority.identity("service")));
    let library = library("tcp");
    let mut cases = Case::by_wait(&library, &plain, run_dir);
    cases.extend(Case::by_wait(&library, &secured, authority));
    cases
}

busmark_adapter::service_tests!(cases);

#[test]
fn what_timed_out_arrives_once() {
    for bytes in [1000, 300_000] {
        stream::what_timed_out_within_a_service_arrives_once("tcp", "tcp", bytes);
    }
}

#[test]
fn services_are_apart_from_topics_and_other_domains() {
    stream::services_are_apart_from_topics_and_other_domains("tcp", "tcp");
}
