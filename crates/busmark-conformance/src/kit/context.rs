//! What a test knows of the adapter and of its own place.

use std::hash::BuildHasher as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use busmark_adapter::abi::CapabilitiesC;
use busmark_adapter::{
    CapabilityReport, Disclosure, EndpointConfig, Feature, Library, ParticipantConfig,
    ParticipantHandle, Payload, Qos, QosValue, Security, Wait,
};

use super::servers::Servers;
use super::verdict::{Verdict, fail, skip};
use crate::options::CheckOptions;
use crate::raw;

/// Bodies of tests that are not about size.
pub(crate) const BODY: u64 = 64;

/// The process before the library was loaded, and what it prints.
pub(crate) struct Process {
    pub handlers: Vec<(i32, usize)>,
    stdout: PathBuf,
}

impl Process {
    /// Standard output goes to this file.
    pub fn now(stdout: &Path) -> std::io::Result<Self> {
        let handlers = raw::system::signal_handlers();
        Ok(Self { handlers, stdout: stdout.canonicalize()? })
    }

    /// All that has been printed on standard output.
    pub fn printed(&self) -> std::io::Result<Vec<u8>> {
        raw::system::flush_stdio();
        std::fs::read(&self.stdout)
    }
}

pub(crate) struct Context {
    pub process: Arc<Process>,
    pub library: Library,
    pub caps: CapabilityReport,
    pub options: CheckOptions,
    pub run_dir: PathBuf,
    prefix: String,
    run: u32,
    topics: AtomicU32,
    servers: Servers,
}

impl Context {
    pub fn new(
        process: &Arc<Process>,
        test: &str,
        library: &Library,
        options: &CheckOptions,
        run_dir: &Path,
    ) -> Self {
        Self {
            process: Arc::clone(process),
            library: library.clone(),
            caps: library.capabilities().clone(),
            options: options.clone(),
            run_dir: run_dir.to_owned(),
            // Long enough to be unique, short enough for any middleware's limit.
            prefix: test.chars().take(24).collect(),
            run: std::hash::RandomState::new().hash_one(test) as u32,
            topics: AtomicU32::new(0),
            servers: Servers::default(),
        }
    }

    /// Samples that a test sends: `count`, or fewer where that would take minutes.
    pub fn samples(&self, count: u64) -> u64 {
        if self.caps.discloses(Disclosure::Slow) { count / 20 } else { count }
    }

    /// How long what must happen may take.
    pub fn patience(&self) -> Duration {
        self.options.patience
    }

    /// A topic that no other call gives, nor another suite, in another container of this network.
    pub fn topic(&self) -> String {
        let n = self.topics.fetch_add(1, Ordering::Relaxed);
        format!("busmark_{}_{:08x}_{n}", self.prefix, self.run)
    }

    pub fn has(&self, feature: Feature) -> bool {
        self.caps.has(feature)
    }

    pub fn honours(&self, value: QosValue) -> bool {
        self.caps.qos.contains(&value)
    }

    /// Skips the test unless the QoS value is declared.
    pub fn need_qos(&self, value: QosValue) -> Verdict<()> {
        if self.honours(value) {
            return Ok(());
        }
        skip(format!("does not declare the QoS {}", word(&value)))
    }

    /// Whether the worker connects endpoints by locators, in either direction.
    pub fn has_locators(&self) -> bool {
        self.has(Feature::Locators) || self.has(Feature::WriterLocators)
    }

    /// Skips the test unless the feature is declared.
    pub fn need(&self, feature: Feature) -> Verdict<()> {
        if self.has(feature) {
            return Ok(());
        }
        skip(format!("does not declare the feature {}", word(&feature)))
    }

    /// What was seen is against a clause: skipped where the adapter discloses it, else failed with what
    /// to do.
    pub fn against(&self, disclosure: Disclosure, seen: &str, remedy: &str) -> Verdict {
        let name = format!("BUSMARK_DISCLOSE_{}", word(&disclosure).to_uppercase());
        if self.caps.discloses(disclosure) {
            return skip(format!("{seen}; {name} discloses it"));
        }
        if !self.can_disclose() {
            return skip(format!(
                "{seen}; the library's header had no disclosures yet: build it with today's"
            ));
        }
        fail(format!("{seen}; {remedy}, or, where the middleware cannot, declare {name}"))
    }

    /// Whether the header that the library was compiled with knows disclosures.
    fn can_disclose(&self) -> bool {
        self.declares_up_to(std::mem::offset_of!(CapabilitiesC, disclosures) + size_of::<u64>())
    }

    /// Whether that header knows security profiles.
    pub fn knows_security(&self) -> bool {
        let size = size_of::<*const std::ffi::c_void>();
        self.declares_up_to(std::mem::offset_of!(CapabilitiesC, security) + size)
    }

