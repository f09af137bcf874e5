//! The command line of the worker; people use `busmark`, which calls this.
#![forbid(unsafe_code)]

use std::io::{BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use busmark_adapter::Library;
use busmark_worker::carrier::Lines;
use busmark_worker::desk::Desk;
use busmark_worker::output::Output;
use busmark_worker::platform::interfaces::interfaces;
use busmark_worker::platform::{self, counters, limits};
use busmark_worker::protocol::{Failure, Hello, PROTOCOL, Protocol, Reply};
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
    /// Read the kernel's counters now and then, and whenever something comes on standard input, until that
    /// ends: one line of JSON per reading.
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
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("busmark-worker: {}", failure.message);
            ExitCode::from(2)
        }
    }
}

fn run(task: Task) -> Result<(), Failure> {
    platform::end_with_parent();
    match task {
        Task::Participate { cpu, fifo, lock_memory } => participate(&cpu, fifo, lock_memory),
        Task::Counters { pid, every, cpu } => counters(&pid, every, &cpu),
        Task::Describe { library } => describe(&library),
        Task::Interfaces => {
            let found = interfaces()?;
            Output::claim().and_then(|own| own.line(&found)).map_err(Failure::unreachable)?;
            Ok(())
        }
        Task::Schema => {
            let schema = schemars::schema_for!(Protocol);
            let text = serde_json::to_string_pretty(&schema).map_err(Failure::unreachable)?;
            writeln!(std::io::stdout(), "{text}").map_err(Failure::unreachable)?;
            Ok(())
        }
    }
}

fn describe(library: &Path) -> Result<(), Failure> {
    let output = Output::claim().map_err(Failure::unreachable)?;
    let library = Library::open(library)?;
    let probe = library.probe();
    let text = json!({
        "capabilities": library.capabilities(),
        "available": probe.is_ok(),
        "reason": probe.err().map(|error| error.message),
    });
    output.line(&text).map_err(Failure::unreachable)?;
    Ok(())
}

fn participate(cpus: &[usize], fifo: Option<u8>, lock_memory: bool) -> Result<(), Failure> {
    let output = Output::claim().map_err(Failure::unreachable)?;
    if let Err(failure) = limits::apply(cpus, fifo, lock_memory) {
        // Why it cannot begin is the first line for the controller.
        let reply = Reply::Failed { id: 0, ok: false, error: failure.clone() };
        output.line(&reply).map_err(Failure::unreachable)?;
        return Err(failure);
    }
    let hello = Hello {
        event: "hello",
        protocol: PROTOCOL,
        version: env!("CARGO_PKG_VERSION"),
        pid: std::process::id(),
    };
    output.line(&hello).map_err(Failure::unreachable)?;
    let mut desk = Desk::new(|| {
        // The controller is gone or done. A session at work would not notice: end it here.
        std::thread::sleep(Duration::from_secs(2));
        std::process::exit(0);
    });
    desk.listen(Lines(BufReader::new(std::io::stdin())), output);
    desk.work().map_err(Failure::unreachable)?;
    Ok(())
}

fn counters(processes: &[u32], every: f64, cpus: &[usize]) -> Result<(), Failure> {
    let every = Duration::try_from_secs_f64(every)
        .map_err(|error| Failure::new("invalid", format!("--every {every}: {error}")))?;
    if !cpus.is_empty() {
        limits::pin(cpus)?;
    }
    let watch =
        counters::Watch::begin(processes, std::io::stdout()).map_err(Failure::unreachable)?;
    // Not before: nothing is measured yet, and the first reading must not wait for an idle CPU.
    limits::idle()?;
    watch.until_end(std::io::stdin(), every).map_err(Failure::unreachable)?;
    Ok(())
}
