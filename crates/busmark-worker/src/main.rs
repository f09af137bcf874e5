//! The command line of the worker; people use `busmark`, which calls this.
#![forbid(unsafe_code)]

use std::io::{BufRead, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::mpsc;
use std::time::Duration;

use busmark_adapter::Library;
use busmark_worker::interfaces::interfaces;
use busmark_worker::output::Output;
use busmark_worker::protocol::{Failure, Hello, PROTOCOL, Protocol, Reply, Request};
use busmark_worker::session::Session;
use busmark_worker::{counters, limits};
use clap::{Parser, Subcommand};
use serde_json::json;

#[derive(Parser)]
#[command(version, about = "The process of Busmark that measures; driven by `busmark run`")]
struct Arguments {
    #[command(subcommand)]
    task: Task,
}

#[derive(Subcommand)]
enum Task {
    /// Take part in a round: commands on standard input, answers on standard output.
    Participate {
        /// CPUs to run on, such as 0 or 0,1; any by default.
        #[arg(long, value_delimiter = ',')]
        cpu: Vec<usize>,
        /// Run under `SCHED_FIFO` with this priority, 1 to 99.
        #[arg(long)]
        fifo: Option<u8>,
        /// Keep all memory in RAM.
        #[arg(long)]
        lock_memory: bool,
    },
    /// Read the kernel's counters now and then until standard input ends: one line of JSON per reading.
    Counters {
        /// Processes whose threads, networks and control groups are read, such as 123,124.
        #[arg(long, value_delimiter = ',', required = true)]
        pid: Vec<u32>,
        /// Seconds between two readings; more where readings cost too much.
        #[arg(long, default_value_t = 0.25)]
        every: f64,
        /// CPUs to run on, such as 0 or 0,1; any by default.
        #[arg(long, value_delimiter = ',')]
        cpu: Vec<usize>,
    },
    /// Print what an adapter can do, and whether its middleware is usable here, as JSON.
    Describe {
        /// The adapter's library.
        library: PathBuf,
    },
    /// Print the addresses of the network interfaces that are up, as JSON.
    Interfaces,
    /// Print the JSON Schema of the control protocol.
    Schema,
}

fn main() -> ExitCode {
    match run(Arguments::parse().task) {
        Ok(code) => code,
        Err(failure) => {
            eprintln!("busmark-worker: {}", failure.message);
            ExitCode::from(2)
        }
    }
}

fn run(task: Task) -> Result<ExitCode, Failure> {
    // The kernel ends this process when its parent goes, whatever that was doing: also where an
    // adapter hangs while it is loaded.
    let _ = rustix::process::set_parent_process_death_signal(Some(rustix::process::Signal::KILL));
    match task {
        Task::Participate { cpu, fifo, lock_memory } => participate(&cpu, fifo, lock_memory),
        Task::Counters { pid, every, cpu } => counters(&pid, every, &cpu),
        Task::Describe { library } => describe(&library),
        Task::Interfaces => {
            let found = interfaces()?;
            Output::claim().and_then(|mut own| own.line(&found)).map_err(|e| pipe(&e))?;
            Ok(ExitCode::SUCCESS)
        }
        Task::Schema => {
            let schema = schemars::schema_for!(Protocol);
            let text = serde_json::to_string_pretty(&schema).map_err(|e| pipe(&e))?;
            writeln!(std::io::stdout(), "{text}").map_err(|e| pipe(&e))?;
            Ok(ExitCode::SUCCESS)
        }
    }
}

fn pipe(error: &dyn std::fmt::Display) -> Failure {
    Failure::new("protocol", format!("the controller cannot be reached: {error}"))
}

fn open(library: &Path) -> Result<Library, Failure> {
    Ok(Library::open(library)?)
}

fn describe(library: &Path) -> Result<ExitCode, Failure> {
    let mut output = Output::claim().map_err(|e| pipe(&e))?;
    let library = open(library)?;
    let probe = library.probe();
    let text = json!({
        "capabilities": library.capabilities(),
        "available": probe.is_ok(),
        "reason": probe.err().map(|error| error.message),
    });
    output.line(&text).map_err(|e| pipe(&e))?;
    Ok(ExitCode::SUCCESS)
}

fn participate(cpus: &[usize], fifo: Option<u8>, lock_memory: bool) -> Result<ExitCode, Failure> {
    let mut output = Output::claim().map_err(|e| pipe(&e))?;
    if let Err(failure) = apply_limits(cpus, fifo, lock_memory) {
        let reply = Reply::Failed { id: 0, ok: false, error: failure.clone() };
        output.line(&reply).map_err(|e| pipe(&e))?;
        return Err(failure);
    }
    let hello = Hello {
        event: "hello",
        protocol: PROTOCOL,
        version: env!("CARGO_PKG_VERSION"),
        pid: std::process::id(),
    };
    output.line(&hello).map_err(|e| pipe(&e))?;
    let (lines, commands) = mpsc::channel::<String>();
    std::thread::spawn(move || {
        for line in std::io::stdin().lock().lines() {
            let Ok(line) = line else { break };
            if lines.send(line).is_err() {
                return;
            }
        }
        drop(lines);
        // The controller is gone or done. A session at work would not notice: end it here.
        std::thread::sleep(std::time::Duration::from_secs(2));
        std::process::exit(0);
    });
    let mut session = Session::default();
    for line in commands {
        let reply = answer(&mut session, &line, &mut output);
        output.line(&reply).map_err(|e| pipe(&e))?;
    }
    Ok(ExitCode::SUCCESS)
}

fn counters(processes: &[u32], every: f64, cpus: &[usize]) -> Result<ExitCode, Failure> {
    let every = Duration::try_from_secs_f64(every)
        .map_err(|error| Failure::new("invalid", format!("--every {every}: {error}")))?;
    if !cpus.is_empty() {
        limits::pin(cpus)?;
    }
    limits::idle()?;
    counters::watch(processes, every, std::io::stdin(), std::io::stdout()).map_err(|e| pipe(&e))?;
    Ok(ExitCode::SUCCESS)
}

fn apply_limits(cpus: &[usize], fifo: Option<u8>, lock_memory: bool) -> Result<(), Failure> {
    if !cpus.is_empty() {
        limits::pin(cpus)?;
    }
    if lock_memory {
        limits::lock_memory()?;
    }
    fifo.map_or(Ok(()), limits::fifo)
}

fn answer(session: &mut Session, line: &str, output: &mut Output) -> Reply {
    let request: Request = match serde_json::from_str(line) {
        Ok(request) => request,
        Err(error) => {
            let id = serde_json::from_str::<serde_json::Value>(line)
                .ok()
                .and_then(|v| v.get("id")?.as_u64())
                .unwrap_or(0);
            let error = Failure::new("protocol", format!("not a command: {error}"));
            return Reply::Failed { id, ok: false, error };
        }
    };
    let id = request.id;
    match session.execute(request.command, output) {
        Ok(result) => Reply::Done { id, ok: true, result },
        Err(error) => Reply::Failed { id, ok: false, error },
    }
}
