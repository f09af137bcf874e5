//! Who may connect: the handler that the library asks about each client of a CURVE server
//! (`ZeroMQ` Authentication Protocol, RFC 27).

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;

use busmark_adapter::{Result, Status};

use crate::curve::Key;
use crate::ffi;
use crate::socket::{Context, Message, Socket};

/// Where the library asks, in each context.
const PLACE: &str = "inproc://zeromq.zap.01";
const VERSION: &[u8] = b"1.0";
const STOP: &[u8] = b"stop";

/// Answers as long as it lives.
pub struct Guard {
    stopper: Mutex<Socket>,
    thread: Option<JoinHandle<()>>,
}

impl Guard {
    /// Lets in who has one of these keys. A thread answers, which sleeps while nobody connects.
    pub fn new(context: &Arc<Context>, allowed: BTreeSet<Key>) -> Result<Self> {
        let socket = Socket::new(context, ffi::REP)?;
        socket.set(ffi::LINGER, 0)?;
        socket.bind(PLACE)?;
        let stopper = Socket::new(context, ffi::REQ)?;
        stopper.set(ffi::LINGER, 0)?;
        stopper.connect(PLACE)?;
        let message = Message::empty()?;
        let thread = std::thread::Builder::new()
            .name("busmark-zap".to_owned())
            .spawn(move || serve(&socket, message, &allowed))
            .map_err(|error| Status::Resources.error(format!("no thread for CURVE: {error}")))?;
        Ok(Self { stopper: Mutex::new(stopper), thread: Some(thread) })
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        let stopper = self.stopper.lock().unwrap_or_else(PoisonError::into_inner);
        if stopper.send(STOP, 0).is_ok()
            && let Some(thread) = self.thread.take()
        {
            let _ = thread.join();
        }
    }
}

fn serve(socket: &Socket, mut message: Message, allowed: &BTreeSet<Key>) {
    loop {
        let mut asked = Vec::new();
        loop {
            match socket.receive(&mut message, 0) {
                Ok(()) => asked.push(message.bytes().to_vec()),
                // A signal.
                Err(Status::Timeout) => continue,
                Err(_) => return,
            }
            if !message.has_more() {
                break;
            }
        }
        if asked == [STOP] {
            return;
        }
        let (id, is_welcome) = judge(&asked, allowed);
        let status: [&[u8]; 2] =
            if is_welcome { [b"200", b"OK"] } else { [b"400", b"this key is not allowed"] };
        // Version, number of the question, status, user, metadata.
        let parts = [VERSION, id, status[0], status[1], b"", b""];
        for (number, part) in parts.iter().enumerate() {
            let more = if number + 1 < parts.len() { ffi::SNDMORE } else { 0 };
            while socket.send(part, more) == Err(Status::Timeout) {}
        }
    }
}

/// The number of a question, and whether its client may connect.
fn judge<'a>(asked: &'a [Vec<u8>], allowed: &BTreeSet<Key>) -> (&'a [u8], bool) {
    let [version, id, _domain, _address, _identity, mechanism, credentials @ ..] = asked else {
        return (asked.get(1).map_or(b"", Vec::as_slice), false);
    };
    let is_welcome = match credentials {
        [key] => Key::try_from(key.as_slice()).is_ok_and(|key| allowed.contains(&key)),
        _ => false,
    };
    (id, version == VERSION && mechanism == b"CURVE" && is_welcome)
}

#[cfg(test)]
mod tests {
    use busmark_adapter::testing::{eventually, threads};

    use super::*;

    #[test]
    fn the_thread_ends_with_its_owner() {
        if crate::ffi::zmq().is_err() {
            return;
        }
        let threads = || threads(&["busmark-zap"]);
        for _ in 0..20 {
            let context = Context::new(1).expect("a context");
            let guard = Guard::new(&context, BTreeSet::new()).expect("a guard");
            eventually("it answers", || threads() == 1);
            drop(guard);
            eventually("it has ended", || threads() == 0);
        }
    }

    #[test]
    fn only_keys_of_the_list_are_welcome() {
        let allowed = BTreeSet::from([[7; 32]]);
        let question = |version: &str, mechanism: &str, keys: &[&[u8]]| {
            let mut parts: Vec<Vec<u8>> =
                [version, "3", "busmark", "127.0.0.1", "", mechanism].map(Into::into).to_vec();
            parts.extend(keys.iter().map(|key| key.to_vec()));
            let (id, is_welcome) = judge(&parts, &allowed);
            assert_eq!(id, b"3");
            is_welcome
        };
        assert!(question("1.0", "CURVE", &[&[7; 32]]));
        assert!(!question("1.0", "CURVE", &[&[8; 32]]));
        assert!(!question("1.0", "CURVE", &[&[7; 31]]));
        assert!(!question("1.0", "CURVE", &[]));
        assert!(!question("1.0", "NULL", &[]));
        assert!(!question("2.0", "CURVE", &[&[7; 32]]));
        assert_eq!(judge(&[], &allowed), (&b""[..], false));
    }
}
