//! The command line of the program on the bus; people use `busmark bus`, which calls this.
#![forbid(unsafe_code)]

use std::io::{BufReader, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use busmark_adapter::{Library, ParticipantConfig, ParticipantHandle};
use busmark_bus::message::Message;
use busmark_bus::{Caller, Hears, Member, Name};
use busmark_worker::output::Output;
use busmark_worker::platform::{self, limits};
use busmark_worker::protocol::Failure;
use clap::{Parser, Subcommand};

#[derive(Parser)]
#[command(version, about = "A process of Busmark on a bus; driven by `busmark bus`")]
struct Arguments {
    #[command(subcommand)]
    task: Task,
}

#[derive(Subcommand)]
enum Task {
    /// Join the bus as a participant that is driven through the middleware; goes when standard input ends.
    Member {
        #[command(flatten)]
        bus: Bus,
        /// Number of the application, which nobody else on the bus has.
        #[arg(long)]
        app: u32,
        /// Number of its group.
        #[arg(long)]
        group: Option<u32>,
        /// CPUs to run on, such as 0 or 0,1; any by default.
        #[arg(long, value_delimiter = ',')]
        cpu: Vec<usize>,
        /// Run under `SCHED_FIFO` with this priority, 1 to 99: the middleware's threads too.
        #[arg(long)]
        fifo: Option<u8>,
    },
    /// Give orders on the bus: lines of JSON on standard input; messages go to standard output.
    Call {
        #[command(flatten)]
        bus: Bus,
        /// Hear live figures too.
        #[arg(long, conflicts_with = "record")]
        live: bool,
        /// Hear everything, orders of others too: each message a line with its topic and time.
        #[arg(long)]
        record: bool,
    },
    /// Print the JSON Schema of the messages on the bus.
    Schema,
}

/// How to attach to the middleware of the bus.
#[derive(clap::Args)]
struct Bus {
    /// The adapter's library.
    library: PathBuf,
    /// The participant's configuration, as JSON.
    #[arg(long)]
    config: String,
}

impl Bus {
    fn attach(&self) -> Result<(ParticipantHandle, ParticipantConfig), Failure> {
        let config: ParticipantConfig = serde_json::from_str(&self.config)
            .map_err(|error| Failure::new("invalid", format!("--config: {error}")))?;
        let library = Library::open(&self.library)?;
        library.probe()?;
        Ok((library.participant(&config)?, config))
    }
}

fn main() -> ExitCode {
    match run(Arguments::parse().task) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("busmark-bus: {}", failure.message);
            ExitCode::from(2)
        }
    }
}

fn run(task: Task) -> Result<(), Failure> {
    platform::end_with_parent();
    match task {
        Task::Member { bus, app, group, cpu, fifo } => {
            let output = Output::claim().map_err(Failure::unreachable)?;
            limits::apply(&cpu, fifo, false)?;
            let name = Name { app, group };
            name.check()?;
            let (participant, config) = bus.attach()?;
            let member = Member::join(name, participant, config, output)?;
            member.until(BufReader::new(std::io::stdin()));
            member.work();
            Ok(())
        }
        Task::Call { bus, live, record } => {
            let output = Output::claim().map_err(Failure::unreachable)?;
            let (participant, _) = bus.attach()?;
            let hears = match (live, record) {
                (_, true) => Hears::Everything,
                (true, _) => Hears::Live,
                _ => Hears::News,
            };
            let caller = Caller::join(participant, hears, output)?;
            caller.work(BufReader::new(std::io::stdin())).map_err(Failure::unreachable)
        }
        Task::Schema => {
            let schema = schemars::schema_for!(Message);
            let text = serde_json::to_string_pretty(&schema).map_err(Failure::unreachable)?;
            writeln!(std::io::stdout(), "{text}").map_err(Failure::unreachable)
        }
    }
}
