//! Unary calls, as every adapter's services must be.

use busmark_adapter::testing::services::Case;
use busmark_adapter::testing::{RunDir, library};

fn cases() -> Vec<Case> {
    let run_dir = RunDir::new();
    let config = run_dir.participant("tcp", &[]);
    Case::by_wait(&library("grpc"), &config, run_dir)
}

busmark_adapter::service_tests!(cases);
