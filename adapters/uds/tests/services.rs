//! Services as the contract has them, over both transports.

use busmark_adapter::testing::services::Case;
use busmark_sockets::testing::{RunDir, library, stream};

const TRANSPORTS: [&str; 2] = ["stream", "seqpacket"];

fn cases() -> Vec<Case> {
    let library = library("uds");
    let of = |transport| {
        let run_dir = RunDir::new();
        let config = run_dir.participant(transport, &[]);
        Case::by_wait(&library, &config, run_dir)
    };
    TRANSPORTS.into_iter().flat_map(of).collect()
}

busmark_adapter::service_tests!(cases);

#[test]
fn what_timed_out_arrives_once() {
    for transport in TRANSPORTS {
        for bytes in [1000, 300_000] {
            stream::what_timed_out_within_a_service_arrives_once("uds", transport, bytes);
        }
    }
}

#[test]
fn services_are_apart_from_topics_and_other_domains() {
    for transport in TRANSPORTS {
        stream::services_are_apart_from_topics_and_other_domains("uds", transport);
    }
}
