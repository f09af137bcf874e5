//! A router, and participants that meet there.

use busmark_adapter::testing::participant;
use busmark_adapter::{EndpointConfig, Library, ParticipantConfig, Qos, ServerHandle, testing};

/// The domain of all tests: each has a router of its own.
pub const DOMAIN: u32 = 9;

/// A router, its address, and the configuration of participants that meet there.
pub fn served(
    library: &Library,
    options: &[(&str, &str)],
) -> (ServerHandle, String, ParticipantConfig) {
    let (router, address) = library.server(&participant(DOMAIN, "tcp", &[])).expect("a router");
    let options = [&[("server", &*address)], options].concat();
    let config = participant(DOMAIN, "tcp", &options);
    (router, address, config)
}

pub fn endpoint(topic: &str, qos: Qos) -> EndpointConfig {
    EndpointConfig { qos, ..testing::endpoint(topic, 4 << 20) }
}
