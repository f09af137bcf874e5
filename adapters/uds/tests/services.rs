//! Services as the contract has them, over both transports.

use busmark_adapter::testing::services::Case;
use busmark_sockets::testing::{RunDir, library};

fn cases() -> Vec<Case> {
    let library = library("uds");
    let of = |transport| {
        let run_dir = RunDir::new();
        let config = run_dir.participant(transport, &[]);
        Case::by_wait(&library, &config, run_dir)
    };
    ["stream", "seqpacket"].into_iter().flat_map(of).collect()
}

busmark_adapter::service_tests!(cases);
