//! A process of the suite as the supervisor watches it: how long, how much memory, how it ended.

use std::fs::{File, read_to_string};
use std::io;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use crate::child::Place;
use crate::kit::process::children;
use crate::raw::calls::{LastCall, make_page, read_page};
use crate::raw::system;

/// A test that uses more memory is ended.
const MEMORY: u64 = 2 << 30;
/// What a process may map for its data; beyond [`MEMORY`], which is seen first where it is used.
const DATA: u64 = 4 << 30;
/// Between two looks at a test that takes longer.
const LOOK: Duration = Duration::from_millis(10);
/// A test that ends within this time is noticed at once.
const SOON: Duration = Duration::from_millis(100);
/// What a test has started may take so long to go.
const FAREWELL: Duration = Duration::from_secs(2);

/// How a process ended that should have given an answer.
pub(crate) enum Ended {
    /// By itself.
    Exit(ExitStatus),
    /// It was ended, for it would not come back: what it was doing.
    Hung(String),
    /// It was ended, for it used too much memory.
    Greedy,
}

/// A running process, in a group of its own.
pub(crate) struct Watched<'a> {
    child: Child,
    place: &'a Place,
}

impl<'a> Watched<'a> {
    /// Starts it with everything it prints in a file.
    pub fn start(command: &mut Command, place: &'a Place) -> io::Result<Self> {
        std::fs::create_dir(place.run_dir())?;
        std::fs::create_dir(place.elsewhere())?;
        make_page(&place.calls())?;
        let elsewhere = place.elsewhere();
        command
            .stdin(Stdio::null())
            .stdout(File::options().append(true).create_new(true).open(place.stdout())?)
            .current_dir(&elsewhere)
            .env("HOME", &elsewhere)
            .env("TMPDIR", &elsewhere)
            .process_group(0);
        system::limit_data(command, DATA);
        Ok(Self { child: command.spawn()?, place })
    }

    /// Until it ends, or is ended.
    pub fn wait(mut self, limit: Duration) -> io::Result<Ended> {
        let begin = Instant::now();
        loop {
            if let Some(status) = self.child.try_wait()? {
                return Ok(Ended::Exit(status));
            }
            let process = self.child.id();
            if begin.elapsed() >= limit {
                return Ok(Ended::Hung(doing(self.place, process)));
            }
            if resident(process) > MEMORY {
                return Ok(Ended::Greedy);
            }
            let soon = begin.elapsed() < SOON;
            std::thread::sleep(if soon { LOOK / 10 } else { LOOK });
        }
    }
}

impl Drop for Watched<'_> {
    fn drop(&mut self) {
        // One that has ended by itself leaves what it started to `end_strays`, which tells of it.
        if !matches!(self.child.try_wait(), Ok(Some(_))) {
            system::kill_group(self.child.id());
            let _ = self.child.wait();
        }
    }
}

/// Ends what a test has left behind, daemons included; the commands of those that did not go by
/// themselves.
pub(crate) fn end_strays() -> Vec<String> {
    let begin = Instant::now();
    let mut strays = children();
    while !strays.is_empty() && begin.elapsed() < FAREWELL {
        system::reap();
        std::thread::sleep(LOOK);
        strays = children();
    }
    let named = strays.iter().map(|process| command(*process)).collect();
    while !strays.is_empty() {
        for process in &strays {
            system::kill(*process);
        }
        std::thread::sleep(LOOK);
        system::reap();
        // A stray's own children are handed over when it ends.
        strays = children();
    }
    named
}

fn command(process: u32) -> String {
    let words = std::fs::read(format!("/proc/{process}/cmdline")).unwrap_or_default();
    let text = String::from_utf8_lossy(&words).replace('\0', " ");
    text.trim().chars().take(120).collect()
}

fn resident(process: u32) -> u64 {
    let table = read_to_string(format!("/proc/{process}/statm")).unwrap_or_default();
    let pages: u64 = table.split(' ').nth(1).and_then(|n| n.parse().ok()).unwrap_or(0);
    pages * system::page_bytes()
}

/// The calls that a living process is in, and what their threads do.
fn doing(place: &Place, process: u32) -> String {
    let calls = read_page(&place.calls());
    let state = |call: &LastCall| {
        let folder = format!("/proc/{process}/task/{}", call.thread);
        let stat = read_to_string(format!("{folder}/stat")).unwrap_or_default();
        let letter = stat.rsplit(')').next().and_then(|rest| rest.trim().chars().next());
        let place = read_to_string(format!("{folder}/wchan")).unwrap_or_default();
        match letter {
            Some('R') => " (its thread runs)".to_owned(),
            Some(_) if !matches!(&*place, "" | "0") => format!(" (its thread sleeps in {place})"),
            _ => " (its thread sleeps)".to_owned(),
        }
    };
    told(&calls, state)
}

/// The calls that a process that has died was in.
pub(crate) fn last_calls(place: &Path) -> String {
    told(&read_page(place), |_| String::new())
}

fn told(calls: &[LastCall], more: impl Fn(&LastCall) -> String) -> String {
    let name = |call: &LastCall| format!("{}(){}", call.entry, more(call));
    let open: Vec<String> = calls.iter().filter(|c| c.under_way).take(3).map(name).collect();
    match (open.as_slice(), calls.first()) {
        ([], None) => "no entry of the table had been called".to_owned(),
        ([], Some(last)) => format!("no call was under way; the last was {}()", last.entry),
        ([first], _) => format!("{first} had not returned"),
        ([first, rest @ ..], _) => {
            format!("{first} had not returned; also under way: {}", rest.join(", "))
        }
    }
}

/// "killed by SIGSEGV", "ended with exit code 0".
pub(crate) fn end_of(status: ExitStatus) -> String {
    match (status.signal(), status.code()) {
        (Some(signal), _) => format!("killed by {}", system::signal_name(signal)),
        (None, code) => format!("ended with exit code {}", code.unwrap_or(-1)),
    }
}
