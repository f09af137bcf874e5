//! A server's life, with programs that every system has.

use std::ffi::OsString;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use busmark_adapter::testing::{RunDir, eventually};
use busmark_adapter::{ParticipantConfig, Result, Status};
use busmark_server::{Place, Program};

/// A server in ten lines: it listens where requested and ends by a signal.
const LISTENER: &str = "
import socket, sys, time
host, port = sys.argv[1].rsplit(':', 1)
server = socket.socket()
server.bind((host, int(port)))
server.listen()
print('listening', flush=True)
time.sleep(600)
";
/// Notes that it was started: its folder is one of its own, the run's is above.
const NOTED: &str = "
import os, signal
with open('../starts', 'a') as starts:
    print(file=starts)
";
const PYTHON: Program = Program { name: "python3", install: "apt-get install python3" };
const CHILD: &str = "BUSMARK_TEST_RUN_DIR";

fn config(run_dir: &Path) -> ParticipantConfig {
    ParticipantConfig {
        interface_address: "127.0.0.1".into(),
        run_dir: run_dir.display().to_string(),
        ..ParticipantConfig::default()
    }
}

fn python(script: &'static str) -> impl Fn(&Place) -> Result<Vec<OsString>> {
    move |place| {
        let file = place.write("server.py", script)?;
        Ok(vec![file.into(), place.address.to_string().into()])
    }
}

fn exists(process: u32) -> bool {
    // A zombie has no command line.
    std::fs::read(format!("/proc/{process}/cmdline")).is_ok_and(|line| !line.is_empty())
}

#[test]
fn a_server_listens_and_is_gone_with_its_files_when_dropped() {
    let run_dir = RunDir::new();
    let start = || PYTHON.start(&config(&run_dir.0), &python(LISTENER)).expect("a server");
    let (one, other) = (start(), start());
    assert_ne!(one.address, other.address);
    let process = one.process;
    assert!(exists(process));
    drop((one, other));
    assert!(!exists(process));
    assert_eq!(run_dir.files(), 0);
}

#[test]
fn a_server_that_ends_at_its_start_is_told_with_what_it_said() {
    let run_dir = RunDir::new();
    let script = "import sys; sys.exit('the moon is full')";
    let error = PYTHON.start(&config(&run_dir.0), &python(script)).err().expect("an error");
    assert_eq!(error.status, Status::Failed);
    assert!(error.message.contains("the moon is full"), "{error}");
    assert_eq!(run_dir.files(), 0);
}

/// How often servers were started in this folder.
fn starts(run_dir: &Path) -> usize {
    std::fs::read_to_string(run_dir.join("starts")).expect("noted").lines().count()
}

#[test]
fn a_server_that_ends_at_its_start_is_started_at_another_port() {
    let run_dir = RunDir::new();
    let once = "
if sum(1 for line in open('../starts')) == 1:
    raise SystemExit('somebody listens there')
";
    let script = format!("{NOTED}{once}{LISTENER}").leak();
    let server = PYTHON.start(&config(&run_dir.0), &python(script)).expect("a server");
    assert!(exists(server.process));
    assert_eq!(starts(&run_dir.0), 2);
}

#[test]
fn a_server_that_was_killed_at_its_start_is_not_started_again() {
    let run_dir = RunDir::new();
    let script = format!("{NOTED}os.kill(os.getpid(), signal.SIGKILL)").leak();
    let error = PYTHON.start(&config(&run_dir.0), &python(script)).err().expect("an error");
    assert!(error.message.contains("SIGKILL"), "{error}");
    assert_eq!(starts(&run_dir.0), 1);
}

#[test]
fn a_program_that_is_missing_is_told_with_the_remedy() {
    let run_dir = RunDir::new();
    let missing = Program { name: "no-such-server", install: "apt-get install luck" };
    let error = missing.start(&config(&run_dir.0), &python("")).err().expect("an error");
    assert_eq!(error.status, Status::Unavailable);
    assert!(error.message.contains("apt-get install luck"), "{error}");
}

/// What the second process of the next test does: it starts a server and waits to be killed.
#[test]
fn as_a_second_process() {
    let Ok(run_dir) = std::env::var(CHILD) else { return };
    let server = PYTHON.start(&config(Path::new(&run_dir)), &python(LISTENER)).expect("a server");
    std::fs::write(Path::new(&run_dir).join("process"), server.process.to_string())
        .expect("written");
    std::thread::sleep(Duration::from_secs(60));
}

#[test]
fn a_server_ends_with_a_parent_that_was_killed() {
    let run_dir = RunDir::new();
    let mut parent = Command::new(std::env::current_exe().expect("a path"))
        .args(["as_a_second_process", "--exact", "--nocapture"])
        .env(CHILD, &run_dir.0)
        .stdout(Stdio::null())
        .spawn()
        .expect("a second process");
    let file = run_dir.0.join("process");
    eventually("the server's number", || {
        std::fs::read_to_string(&file).is_ok_and(|text| !text.is_empty())
    });
    let process: u32 = std::fs::read_to_string(&file).expect("read").parse().expect("a number");
    assert!(exists(process));
    parent.kill().expect("killed");
    parent.wait().expect("waited for");
    eventually("the server is gone", || !exists(process));
}
