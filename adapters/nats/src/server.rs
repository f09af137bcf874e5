//! The server that a run starts: nats-server with a configuration file of its own.

use busmark_adapter::{ParticipantConfig, Result, Server};
use busmark_server::{Place, Program};

use crate::ffi::INSTALL;
use crate::options::Settings;

/// The program.
pub const NATS_SERVER: Program = Program { name: "nats-server", install: INSTALL };

/// Starts it.
pub fn start(config: &ParticipantConfig) -> Result<Server> {
    let settings = Settings::new(config)?;
    let running = NATS_SERVER.start(config, &|place: &Place| {
        let text =
            format!("listen: \"{}\"\nmax_payload: {}\n", place.address, settings.max_payload);
        Ok(vec!["-c".into(), place.write("nats.conf", &text)?.into()])
    })?;
    Ok(Server { address: running.address.to_string(), guard: Box::new(running) })
}
