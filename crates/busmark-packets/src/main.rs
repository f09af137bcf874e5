//! `busmark-packets`: a capture as a table of packets.

use std::path::PathBuf;
use std::process::ExitCode;
use std::str::FromStr;

use busmark_packets::file::Capture;
use busmark_packets::table::Table;
use busmark_packets::{Options, Reader, Summary};
use clap::Parser;

/// Exit code for what cannot be read or written.
const COULD_NOT: u8 = 2;

/// Reads a capture (pcapng or pcap, also with gzip) and writes a table of its packets.
///
/// A summary is printed as JSON. A fault in the middle of the file ends reading; what comes before it
/// is in the table, and the fault in the summary.
#[derive(Parser)]
#[command(version)]
struct Arguments {
    /// The capture.
    file: PathBuf,
    /// Where the table goes, as Arrow IPC.
    #[arg(long, value_name = "FILE")]
    table: PathBuf,
    /// Recognise only samples of the run with this cookie, in hexadecimal digits.
    #[arg(long, value_name = "HEX", value_parser = cookie)]
    cookie: Option<u64>,
    /// Topics of the run have this in their names.
    #[arg(long, value_name = "TEXT")]
    topic: Option<String>,
    /// A port at which an agent of DDS-XRCE listens; for captures without the beginning of sessions.
    #[arg(long = "agent-port", value_name = "PORT")]
    agent_ports: Vec<u16>,
    /// How many bytes header and body of all samples of a writer have.
    #[arg(long, value_name = "WRITER:BYTES", value_parser = pair::<u32, usize>)]
    sample_bytes: Vec<(u32, usize)>,
    /// Count costs between these times apart, in nanoseconds since the epoch.
    #[arg(long, value_name = "BEGIN:END", value_parser = pair::<i64, i64>)]
    window: Option<(i64, i64)>,
    /// Only rows that carry samples or say what has arrived go to the table.
    #[arg(long)]
    samples_only: bool,
    /// Put the last whole sample of each writer of RTPS into the summary.
    #[arg(long)]
    contents: bool,
}

fn pair<A: FromStr, B: FromStr>(text: &str) -> Result<(A, B), String> {
    let both = text.split_once(':').and_then(|(a, b)| Some((a.parse().ok()?, b.parse().ok()?)));
    both.ok_or_else(|| "two numbers with a colon between them are needed".to_owned())
}

fn cookie(text: &str) -> Result<u64, String> {
    u64::from_str_radix(text.trim_start_matches("0x"), 16).map_err(|error| error.to_string())
}

fn main() -> ExitCode {
    match run(Arguments::parse()) {
        Ok(summary) => {
            println!("{summary}");
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("busmark-packets: {error}");
            ExitCode::from(COULD_NOT)
        }
    }
}

fn run(arguments: Arguments) -> Result<String, String> {
    let name = arguments.file.display().to_string();
    let options = Options {
        cookie: arguments.cookie,
        topic: arguments.topic.filter(|topic| !topic.is_empty()),
        agent_ports: arguments.agent_ports,
        sample_bytes: arguments.sample_bytes.into_iter().collect(),
        window: arguments.window,
        samples_only: arguments.samples_only,
        contents: arguments.contents,
        sorted: false,
    };
    let read = |options: Options| -> Result<Summary, String> {
        let mut capture =
            Capture::open(&arguments.file).map_err(|fault| format!("{name}: {fault}"))?;
        let written = |error| format!("{}: {error}", arguments.table.display());
        let table = Table::create(&arguments.table).map_err(written)?;
        let (summary, table) = Reader::new(options, table).read(&mut capture, Table::has_failed);
        table.close().map_err(written)?;
        Ok(summary)
    };
    let mut summary = read(options.clone())?;
    if summary.noticed.earlier_packets > 0 {
        // What is a repetition, and which bytes of a stream follow which, depends on the order.
        let noticed = summary.noticed;
        summary = read(Options { sorted: true, ..options })?;
        summary.noticed.earlier_packets = noticed.earlier_packets;
        summary.noticed.earlier_by_ns = noticed.earlier_by_ns;
    }
    serde_json::to_string(&summary).map_err(|error| error.to_string())
}
