//! What of the surroundings reaches the library, and what of the names that a user gives.
//!
//! One test: it changes the current folder and the environment.

mod common;

use busmark_adapter::{EndpointConfig, Header, Qos, Status};
use common::{endpoint, gather, library, matched, participant};

#[test]
fn profiles_of_the_user_are_not_read_and_names_are_taken_as_they_are() {
    let folder = std::env::temp_dir().join(format!("busmark-rti-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    // By itself the library reads this file, and fails at it.
    std::fs::write(folder.join("USER_QOS_PROFILES.xml"), "<dds><no_such_tag/>").expect("written");
    std::env::set_current_dir(&folder).expect("entered");
    // SAFETY: no other thread runs yet that reads the environment.
    unsafe { std::env::set_var("NDDS_QOS_PROFILES", folder.join("absent.xml")) };
    if let Some(library) = library() {
        names_are_taken_as_they_are(&library);
        the_library_s_own_words_are_in_the_error(&library);
        a_second_library_is_refused(&library);
    }
    std::fs::remove_dir_all(folder).expect("removed");
}

fn names_are_taken_as_they_are(library: &busmark_adapter::Library) {
    let here = library.participant(&participant()).expect("a participant");
    // Quotes, brackets and the separators of the library's own lists of documents.
    let odd = r#"a"b'<c>&d;e|f]]>"#;
    let with = |partition: &str| {
        let qos = Qos { partition: Some(partition.to_owned()), ..endpoint(odd).qos };
        EndpointConfig { qos, ..endpoint(odd) }
    };
    let reader = here.reader(&with(odd), None).expect("a reader");
    let other = here.reader(&with("other"), None).expect("a reader");
    let writer = here.writer(&with(odd)).expect("a writer");
    matched(&writer, &reader);
    let mut sample = writer.sample(b"0123456789").expect("a sample");
    for seq in 0..3 {
        writer.write(&mut sample, &Header { seq, ..Header::default() }).expect("written");
    }
    assert_eq!(gather(&reader, 3), [0, 1, 2]);
    assert_eq!(other.matched(), Ok(0));
}

fn the_library_s_own_words_are_in_the_error(library: &busmark_adapter::Library) {
    let here = library.participant(&participant()).expect("a participant");
    let mut config = endpoint("inconsistent");
    // More history than the endpoint may hold.
    config.qos = Qos { keep_all: Some(false), depth: 9, max_samples: Some(3), ..config.qos };
    let error = here.writer(&config).err().expect("inconsistent");
    let named = error.message.contains("max_samples_per_instance");
    assert!(error.status == Status::Invalid && named, "{error}");
}

fn a_second_library_is_refused(library: &busmark_adapter::Library) {
    let mut config = participant();
    config.settings = vec![("library".to_owned(), "/elsewhere".to_owned())];
    let error = library.participant(&config).err().expect("another one is open");
    assert!(error.status == Status::Invalid && error.message.contains("library"), "{error}");
}
