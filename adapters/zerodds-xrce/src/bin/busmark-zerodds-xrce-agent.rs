//! The agent of the crate as a program: `busmark-zerodds-xrce-agent udp|tcp ADDRESS:PORT INTERFACE`.

use std::process::ExitCode;
use std::time::Duration;

use busmark_zerodds_xrce::daemon;
use zerodds_xrce_agent::daemon::server;

/// Between two looks at the signals, as in the crate's program.
const PAUSE: Duration = Duration::from_millis(100);

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [transport, address, interface] = &arguments[..] else {
        eprintln!("usage: busmark-zerodds-xrce-agent udp|tcp ADDRESS:PORT INTERFACE");
        return ExitCode::from(1);
    };
    let Ok(interface) = interface.parse() else {
        eprintln!("{interface}: no IPv4 address");
        return ExitCode::from(1);
    };
    let config = daemon::daemon(transport, address);
    let mut agent = match server::start(config, daemon::dds(interface), None) {
        Ok(agent) => agent,
        Err(error) => {
            eprintln!("{error}");
            return ExitCode::from(2);
        }
    };
    if let Err(error) = server::install_signal_watcher(agent.stop_flag(), agent.reload_flag()) {
        eprintln!("signals: {error}");
        return ExitCode::from(2);
    }
    while !agent.stop_requested() {
        std::thread::sleep(PAUSE);
    }
    agent.shutdown();
    ExitCode::SUCCESS
}
