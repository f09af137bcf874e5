//! The writer's side of a test, or the server of a service, in a process of its own.
//!
//! The program that runs the suite starts itself once more ([`Peer`]) and calls [`serve_peer`] there.
//! Both talk in lines over the child's stdin and stdout: the suite sends `connect LOCATOR` for each
//! reader, or `locate`, which the child answers with `locator LOCATOR`; `set QOS`, which it answers with
//! `changed`; and `go`. The child answers `done COUNT` when its samples are written, keeps its writer
//! until its stdin ends, and then ends. `failed WHY` says that it has ended before.
//!
//! A server answers each request until its stdin ends. By two topics it has a writer and a reader, to which
//! `locate` and `connect` are said as `locate-WHICH` and `connect-WHICH LOCATOR`; what has no locator answers
//! `locator` alone.

use std::io::{BufRead, BufReader, Write};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use busmark_adapter::{
    EndpointConfig, Feature, Library, ParticipantConfig, ParticipantHandle, Payload, Qos, Status,
    Wait,
};
use serde::{Deserialize, Serialize};

use crate::kit::echo::{ByLocator, Echo, Which};
use crate::kit::{Context, Inbox, Outbox, Side, Stop, Verdict, fail, skip, told, until};

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
    id: u32,
    patience_ms: u64,
    /// The wait strategy of a server; `None`: it is a writer.
    server: Option<Wait>,
}

/// What a writer in a second process is to write.
pub(crate) struct Errand {
    pub count: u64,
    /// After each sample.
    pub pause: Duration,
    /// Not before it counts its reader.
    pub matched: bool,
    /// The writer's number, which its samples carry.
    pub id: u32,
}

/// Lines of the child begin with this, so that a middleware's chatter is not mistaken for them.
const MARK: &str = "busmark-peer ";
const FAILED: &str = "failed ";

/// The second process: does the task that the suite gave it as JSON. What it cannot do it tells the
/// suite, which may have expected it.
pub fn serve_peer(task: &str) -> Result<(), String> {
    let task: Task = serde_json::from_str(task).map_err(|error| error.to_string())?;
    if let Err(stop) = serve(&task) {
        println!("{MARK}{FAILED}{}", stop.to_string().replace('\n', " "));
    }
    Ok(())
}

