//! Takes commands from any number of carriers, has a session carry them out one after the other, and
//! answers each on the way that it came. Roles run meanwhile, on threads of their own.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::Instant;

use busmark_adapter::{ParticipantHandle, misconduct};
use serde_json::Value;

use crate::carrier::Carrier;
use crate::output::Output;
use crate::protocol::{Failure, Reply, Request};
use crate::session::{Ended, Session};

/// Who asked, and how to answer.
#[derive(Clone)]
pub struct Asker {
    /// Number of the request.
    pub id: u64,
    /// The way back.
    pub to: Output,
}

/// A message to the desk.
pub enum Message {
    /// A command.
    Asked(String, Output),
    /// A role has ended.
    Ended(Ended),
    /// A change is in effect, or its role had ended before.
    Taken(Asker, Result<Value, Failure>),
    /// A carrier has no more commands.
    Closed,
}

/// The place where all these messages come together.
pub struct Desk {
    messages: Receiver<Message>,
    door: Sender<Message>,
    carriers: usize,
    open: Arc<AtomicUsize>,
    deserted: fn(),
    host: Option<ParticipantHandle>,
}

impl Desk {
    /// `deserted` is called when the last carrier has no more commands, on another thread than the work:
    /// whatever that waits for would not end by itself.
    pub fn new(deserted: fn()) -> Self {
        let (door, messages) = channel();
        Self { messages, door, carriers: 0, open: Arc::default(), deserted, host: None }
    }

    /// This desk, for roles in a participant that is there already.
    #[must_use]
    pub fn hosted(self, host: ParticipantHandle) -> Self {
        Self { host: Some(host), ..self }
    }

    /// Takes commands from this carrier too; their answers go to `output`.
    pub fn listen(&mut self, mut carrier: impl Carrier, output: Output) {
        let door = self.door.clone();
        self.carriers += 1;
        let (open, deserted) = (Arc::clone(&self.open), self.deserted);
        open.fetch_add(1, Ordering::SeqCst);
        std::thread::spawn(move || {
            while let Some(line) = carrier.next() {
                if door.send(Message::Asked(line, output.clone())).is_err() {
                    return;
                }
            }
            let _ = door.send(Message::Closed);
            if open.fetch_sub(1, Ordering::SeqCst) == 1 {
                deserted();
            }
        });
    }

    /// Works until no carrier has any more commands, and no role runs.
    pub fn work(mut self) -> io::Result<()> {
        let mut session = Session::hosted(self.door.clone(), self.host.take());
        while self.carriers > 0 || session.is_running() {
            let Some(message) = self.next(session.looks_at()) else {
                session.look()?;
                continue;
            };
            match message {
                Message::Asked(line, to) => ask(&mut session, &line, &to)?,
                Message::Taken(asker, outcome) => answer(&asker, outcome)?,
                Message::Ended(ended) => {
                    if let Some((asker, outcome)) = session.ended(ended)? {
                        answer(&asker, outcome)?;
                    }
                }
                Message::Closed => self.carriers -= 1,
            }
        }
        Ok(())
    }

    /// The next message; `None` when the session wants to look at its roles before.
    fn next(&self, look: Option<Instant>) -> Option<Message> {
        let Some(at) = look else { return self.messages.recv().ok() };
        self.messages.recv_timeout(at.saturating_duration_since(Instant::now())).ok()
    }
}

fn ask(session: &mut Session, line: &str, to: &Output) -> io::Result<()> {
    match serde_json::from_str::<Request>(line) {
        Ok(request) => {
            let asker = Asker { id: request.id, to: to.clone() };
            match session.execute(request.command, &asker) {
                Ok(None) => Ok(()), // the answer comes later
                Ok(Some(result)) => answer(&asker, Ok(result)),
                Err(failure) => answer(&asker, Err(failure)),
            }
        }
        Err(error) => {
            let id = serde_json::from_str::<Value>(line)
                .ok()
                .and_then(|v| v.get("id")?.as_u64())
                .unwrap_or(0);
            let error = Failure::new("protocol", format!("not a command: {error}"));
            to.reply(&Reply::Failed { id, ok: false, error })
        }
    }
}

fn answer(asker: &Asker, outcome: Result<Value, Failure>) -> io::Result<()> {
    // What an adapter reported on the hot path and cannot be: its figures are of no use.
    let outcome = match misconduct() {
        Some(text) => {
            Err(Failure::new("failed", format!("the adapter breaks its contract: {text}")))
        }
        None => outcome,
    };
    let id = asker.id;
    asker.to.reply(&match outcome {
        Ok(result) => Reply::Done { id, ok: true, result },
        Err(error) => Reply::Failed { id, ok: false, error },
    })
}
