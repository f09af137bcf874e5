//! The participants and endpoints of these tests.

use busmark_adapter::{EndpointConfig, ParticipantConfig, Payload, Wait, testing};

/// Below 4.
pub fn domain(offset: u32) -> u32 {
    testing::domain(180, 4, offset)
}

pub fn participant(domain: u32, transport: &str) -> ParticipantConfig {
    // As shipped, reliable streams wait half a second for each window: see NOTES.md.
    let profile = "tuned".to_owned();
    ParticipantConfig { profile, ..testing::participant(domain, transport, &[]) }
}

pub fn endpoint(topic: &str, payload: Payload, wait: Wait) -> EndpointConfig {
    EndpointConfig { payload, wait, qos: testing::all(), ..testing::endpoint(topic, 4 << 20) }
}
