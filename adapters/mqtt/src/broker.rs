//! The broker that a run starts: mosquitto with a configuration file of its own.

use std::fmt::Write as _;

use busmark_adapter::{ParticipantConfig, Result, Security, Server};
use busmark_server::{Address, Place, Program};
use busmark_tls::Identity;

use crate::ffi::INSTALL;
use crate::options::Settings;

/// The transport over a Unix-domain socket.
pub const UNIX: &str = "unix";

/// The program.
pub const MOSQUITTO: Program = Program { name: "mosquitto", install: INSTALL };

/// Starts it.
pub fn start(config: &ParticipantConfig) -> Result<Server> {
    let settings = Settings::new(config)?;
    let tls = config.security.as_deref().map(tls).transpose()?.unwrap_or_default();
    let arguments = |place: &Place| {
        let file =
            place.write("mosquitto.conf", &configuration(&settings, &place.address, &tls))?;
        Ok(vec!["-c".into(), file.into()])
    };
    let running = if config.transport == UNIX {
        MOSQUITTO.start_on_unix_socket(config, &arguments)?
    } else {
        MOSQUITTO.start(config, &arguments)?
    };
    Ok(Server { address: running.address.to_string(), guard: Box::new(running) })
}

/// The listener admits whoever has a certificate that the CA has signed.
fn tls(security: &Security) -> Result<String> {
    Identity::of_server(security, MOSQUITTO.name)?;
    Ok(format!(
        "cafile {}\ncertfile {}\nkeyfile {}\nrequire_certificate true\ntls_version tlsv1.3\n",
        security.identity_ca, security.certificate, security.private_key
    ))
}

/// What differs from the defaults, and what must be certain.
fn configuration(settings: &Settings, address: &Address, tls: &str) -> String {
    let mut text = match address {
        Address::Tcp { host, port } => format!("listener {port} {host}\n"),
        Address::Unix(path) => format!("listener 0 {}\n", path.display()),
    };
    let _ = write!(
        text,
        "{tls}allow_anonymous true\n\
         persistence false\n\
         log_dest stderr\n\
         connection_messages false\n\
         set_tcp_nodelay {}\n\
         max_inflight_messages {}\n\
         max_queued_messages {}\n",
        settings.nodelay, settings.max_inflight, settings.max_queued_messages
    );
    if rustix::process::geteuid().is_root() {
        // It would become another user, and the kernel would forget whose death ends it.
        text.push_str("user root\n");
    }
    text
}
