//! Services as the contract has them.

use busmark_adapter::testing::services::Case;
use busmark_adapter::testing::{library, participant};

fn cases() -> Vec<Case> {
    Case::by_wait(&library("null"), &participant(0, "memory", &[]), ())
}

busmark_adapter::service_tests!(cases);
