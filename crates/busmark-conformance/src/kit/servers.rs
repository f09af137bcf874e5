//! The servers of a test, for middleware that needs one (C29): started when first asked for, so that
//! they are in the test's network namespace, and stopped with the test.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use busmark_adapter::{Feature, Library, ParticipantConfig, ServerHandle};
use tempfile::TempDir;

/// The option by which participants are told the address.
const OPTION: &str = "server";
/// The option by which participants that can do without a server ask for one.
const DISCOVERY: &str = "discovery";

struct Running {
    address: String,
    // Stopped before its directory goes.
    _server: ServerHandle,
    _dir: TempDir,
}

/// Running servers, by transport and by the certificate of a secured one.
#[derive(Default)]
pub(crate) struct Servers(Mutex<BTreeMap<(String, String), Running>>);

impl Servers {
    /// Adds the server's address to the configuration, where the adapter has servers and the user
    /// named none. Without one, the participant's own error tells what is missing.
    pub fn tell(&self, library: &Library, config: &mut ParticipantConfig) {
        let given = config.settings.iter().any(|(key, value)| key == OPTION && !value.is_empty());
        if given || !needs_server(library, config) {
            return;
        }
        let mut running = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let certificate = config.security.as_ref().map(|s| s.certificate.clone());
        let key = (config.transport.clone(), certificate.unwrap_or_default());
        if !running.contains_key(&key)
            && let Some(started) = start(library, config)
        {
            running.insert(key.clone(), started);
        }
        if let Some(server) = running.get(&key) {
            config.settings.push((OPTION.to_owned(), server.address.clone()));
        }
    }
}

/// Always, or only where the option `discovery` says so.
fn needs_server(library: &Library, config: &ParticipantConfig) -> bool {
    let capabilities = library.capabilities();
    let Some(option) = capabilities.options.iter().find(|option| option.key == DISCOVERY) else {
        return capabilities.has(Feature::Server);
    };
    let chosen = config.settings.iter().rev().find(|(key, _)| key == DISCOVERY);
    capabilities.has(Feature::Server) && chosen.map_or(&option.value, |(_, value)| value) == OPTION
}

/// In a directory of its own within the run directory.
fn start(library: &Library, config: &ParticipantConfig) -> Option<Running> {
    let dir = tempfile::Builder::new().prefix("server-").tempdir_in(&config.run_dir).ok()?;
    let run_dir = dir.path().to_string_lossy().into_owned();
    let (server, address) =
        library.server(&ParticipantConfig { run_dir, ..config.clone() }).ok()?;
    Some(Running { address, _server: server, _dir: dir })
}
