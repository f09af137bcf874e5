//! Services as the contract has them, over both transports.

use busmark_adapter::ParticipantConfig;
use busmark_adapter::testing::services::Case;
use busmark_adapter::testing::{RunDir, library, participant};

/// A domain by which this test's shared memory is known; those of the other tests are below a million
/// numbers further on.
fn domain() -> u32 {
    100_000_000 + std::process::id()
}

fn cases() -> Vec<Case> {
    let library = library("iceoryx2");
    let of = |transport| {
        let run_dir = RunDir::new();
        let config = ParticipantConfig {
            run_dir: run_dir.0.display().to_string(),
            ..participant(domain(), transport, &[])
        };
        Case::by_wait(&library, &config, run_dir)
    };
    ["shm", "local"].into_iter().flat_map(of).collect()
}

busmark_adapter::service_tests!(cases);
