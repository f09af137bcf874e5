//! The child process and the thread that is its parent.

use std::ffi::OsString;
use std::fs::File;
use std::io;
use std::net::SocketAddr;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::{JoinHandle, sleep};
use std::time::{Duration, Instant};

use busmark_adapter::{Error, Status};
use rustix::process::{Pid, Signal, getppid, kill_process, set_parent_process_death_signal};

use crate::address::Address;
use crate::listening::{self, Port};
use crate::log::last_lines;
use crate::program::Place;

/// How long a server may take until it listens.
const START: Duration = Duration::from_secs(10);
/// How long it may take to end by itself before it is killed.
const END: Duration = Duration::from_secs(3);
/// Between two looks at it.
const PAUSE: Duration = Duration::from_millis(5);

/// A server that listens. Dropping it ends the process and removes its folder.
pub struct Running {
    /// Where it listens.
    pub address: Address,
    /// The number of its process.
    pub process: u32,
    stop: Option<Sender<()>>,
    parent: Option<JoinHandle<()>>,
}

/// Why a server does not run.
pub(crate) enum Ended {
    /// It ended by itself before it listened.
    AtStart(Error),
    /// Anything else.
    Otherwise(Error),
}

impl From<Ended> for Error {
    fn from(ended: Ended) -> Self {
        match ended {
            Ended::AtStart(error) | Ended::Otherwise(error) => error,
        }
    }
}

impl Running {
    /// Starts `program` and waits until it has `port`, or listens at the place's Unix-domain address.
    pub(crate) fn start(
        name: &'static str,
        program: &Path,
        arguments: &[OsString],
        place: Place,
        port: Option<(Port, SocketAddr)>,
    ) -> Result<Self, Ended> {
        let otherwise = |text: String| Ended::Otherwise(Status::Failed.error(text));
        let log = File::create(place.folder.join("log"))
            .map_err(|error| otherwise(format!("the log of {name}: {error}")))?;
        let mut command = Command::new(program);
        command.args(arguments).current_dir(&place.folder).stdin(Stdio::null());
        command.stdout(log.try_clone().map_or_else(|_| Stdio::null(), Stdio::from)).stderr(log);
        end_with_parent(&mut command);
        let address = place.address.clone();
        let (report, started) = channel();
        let (stop, stopped) = channel();
        let parent = std::thread::Builder::new()
            .name(format!("busmark-{name}").chars().take(15).collect())
            .spawn(move || keep(name, &mut command, &place, port, &report, &stopped))
            .map_err(|error| otherwise(format!("a thread for {name}: {error}")))?;
        match started.recv() {
            Ok(Ok(process)) => {
                Ok(Self { address, process, stop: Some(stop), parent: Some(parent) })
            }
            Ok(Err(ended)) => {
                let _ = parent.join();
                Err(ended)
            }
            Err(_) => Err(otherwise(format!("the thread of {name} ended"))),
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        drop(self.stop.take());
        if let Some(parent) = self.parent.take() {
            let _ = parent.join();
        }
    }
}

/// Has the kernel kill the child when its parent thread ends, and leaves it nothing of the parent's.
#[allow(unsafe_code)]
fn end_with_parent(command: &mut Command) {
    let parent = std::process::id();
    let before_exec = move || {
        // Libraries open descriptors that a child inherits: a connection would stay open with it.
        // SAFETY: a system call on numbers. A kernel before 5.11 refuses, and nothing changes.
        unsafe { libc::close_range(3, libc::c_uint::MAX, libc::CLOSE_RANGE_CLOEXEC.cast_signed()) };
        set_parent_process_death_signal(Some(Signal::KILL))?;
        // The parent may have ended before that call.
        let is_orphan = getppid().map(Pid::as_raw_nonzero).map(|pid| pid.get().cast_unsigned());
        if is_orphan == Some(parent) { Ok(()) } else { Err(io::ErrorKind::NotFound.into()) }
    };
    // SAFETY: between fork and exec only system calls are made; nothing is allocated or locked (an
    // error kind needs no memory).
    unsafe {
        command.pre_exec(before_exec);
    }
}

/// The whole life of a server, on the thread that is its parent.
fn keep(
    name: &str,
    command: &mut Command,
    place: &Place,
    port: Option<(Port, SocketAddr)>,
    report: &Sender<Result<u32, Ended>>,
    stopped: &Receiver<()>,
) {
    let mut child = match command.spawn() {
        Ok(child) => child,
        Err(error) => {
            let error = Status::Unavailable.error(format!("{name} does not start: {error}"));
            let _ = report.send(Err(Ended::Otherwise(error)));
            return;
        }
    };
    let outcome = wait_until_it_listens(name, &mut child, place, port);
    let runs = outcome.is_ok();
    let told = report.send(outcome.map(|()| child.id())).is_ok();
    if runs && told {
        // Ends when the sender is dropped.
        let _ = stopped.recv();
    }
    end(&mut child);
}

fn wait_until_it_listens(
    name: &str,
    child: &mut Child,
    place: &Place,
    port: Option<(Port, SocketAddr)>,
) -> Result<(), Ended> {
    let begin = Instant::now();
    let error = |what: String| {
        let said = last_lines(&place.folder.join("log"));
        let said = if said.is_empty() { "nothing".to_owned() } else { said };
        Status::Failed.error(format!("{name} at {}: {what}; it said: {said}", place.address))
    };
    loop {
        if let Ok(Some(status)) = child.try_wait() {
            let error = error(format!("ended at its start ({status})"));
            // Whoever killed it wants it gone.
            let killed = status.signal().is_some();
            return Err(if killed { Ended::Otherwise(error) } else { Ended::AtStart(error) });
        }
        let listens = match (port, &place.address) {
            (Some((port, address)), _) => port.is_held(child.id(), address),
            (None, Address::Unix(path)) => listening::unix(path),
            (None, Address::Tcp { .. }) => false,
        };
        if listens {
            return Ok(());
        }
        if begin.elapsed() > START {
            let what = format!("does not listen after {} s", START.as_secs());
            return Err(Ended::Otherwise(error(what)));
        }
        sleep(PAUSE);
    }
}

/// Asks it to end, then makes it.
fn end(child: &mut Child) {
    if let Some(process) = i32::try_from(child.id()).ok().and_then(Pid::from_raw) {
        let _ = kill_process(process, Signal::TERM);
    }
    let begin = Instant::now();
    while begin.elapsed() < END {
        match child.try_wait() {
            Ok(None) => sleep(PAUSE),
            _ => return,
        }
    }
    let _ = child.kill();
    let _ = child.wait();
}
