//! A domain participant: Connector makes it, from a document of its own.

use std::ffi::CString;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use busmark_adapter::{EndpointConfig, Listener, Participant, ParticipantConfig, Result, Status};

use crate::entities::{self, Builtin};
use crate::errors::{check, error, made};
use crate::ffi::{Api, Object};
use crate::library::api;
use crate::options::Settings;
use crate::profiles;
use crate::reader::RtiReader;
use crate::topic::{Topics, text};
use crate::transport::participant_qos;
use crate::types;
use crate::writer::RtiWriter;

/// Participants that this library has made so far.
static COUNT: AtomicU32 = AtomicU32::new(0);
/// The participant in the document.
const CONFIGURATION: &std::ffi::CStr = c"busmark_participants::participant";

/// A name that no other participant of the process has, nor one of a further copy of this library.
fn unique_name() -> String {
    format!("busmark-{:x}-{}", (&raw const COUNT).addr(), COUNT.fetch_add(1, Ordering::Relaxed))
}

/// Where Connector finds the types and the participant: in this text.
fn url(settings: &Settings, name: &str) -> String {
    // Connector ends at a double quote; there is none within.
    format!(
        "str://\"<dds>{types}\
         <domain_library name='busmark_domains'><domain name='domain' domain_id='{domain}'/></domain_library>\
         <domain_participant_library name='busmark_participants'>\
         <domain_participant name='participant' domain_ref='busmark_domains::domain'>{qos}\
         </domain_participant></domain_participant_library></dds>\"",
        types = types::XML,
        domain = settings.domain,
        qos = participant_qos(settings, name),
    )
}

/// A connector of the library, which owns the participant.
struct Connector {
    raw: Object,
    api: &'static Api,
}

// SAFETY: the library guards its objects by locks.
unsafe impl Send for Connector {}
// SAFETY: as above.
unsafe impl Sync for Connector {}

impl Connector {
    fn new(api: &'static Api, url: &CString) -> Result<Self> {
        // SAFETY: texts are copied; no options means two zeros.
        let raw = unsafe {
            (api.connector_new)(CONFIGURATION.as_ptr(), url.as_ptr(), &raw const NO_OPTIONS)
        };
        if raw.is_null() {
            return Err(error(Status::Failed, "participant"));
        }
        Ok(Self { raw, api })
    }
}

/// `RTI_Connector_Options`: no events (which are for its own wait), indexes from 0.
static NO_OPTIONS: [std::ffi::c_int; 2] = [0, 0];

impl Drop for Connector {
    fn drop(&mut self) {
        // SAFETY: made by this library, given back once, its endpoints are gone.
        profiles::exclusively(|| unsafe { (self.api.connector_delete)(self.raw) });
    }
}

/// A participant in a domain.
pub struct RtiParticipant {
    // Let go of before the participant ends.
    topics: Arc<Topics>,
    builtin: Builtin,
    name: String,
    _connector: Connector,
}

impl RtiParticipant {
    /// Joins the domain of `config`.
    pub fn new(config: &ParticipantConfig) -> Result<Self> {
        let settings = Settings::new(config)?;
        let api = api()?;
        let name = unique_name();
        let url = text(&url(&settings, &name))?;
        let named = text(&name)?;
        let connector = profiles::exclusively(|| {
            profiles::make_disabled(api)?;
            let connector = Connector::new(api, &url)?;
            profiles::check_layout(api, &url)?;
            Ok(connector)
        })?;
        // SAFETY: the factory is a singleton; the text is read during the call.
        let participant = unsafe { (api.participant_by_name)((api.factory)(), named.as_ptr()) };
        let participant = made(participant, "participant")?;
        let builtin = Builtin::of(api, participant)?;
        // SAFETY: the participant is alive.
        check(unsafe { (api.entity_enable)(participant) }, "participant")?;
        let topics = Topics::new(api, participant, settings);
        Ok(Self { topics, builtin, name, _connector: connector })
    }
}

impl Participant for RtiParticipant {
    type Writer = RtiWriter;
    type Reader = RtiReader;

    fn writer(&self, config: &EndpointConfig) -> Result<RtiWriter> {
        RtiWriter::new(&self.topics, config)
    }

    fn reader(&self, config: &EndpointConfig, listener: Option<Listener>) -> Result<RtiReader> {
        RtiReader::new(&self.topics, config, listener)
    }

    fn entities(&self) -> Result<Vec<busmark_adapter::Entity>> {
        entities::list(&self.topics, &self.builtin, &self.name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_document_ends_at_its_only_second_quote() {
        for transport in ["udp", "shm"] {
            let settings = Settings::new(&ParticipantConfig {
                interface_address: "127.0.0.1".to_owned(),
                transport: transport.to_owned(),
                profile: "tuned".to_owned(),
                ..ParticipantConfig::default()
            });
            let url = url(&settings.expect("valid"), "name");
            assert!(url.starts_with("str://\"") && url.ends_with('"'));
            assert_eq!(url.matches('"').count(), 2);
        }
    }
}
