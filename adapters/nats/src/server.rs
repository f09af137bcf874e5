//! The server that a run starts: nats-server with a configuration file of its own.

use busmark_adapter::{ParticipantConfig, Result, Server};
use busmark_server::{Place, Program};

use crate::ffi::INSTALL;
use crate::options::Settings;
use crate::tls;

/// The program.
pub const NATS_SERVER: Program = Program { name: "nats-server", install: INSTALL };

/// Starts it.
pub fn start(config: &ParticipantConfig) -> Result<Server> {
    let settings = Settings::new(config)?;
    let own = config.security.as_deref().map(tls::Server::new).transpose()?;
    let running = NATS_SERVER.start(config, &|place: &Place| {
        let mut text =
            format!("listen: \"{}\"\nmax_payload: {}\n", place.address, settings.max_payload);
        text.extend(own.as_ref().map(tls::Server::configuration));
        Ok(vec!["-c".into(), place.write("nats.conf", &text)?.into()])
    })?;
    let mut address = running.address.to_string();
    if let Some(own) = &own {
        address = tls::Place::text(&address, &own.name);
    }
    Ok(Server { address, guard: Box::new(running) })
}
