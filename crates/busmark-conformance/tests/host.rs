//! What an adapter has to say reaches the host (C31), and what failed is reported in words (C32).

mod common;

use std::sync::{Arc, Mutex, MutexGuard};

use busmark_adapter::{
    EndpointConfig, Header, Level, Library, ParticipantConfig, Payload, Qos, Status, Wait,
};
use common::adapter;

/// In one process an adapter logs to whoever opened it last.
static OPEN: Mutex<()> = Mutex::new(());

type Lines = Arc<Mutex<Vec<(String, Level, String)>>>;

/// First, and so dropped last, what is kept while the library is open.
type Opened = ((tempfile::TempDir, MutexGuard<'static, ()>), Library, ParticipantConfig, Lines);

fn reference(settings: &[(&str, &str)]) -> Opened {
    let alone = OPEN.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    let lines = Lines::default();
    let kept = Arc::clone(&lines);
    let log = move |name: &str, level, text: &str| {
        kept.lock().expect("nobody panics").push((name.to_owned(), level, text.to_owned()));
    };
    let library = Library::open_with(&adapter("reference"), Box::new(log)).expect("it opens");
    let dir = tempfile::tempdir().expect("a temporary directory");
    let config = ParticipantConfig {
        interface_name: "lo".to_owned(),
        interface_address: "127.0.0.1".to_owned(),
        transport: "memory".to_owned(),
        profile: "default".to_owned(),
        run_dir: dir.path().display().to_string(),
        settings: settings.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned())).collect(),
        ..ParticipantConfig::default()
    };
    ((dir, alone), library, config, lines)
}

#[test]
fn a_line_of_the_adapters_log_reaches_the_host_with_its_level() {
    let (_kept, library, config, lines) = reference(&[("drop", "0.25")]);
    let _participant = library.participant(&config).expect("a participant");
    let text = "injects faults on purpose: drop=0.25".to_owned();
    let expected = ("reference".to_owned(), Level::Warning, text);
    assert_eq!(*lines.lock().expect("nobody panics"), [expected]);
}

#[test]
fn a_write_that_failed_is_told_in_words_and_others_are_not() {
    let (_kept, library, config, _lines) = reference(&[("fail", "0.5")]);
    let participant = library.participant(&config).expect("a participant");
    let endpoint = EndpointConfig {
        topic: "busmark_host".to_owned(),
        payload: Payload::Octet,
        wait: Wait::Poll,
        max_body_bytes: 8,
        qos: Qos::default(),
        instances: 0,
        filter_below: 0,
    };
    let writer = participant.writer(&endpoint).expect("a writer");
    let mut sample = writer.sample(&[0; 8]).expect("a sample");
    assert_eq!(writer.last_error(), None);
    let failed = (0..100).find(|&seq| {
        writer.write(&mut sample, &Header { seq, ..Header::default() }) == Err(Status::Failed)
    });
    let seq = failed.expect("half of them fail");
    let words = writer.last_error().expect("words on it");
    assert_eq!(words.status, Status::Failed);
    assert_eq!(words.message, format!("sample {seq} fails on purpose (option fail)"));
}
