//! The writer's side of a test in a process of its own.
//!
//! The program that runs the suite starts itself once more ([`Peer`]) and calls [`serve_peer`] there.
//! Both talk in lines over the child's stdin and stdout: the suite sends `connect LOCATOR` for each
//! reader and `go`; the child answers `done COUNT` when its samples are written, keeps its writer
//! until its stdin ends, and then ends.

use std::io::{BufRead, BufReader, Write};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use busmark_adapter::{EndpointConfig, Library, ParticipantConfig, Payload, Qos, Wait};
use serde::{Deserialize, Serialize};

use crate::kit::{Context, Inbox, Outbox, Side, Stop, Verdict, fail, skip, until};

/// How to start the second process: the program, and arguments in front of the task, such as
/// `busmark-check --peer TASK`.
#[derive(Clone, Debug)]
pub struct Peer {
    /// Usually the running program itself.
    pub program: PathBuf,
    /// They must lead to [`serve_peer`] with the argument that follows.
    pub arguments: Vec<String>,
}

/// What the second process is to do.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Task {
    library: PathBuf,
    participant: ParticipantConfig,
    topic: String,
    payload: Payload,
    max_body_bytes: u64,
    qos: Qos,
    count: u64,
    pause_us: u64,
    matched: bool,
    patience_ms: u64,
}

/// Lines of the child begin with this, so that a middleware's chatter is not mistaken for them.
const MARK: &str = "busmark-peer ";

/// The second process: does the task that the suite gave it as JSON.
pub fn serve_peer(task: &str) -> Result<(), String> {
    let task: Task = serde_json::from_str(task).map_err(|error| error.to_string())?;
    serve(&task).map_err(|stop| match stop {
        Stop::Failed(text) | Stop::Skipped(text) => text,
    })
}

fn serve(task: &Task) -> Verdict<()> {
    let library = Library::open(&task.library).map_err(|e| Stop::Failed(e.to_string()))?;
    let participant = library.participant(&task.participant)?;
    let endpoint = EndpointConfig {
        topic: task.topic.clone(),
        payload: task.payload,
        wait: Wait::Poll,
        max_body_bytes: task.max_body_bytes,
        qos: task.qos.clone(),
        instances: 0,
        filter_below: 0,
    };
    let patience = Duration::from_millis(task.patience_ms);
    let mut writer = Outbox::new(&participant, &endpoint, 0, patience)?;
    for line in std::io::stdin().lines() {
        let line = line?;
        if let Some(locator) = line.strip_prefix("connect ") {
            writer.handle.connect(locator)?;
        } else if line == "go" {
            if task.matched {
                until("the writer counts its reader", patience, || {
                    match writer.handle.matched() {
                        Ok(1) => Ok(()),
                        other => Err(format!("{other:?}")),
                    }
                })?;
            }
            writer.pause = Duration::from_micros(task.pause_us);
            writer.write_many(task.count)?;
            println!("{MARK}done {}", writer.next());
        }
    }
    Ok(())
}

/// The second process as the suite holds it; killed when dropped.
pub(crate) struct PeerWriter {
    child: Child,
    stdin: Option<ChildStdin>,
    lines: Receiver<String>,
    patience: Duration,
}

impl PeerWriter {
    /// Starts a writer of this side in a second process; it writes `count` samples when told to.
    pub fn start(context: &Context, side: &Side, count: u64, pause: Duration) -> Verdict<Self> {
        let Some(peer) = &context.options.peer else {
            return skip("the program that runs the suite offers no second process");
        };
        let task = Task {
            library: context.library.path().to_owned(),
            participant: side.participant.clone(),
            topic: side.endpoint.topic.clone(),
            payload: side.endpoint.payload,
            max_body_bytes: side.endpoint.max_body_bytes,
            qos: side.endpoint.qos.clone(),
            count,
            pause_us: pause.as_micros() as u64,
            matched: context.has(busmark_adapter::Feature::Matched),
            patience_ms: context.patience().as_millis() as u64,
        };
        let task = serde_json::to_string(&task).map_err(|e| Stop::Failed(e.to_string()))?;
        let mut child = Command::new(&peer.program)
            .args(&peer.arguments)
            .arg(task)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::inherit())
            .spawn()?;
        let stdin = child.stdin.take();
        let (sender, lines) = channel();
        if let Some(stdout) = child.stdout.take() {
            std::thread::spawn(move || {
                for line in BufReader::new(stdout).lines().map_while(Result::ok) {
                    if let Some(text) = line.strip_prefix(MARK) {
                        let _ = sender.send(text.to_owned());
                    }
                }
            });
        }
        Ok(Self { child, stdin, lines, patience: context.patience() * 3 })
    }

    fn tell(&mut self, line: &str) -> Verdict<()> {
        match &mut self.stdin {
            Some(stdin) => Ok(writeln!(stdin, "{line}")?),
            None => fail("the second process takes no orders"),
        }
    }

    /// Wires it to the reader, where the adapter has locators.
    pub fn connect(&mut self, context: &Context, reader: &Inbox) -> Verdict<()> {
        if !context.has(busmark_adapter::Feature::Locators) {
            return Ok(());
        }
        self.tell(&format!("connect {}", reader.handle.locator()?))
    }

    pub fn go(&mut self) -> Verdict<()> {
        self.tell("go")
    }

    /// Waits until it has written all.
    pub fn done(&mut self) -> Verdict<()> {
        if self.lines.recv_timeout(self.patience).is_ok() {
            return Ok(());
        }
        self.stdin = None;
        let end = until("its end", self.patience, || match self.child.try_wait() {
            Ok(Some(status)) => Ok(status.to_string()),
            other => Err(format!("{other:?}")),
        });
        let end = end.unwrap_or_else(|stop| format!("{stop:?}"));
        fail(format!("the second process has not written its samples: {end}"))
    }

    /// Ends it without any goodbye.
    pub fn kill(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Drop for PeerWriter {
    fn drop(&mut self) {
        // Its stdin ends: it closes its endpoints by itself.
        self.stdin = None;
        let gone =
            until("the second process ends", self.patience, || match self.child.try_wait() {
                Ok(Some(_)) => Ok(()),
                other => Err(format!("{other:?}")),
            });
        if gone.is_err() {
            self.kill();
        }
    }
}
