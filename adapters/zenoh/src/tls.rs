//! The security profile `tls`: links over TLS 1.3 with both sides authenticated, by a participant's
//! documents.
//!
//! Names are not compared: an identity has a participant's. Zenoh gets what was read and checked, never
//! the files, so that a key may be encrypted.

use std::net::IpAddr;
use std::sync::Once;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use busmark_adapter::{ParticipantConfig, Result, Security, Status};
use busmark_tls::Identity;
use zenoh::internal::runtime::ZRuntime;

/// Locators of secured sessions begin so.
pub const PROTOCOL: &str = "tls";
/// Keys of zenoh's configuration begin so.
const KEY: &str = "transport/link/tls";

/// The variable from which zenoh takes its threads.
const THREADS: &str = "ZENOH_RUNTIME";
/// Receives on the thread that sends.
const ONE_THREAD: &str = "(rx: (handover: tx))";

/// The documents, ready for zenoh's configuration.
pub struct Documents {
    identity: Identity,
    authority: Vec<u8>,
}

impl Documents {
    /// Reads and checks them, where the participant has any.
    pub fn read(config: &ParticipantConfig) -> Result<Option<Self>> {
        let Some(security) = config.security.as_deref() else { return Ok(None) };
        possible(config)?;
        one_thread()?;
        let identity = Identity::read(security)?;
        Ok(Some(Self { identity, authority: authority(security)? }))
    }

    /// Keys and values in JSON.
    pub fn values(&self) -> Vec<(String, String)> {
        let text = |bytes: &[u8]| format!("\"{}\"", STANDARD.encode(bytes));
        let certificates = text(self.identity.certificates_pem().as_bytes());
        let private_key = text(self.identity.private_key_pem().as_bytes());
        let mut values = vec![
            ("root_ca_certificate_base64", text(&self.authority)),
            ("enable_mtls", "true".to_owned()),
            ("verify_name_on_connect", "false".to_owned()),
        ];
        for (certificate, key) in [
            ("listen_certificate_base64", "listen_private_key_base64"),
            ("connect_certificate_base64", "connect_private_key_base64"),
        ] {
            values.push((certificate, certificates.clone()));
            values.push((key, private_key.clone()));
        }
        values.into_iter().map(|(key, value)| (format!("{KEY}/{key}"), value)).collect()
    }
}

/// Zenoh has TLS over TCP, and takes the address in a locator for a name, which one of IPv6 is not.
fn possible(config: &ParticipantConfig) -> Result<()> {
    if config.transport == "unix" {
        let text = "zenoh has TLS over TCP only: choose transport tcp";
        return Err(Status::Unsupported.error(text));
    }
    if let IpAddr::V6(address) = config.interface()? {
        let text = format!("zenoh 1.10 cannot connect to an IPv6 address ({address}) by TLS");
        return Err(Status::Unsupported.error(text));
    }
    Ok(())
}

/// Has zenoh send and receive on one thread, in all of this process.
///
/// Zenoh 1.10 reads from a connection of TLS and writes to it on two threads at once, which its library
/// of TLS does not allow (zenoh's issue 2557): connections break, and processes die.
fn one_thread() -> Result<()> {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        if std::env::var_os(THREADS).is_none() {
            // SAFETY: participants are made while a process is set up, which nothing in it that reads
            // the environment runs beside; zenoh reads it when its threads begin.
            unsafe { std::env::set_var(THREADS, ONE_THREAD) };
        }
    });
    if ZRuntime::RX.id() == ZRuntime::TX.id() && ZRuntime::TX.metrics().num_workers() == 1 {
        return Ok(());
    }
    let text = format!(
        "zenoh 1.10 must not send and receive by TLS on different threads (its issue 2557), and this \
         process has begun so: start it with {THREADS}='{ONE_THREAD}', or without {THREADS}, and with \
         no plain session before the first secured one"
    );
    Err(Status::Unsupported.error(text))
}

fn authority(security: &Security) -> Result<Vec<u8>> {
    let path = &security.identity_ca;
    std::fs::read(path).map_err(|error| Status::Invalid.error(format!("{path}: {error}")))
}
