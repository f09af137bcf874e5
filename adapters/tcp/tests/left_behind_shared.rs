//! In a process of its own, where nobody else opens or closes anything.

use busmark_adapter::{Payload, Wait};
use busmark_sockets::testing::{
    Arrived, RunDir, body, descriptors, endpoint, eventually, library, reader, receive, threads,
    write,
};

#[test]
fn nothing_is_left_behind_of_a_shared_connection() {
    let run_dir = RunDir::new();
    let config = run_dir.participant("tcp", &[("connection", "shared")]);
    let round = |wait: Wait| {
        let endpoint = endpoint(wait, 100);
        let participants =
            [0, 1].map(|_| library("tcp").participant(&config).expect("a participant"));
        let arrived = [0, 1].map(|_| Arrived::new(Payload::Octet));
        let readers = [0, 1].map(|i| reader(&participants[i], &endpoint, &arrived[i]));
        let writers = [0, 1].map(|i| participants[i].writer(&endpoint).expect("a writer"));
        for (from, to) in [(0, 1), (1, 0)] {
            writers[from].connect(&readers[to].locator().expect("a locator")).expect("connected");
        }
        for (from, to) in [(0, 1), (1, 0)] {
            write(&writers[from], 1, 0, 10, &body(Payload::Octet, 100));
            receive(&readers[to], wait, &arrived[to], 10);
        }
    };
    eventually("no descriptor and no thread more than before", || {
        let before = (descriptors(), threads());
        for wait in [Wait::Listener, Wait::Waitset, Wait::Poll] {
            round(wait);
        }
        before == (descriptors(), threads())
    });
}
