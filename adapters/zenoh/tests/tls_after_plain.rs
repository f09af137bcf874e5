//! A secured session in a process where zenoh's threads run as they do for plain ones.

use busmark_adapter::testing::{RunDir, library};
use busmark_adapter::{ParticipantConfig, Status};
use busmark_tls::testing::Authority;

#[test]
fn a_secured_session_does_not_follow_a_plain_one() {
    let (library, authority, run_dir) = (library("zenoh"), Authority::new(), RunDir::new());
    let plain = run_dir.participant("tcp", &[]);
    let _open = library.participant(&plain).expect("a participant");
    let security = Some(Box::new(authority.identity("p")));
    let error = library.participant(&ParticipantConfig { security, ..plain }).err();
    let error = error.expect("refused");
    assert_eq!(error.status, Status::Unsupported, "{error}");
    assert!(error.message.contains("ZENOH_RUNTIME='(rx: (handover: tx))'"), "{error}");
}