fn serve(task: &Task) -> Verdict<()> {
    crate::raw::system::end_with_parent();
    let library = Library::open(&task.library).map_err(|e| Stop::Failed(e.to_string()))?;
    let participant = library.participant(&task.participant)?;
    let endpoint = EndpointConfig {
        topic: task.topic.clone(),
        payload: task.payload,
        wait: task.server.unwrap_or(Wait::Poll),
        max_body_bytes: task.max_body_bytes,
        qos: task.qos.clone(),
        instances: 0,
        filter_below: 0,
    };
    if task.server.is_some() {
        return serve_requests(&participant, &endpoint);
    }
    let patience = Duration::from_millis(task.patience_ms);
    let mut writer = Outbox::new(&participant, &endpoint, task.id, patience)?;
    for line in std::io::stdin().lines() {
        let line = line?;
        if let Some(locator) = line.strip_prefix("connect ") {
            writer.handle.connect(locator)?;
        } else if line == "locate" {
            println!("{MARK}locator {}", writer.handle.locator()?);
        } else if let Some(qos) = line.strip_prefix("set ") {
            let qos: Qos = serde_json::from_str(qos).map_err(|e| Stop::Failed(e.to_string()))?;
            writer.handle.set_qos(&qos)?;
            println!("{MARK}changed");
        } else if line == "go" {
            if task.matched {
                until("the writer counts its reader", patience, || {
                    match writer.handle.matched() {
                        Ok(1) => Ok(()),
                        other => Err(format!("it counts {}", told(&other))),
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

/// Answers each request with its own body until stdin ends.
fn serve_requests(participant: &ParticipantHandle, endpoint: &EndpointConfig) -> Verdict<()> {
    let echo = Echo::start(participant, endpoint)?;
    for line in std::io::stdin().lines() {
        let line = line?;
        let (word, locator) = line.split_once(' ').unwrap_or((&line, ""));
        let Some((order, which)) = word.split_once('-') else { continue };
        let which =
            Which::named(which).ok_or_else(|| Stop::Failed(format!("no order {line:?}")))?;
        if order == "connect" {
            echo.connect(which, locator)?;
            println!("{MARK}connected");
        } else {
            println!("{MARK}locator {}", echo.locator(which)?);
        }
    }
    echo.end()
}

/// The second process as the suite holds it; killed when dropped.
pub(crate) struct PeerProcess {
    child: Child,
    stdin: Option<ChildStdin>,
    lines: Receiver<String>,
    patience: Duration,
}

impl PeerProcess {
    /// Starts a writer of this side in a second process; it writes `count` samples when told to.
    pub fn start(context: &Context, side: &Side, count: u64, pause: Duration) -> Verdict<Self> {
        let matched = context.has(Feature::Matched);
        Self::start_with(context, side, &Errand { count, pause, matched, id: 0 })
    }

    pub fn start_with(context: &Context, side: &Side, errand: &Errand) -> Verdict<Self> {
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
            count: errand.count,
            pause_us: errand.pause.as_micros() as u64,
            matched: errand.matched,
            id: errand.id,
            patience_ms: context.patience().as_millis() as u64,
            server: None,
        };
        Self::spawn(context, peer, &task)
    }

    /// Starts the server of this service in a second process.
    pub fn server(
        context: &Context,
        participant: &ParticipantConfig,
        endpoint: &EndpointConfig,
    ) -> Verdict<Self> {
        let Some(peer) = &context.options.peer else {
            return skip("the program that runs the suite offers no second process");
        };
        let task = Task {
            library: context.library.path().to_owned(),
            participant: participant.clone(),
            topic: endpoint.topic.clone(),
            payload: endpoint.payload,
            max_body_bytes: endpoint.max_body_bytes,
            qos: endpoint.qos.clone(),
            count: 0,
            pause_us: 0,
            matched: false,
            id: 0,
            patience_ms: context.patience().as_millis() as u64,
            server: Some(endpoint.wait),
        };
        Self::spawn(context, peer, &task)
    }

    fn spawn(context: &Context, peer: &Peer, task: &Task) -> Verdict<Self> {
        let task = serde_json::to_string(task).map_err(|e| Stop::Failed(e.to_string()))?;
        keep_descriptors();
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
        let Some(stdin) = &mut self.stdin else {
            return fail("the second process takes no orders");
        };
        let Err(error) = writeln!(stdin, "{line}") else {
            return Ok(());
        };
        let last = self.lines.recv_timeout(self.patience).unwrap_or_default();
        match last.strip_prefix(FAILED) {
            Some(why) => fail(format!("in the second process: {why}")),
            None => Err(error.into()),
        }
    }

    /// Wires it to the reader, where the adapter has locators.
    pub fn connect(&mut self, context: &Context, reader: &Inbox) -> Verdict<()> {
        if context.has(Feature::Locators) {
            match reader.handle.locator() {
                Err(Status::Unsupported) if context.has(Feature::WriterLocators) => {}
                locator => return self.tell(&format!("connect {}", locator?)),
            }
        }
        if !context.has(Feature::WriterLocators) {
            return Ok(());
        }
        self.tell("locate")?;
        let line = self.lines.recv_timeout(self.patience).unwrap_or_default();
        let Some(locator) = line.strip_prefix("locator ") else {
            let why = line.strip_prefix(FAILED).map(|text| format!(": {text}"));
            let why = why.unwrap_or_default();
            return fail(format!("the writer in the second process gave no locator (C36){why}"));
        };
        Ok(reader.handle.connect(locator)?)
    }

    /// Carries a locator between an end here and the server there, in the direction that they have.
    pub fn connect_service(&mut self, own: &dyn ByLocator, theirs: Which) -> Verdict<()> {
        self.tell(&format!("locate-{}", theirs.name()))?;
        let line = self.lines.recv_timeout(self.patience).unwrap_or_default();
        if let Some(why) = line.strip_prefix(FAILED) {
            return fail(format!("in the second process: {why}"));
        }
        match line.strip_prefix("locator ") {
            Some(locator) if !locator.is_empty() => own.connect(locator),
            Some(_) if !own.locator()?.is_empty() => {
                self.tell(&format!("connect-{} {}", theirs.name(), own.locator()?))?;
                self.done()
            }
            Some(_) => Ok(()),
            None => fail("the server in the second process told no locator"),
        }
    }

    pub fn go(&mut self) -> Verdict<()> {
        self.tell("go")
    }

    /// Changes its QoS (C26).
    pub fn set_qos(&mut self, qos: &Qos) -> Verdict<()> {
        let qos = serde_json::to_string(qos).map_err(|e| Stop::Failed(e.to_string()))?;
        self.tell(&format!("set {qos}"))?;
        self.done()
    }

    /// Waits until it has written all, or changed what it was told to.
    pub fn done(&mut self) -> Verdict<()> {
        if let Ok(line) = self.lines.recv_timeout(self.patience) {
            return match line.strip_prefix(FAILED) {
                None => Ok(()),
                Some(why) => fail(format!("in the second process: {why}")),
            };
        }
        self.stdin = None;
        let end = until("its end", self.patience, || match self.child.try_wait() {
            Ok(Some(status)) => Ok(status.to_string()),
            Ok(None) => Err("it still runs".to_owned()),
            Err(error) => Err(error.to_string()),
        });
        let end = end.unwrap_or_else(|stop| stop.to_string());
        fail(format!("the second process has not done what it was told to: {end}"))
    }

    /// Ends it without any goodbye.
    pub fn kill(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Keeps what is open in this process. A middleware may leave its sockets open to children, where
/// connections would outlive the participant that closes them.
fn keep_descriptors() {
    // SAFETY: it sets a flag of descriptors. A kernel without the call changes nothing.
    unsafe { libc::syscall(libc::SYS_close_range, 3, u32::MAX, libc::CLOSE_RANGE_CLOEXEC) };
}

impl Drop for PeerProcess {
    fn drop(&mut self) {
        // Its stdin ends: it closes its endpoints by itself.
        self.stdin = None;
        let gone =
            until("the second process ends", self.patience, || match self.child.try_wait() {
                Ok(Some(_)) => Ok(()),
                Ok(None) => Err("it still runs".to_owned()),
                Err(error) => Err(error.to_string()),
            });
        if gone.is_err() {
            self.kill();
        }
    }
}
