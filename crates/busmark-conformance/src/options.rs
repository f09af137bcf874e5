//! What the caller of the suite can choose.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use crate::peer::Peer;

/// How a check is run. The default suits an adapter that works on the loopback interface.
#[derive(Clone, Debug)]
pub struct CheckOptions {
    /// Interface by name, on which all traffic must stay.
    pub interface_name: String,
    /// The same interface by address.
    pub interface_address: String,
    /// Transport of all tests but the one that tries every transport; `None`: the adapter's default.
    pub transport: Option<String>,
    /// "default" or "tuned".
    pub profile: String,
    /// Adapter options that differ from their default, for every participant.
    pub settings: Vec<(String, String)>,
    /// The domain; the next one is used too.
    pub domain: u32,
    /// Where run directories are made (and removed); `None`: the system's temporary directory.
    pub run_dir: Option<PathBuf>,
    /// A value of the user's type as CDR, for libraries that were compiled with one (C30).
    pub body: Option<Arc<[u8]>>,
    /// Only tests whose name contains one of these texts; empty: all.
    pub only: Vec<String>,
    /// How long something that must happen may take before the test gives up on it.
    pub patience: Duration,
    /// How long something that must not happen is waited for.
    pub quiet: Duration,
    /// A test that has not come back by then hangs.
    pub hang: Duration,
    /// How to start a second process; `None`: what needs one is skipped or done in this process.
    pub peer: Option<Peer>,
    /// Number of allocations of the calling thread so far, if the process counts them
    /// (see [`count_allocations!`](crate::count_allocations)); without it that part of C18 is skipped.
    pub allocation_counter: Option<fn() -> u64>,
}

impl Default for CheckOptions {
    fn default() -> Self {
        Self {
            interface_name: "lo".to_owned(),
            interface_address: "127.0.0.1".to_owned(),
            transport: None,
            profile: "default".to_owned(),
            settings: Vec::new(),
            domain: 77,
            run_dir: None,
            body: None,
            only: Vec::new(),
            patience: Duration::from_secs(10),
            quiet: Duration::from_millis(300),
            hang: Duration::from_secs(60),
            peer: None,
            allocation_counter: None,
        }
    }
}