    /// Whether the library's capabilities are so long, in bytes.
    fn declares_up_to(&self, end: usize) -> bool {
        let raw = raw::RawTable::of(&self.library).ok();
        raw.and_then(|raw| raw.capabilities().map(|c| c.struct_size as usize >= end))
            .unwrap_or(true)
    }

    /// Skips the test unless the wait strategy is declared.
    pub fn need_wait(&self, wait: Wait) -> Verdict<()> {
        if self.caps.waits.contains(&wait) {
            return Ok(());
        }
        skip(format!("does not declare the wait strategy {}", word(&wait)))
    }

    /// A strategy by which a reader can leave samples lying and take them later.
    pub fn late_wait(&self) -> Verdict<Wait> {
        match [Wait::Poll, Wait::Waitset].into_iter().find(|w| self.caps.waits.contains(w)) {
            Some(wait) => Ok(wait),
            None => skip("a reader that takes late needs waitset or poll, which are not declared"),
        }
    }

    /// The configuration of a participant in the domain `offset` after the suite's own.
    pub fn participant_config(&self, offset: u32) -> ParticipantConfig {
        let mut config = self.bare_participant_config(offset);
        self.servers.tell(&self.library, &mut config);
        config
    }

    /// The same over another transport.
    pub fn participant_config_over(&self, transport: &str) -> ParticipantConfig {
        let mut config = self.bare_participant_config(0);
        transport.clone_into(&mut config.transport);
        self.servers.tell(&self.library, &mut config);
        config
    }

    /// The same with an identity; a server, where the middleware needs one, has one of its own.
    pub fn secured_config(&self, server: &Security, own: &Security) -> ParticipantConfig {
        let mut config = self.bare_participant_config(0);
        config.security = Some(Box::new(server.clone()));
        self.servers.tell(&self.library, &mut config);
        config.security = Some(Box::new(own.clone()));
        config
    }

    /// Starts the server, if the middleware needs one: it must not look like something left behind.
    pub fn serve(&self) {
        let _ = self.participant_config(0);
    }

    /// Without the address of a server.
    pub fn bare_participant_config(&self, offset: u32) -> ParticipantConfig {
        let first = self.caps.transports.first().cloned().unwrap_or_default();
        ParticipantConfig {
            domain: self.options.domain + offset,
            interface_name: self.options.interface_name.clone(),
            interface_address: self.options.interface_address.clone(),
            transport: self.options.transport.clone().unwrap_or(first),
            profile: self.options.profile.clone(),
            run_dir: self.run_dir.to_string_lossy().into_owned(),
            settings: self.options.settings.clone(),
            security: None,
        }
    }

    pub fn participant(&self) -> Verdict<ParticipantHandle> {
        Ok(self.library.participant(&self.participant_config(0))?)
    }

    /// The declared kinds whose bodies the suite makes itself: all but the user's type (C30).
    pub fn kinds(&self) -> Vec<Payload> {
        self.caps.payloads.iter().copied().filter(|kind| *kind != Payload::Type).collect()
    }

    /// A payload kind with a body, octets if possible.
    pub fn payload(&self) -> Payload {
        let kinds = self.kinds();
        if kinds.contains(&Payload::Octet) {
            return Payload::Octet;
        }
        kinds.iter().copied().find(|k| *k != Payload::Empty).unwrap_or(Payload::Empty)
    }

    /// The most dependable QoS that is declared: reliable, keeping all.
    pub fn dependable(&self) -> Qos {
        let keep_all = self.honours(QosValue::KeepAll);
        let keep_last = !keep_all && self.honours(QosValue::KeepLast);
        Qos {
            reliable: self.honours(QosValue::Reliable).then_some(true),
            max_blocking_ns: 5_000_000_000,
            keep_all: if keep_all { Some(true) } else { keep_last.then_some(false) },
            depth: if keep_last { 1000 } else { 0 },
            ..Qos::default()
        }
    }

    /// An endpoint of a new topic, as dependable as the adapter can.
    pub fn endpoint(&self) -> EndpointConfig {
        let payload = self.payload();
        EndpointConfig {
            topic: self.topic(),
            payload,
            wait: self.caps.waits.first().copied().unwrap_or(Wait::Poll),
            max_body_bytes: if payload == Payload::Empty { 0 } else { BODY },
            qos: self.dependable(),
            instances: 0,
            filter_below: 0,
        }
    }

    /// As [`Context::endpoint`], with a reader that takes when it is told to.
    pub fn late_endpoint(&self) -> Verdict<EndpointConfig> {
        Ok(EndpointConfig { wait: self.late_wait()?, ..self.endpoint() })
    }
}

/// The contract's word for a value.
pub(crate) fn word<T: serde::Serialize>(value: &T) -> String {
    serde_json::to_value(value)
        .ok()
        .and_then(|v| v.as_str().map(str::to_owned))
        .unwrap_or_else(|| "?".to_owned())
}
