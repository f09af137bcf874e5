//! What the library takes from environment variables and from nowhere else.
//!
//! Interface, further peers and the switch of its telemetry are read from variables of the process.
//! They are set here before the process's first participant, and everything else of the library's that
//! the user's environment holds is taken away, so that no run depends on it. The library remembers the
//! interface for the life of the process: another one is refused.

use std::sync::Mutex;

use busmark_adapter::{Result, Status};

/// What the process has been set to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Environment {
    /// Address of the interface.
    pub interface: String,
    /// Peers, as the library wants them.
    pub peers: String,
}

static CHOSEN: Mutex<Option<Environment>> = Mutex::new(None);

const PREFIX: &str = "HDDS_";

/// Sets the process up for the first time; afterwards it must be the same.
pub fn choose(wanted: Environment) -> Result<()> {
    let mut chosen = CHOSEN.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    match &*chosen {
        Some(now) if *now == wanted => return Ok(()),
        Some(now) => {
            let text = format!(
                "the library has one interface and one list of peers in a process: {} {:?} here, not {} {:?}",
                now.interface, now.peers, wanted.interface, wanted.peers
            );
            return Err(Status::Invalid.error(text));
        }
        None => {}
    }
    let foreign: Vec<_> = std::env::vars_os()
        .map(|(key, _)| key)
        .filter(|key| key.to_string_lossy().starts_with(PREFIX))
        .collect();
    // SAFETY: this comes before the library's first thread. Threads of the process that hosts the
    // adapter may exist; a worker has none that reads or changes its environment.
    #[allow(unsafe_code)]
    unsafe {
        for key in foreign {
            std::env::remove_var(key);
        }
        std::env::set_var("HDDS_INTERFACE", &wanted.interface);
        // The group of user data is joined on the interface of the default route otherwise.
        std::env::set_var("HDDS_MULTICAST_IF", &wanted.interface);
        // Else every process opens a TCP port for figures about itself.
        std::env::set_var("HDDS_EXPORTER_DISABLE", "1");
        if !wanted.peers.is_empty() {
            std::env::set_var("HDDS_SPDP_UNICAST_PEERS", &wanted.peers);
        }
    }
    *chosen = Some(wanted);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_choice_holds_for_the_process() {
        let of =
            |interface: &str| Environment { interface: interface.to_owned(), peers: String::new() };
        choose(of("127.0.0.1")).expect("the first");
        choose(of("127.0.0.1")).expect("the same");
        assert_eq!(choose(of("127.0.0.2")).expect_err("another").status, Status::Invalid);
        assert_eq!(std::env::var("HDDS_INTERFACE").as_deref(), Ok("127.0.0.1"));
    }
}
