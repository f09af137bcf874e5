//! The domains and endpoints of these tests.

use busmark_adapter::{EndpointConfig, Payload, Wait, testing};

/// Below 4.
pub fn domain(offset: u32) -> u32 {
    testing::domain(60, 4, offset)
}

pub fn endpoint(topic: &str, payload: Payload, wait: Wait) -> EndpointConfig {
    EndpointConfig { payload, wait, qos: testing::all(), ..testing::endpoint(topic, 4 << 20) }
}
