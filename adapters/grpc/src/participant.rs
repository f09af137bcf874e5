//! A participant: settings, and the domain that locators carry.

use std::convert::Infallible;
use std::net::SocketAddr;
use std::time::Duration;

use busmark_adapter::{
    EndpointConfig, Listener, Participant, ParticipantConfig, Qos, Result, ServiceEnd, Side, Status,
};
use tonic::body::Body;
use tonic::codegen::Service;
use tonic::codegen::http;
use tonic::server::NamedService;
use tonic::transport::Server;

use crate::client::GrpcClient;
use crate::connection::{self, Incoming};
use crate::engine::Engine;
use crate::options::Settings;
use crate::reader::GrpcReader;
use crate::server::GrpcServer;
use crate::writer::GrpcWriter;

/// How long connecting may take.
pub const CONNECT_LIMIT: Duration = Duration::from_secs(5);
/// How long a write or a request may block where nothing else is asked for.
const SEND_LIMIT: Duration = Duration::from_secs(5);

/// What endpoints need of their participant.
#[derive(Clone, Copy, Debug)]
pub struct Membership {
    /// Its options.
    pub settings: Settings,
    domain: u32,
}

impl Membership {
    /// Serves on the interface, at a port that nobody else has; the locator.
    pub fn serve<S>(&self, engine: &Engine, service: S) -> Result<String>
    where
        S: Service<http::Request<Body>, Response = http::Response<Body>, Error = Infallible>
            + NamedService
            + Clone
            + Send
            + Sync
            + 'static,
        S::Future: Send + 'static,
    {
        let _runtime = engine.handle().enter();
        let (incoming, address) = Incoming::listen(self.settings, engine.traffic())?;
        let server = Server::builder()
            .initial_stream_window_size(self.settings.stream_window)
            .initial_connection_window_size(self.settings.connection_window)
            .add_service(service);
        engine.handle().spawn(server.serve_with_incoming(incoming));
        Ok(self.locator(address))
    }

    /// By which others find what listens at this address.
    fn locator(&self, address: SocketAddr) -> String {
        format!("{address}@{}", self.domain)
    }

    /// The address in a locator of this domain.
    pub fn address(&self, locator: &str) -> Result<SocketAddr> {
        let parts = locator.split_once('@');
        let parts = parts.and_then(|(a, d)| Some((a.parse().ok()?, d.parse::<u32>().ok()?)));
        let Some((address, domain)) = parts else {
            let text = format!("{locator:?} is not a locator of grpc (ADDRESS:PORT@DOMAIN)");
            return Err(Status::Invalid.error(text));
        };
        if domain != self.domain {
            let text = format!("{locator} is of domain {domain}, this side is of {}", self.domain);
            return Err(Status::Invalid.error(text));
        }
        Ok(address)
    }
}

/// How long this QoS lets a write or a request block.
pub fn send_limit(qos: &Qos) -> Duration {
    match qos.max_blocking_ns {
        1.. => Duration::from_nanos(qos.max_blocking_ns.unsigned_abs()),
        _ => SEND_LIMIT,
    }
}

/// A participant.
pub struct GrpcParticipant(Membership);

impl GrpcParticipant {
    /// Checks what is asked for.
    pub fn new(config: &ParticipantConfig) -> Result<Self> {
        let settings = Settings::new(config)?;
        connection::check(&settings)?;
        Ok(Self(Membership { settings, domain: config.domain }))
    }
}

impl Participant for GrpcParticipant {
    type Writer = GrpcWriter;
    type Reader = GrpcReader;

    fn writer(&self, config: &EndpointConfig) -> Result<GrpcWriter> {
        GrpcWriter::new(self.0, config)
    }

    fn reader(&self, config: &EndpointConfig, listener: Option<Listener>) -> Result<GrpcReader> {
        GrpcReader::new(self.0, config, listener)
    }

    fn service(&self, config: &EndpointConfig, side: Side) -> Result<ServiceEnd> {
        Ok(match side {
            Side::Client => ServiceEnd::new(GrpcClient::new(self.0, config)?),
            Side::Server => ServiceEnd::new(GrpcServer::new(self.0, config)?),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_locator_is_of_a_domain() {
        let config = ParticipantConfig {
            domain: 7,
            interface_address: "::1".into(),
            ..ParticipantConfig::default()
        };
        let settings = Settings::new(&config).expect("settings");
        let [here, there] = [7, 8].map(|domain| Membership { settings, domain });
        let address = SocketAddr::new(settings.interface, 4711);
        assert_eq!(here.address(&here.locator(address)), Ok(address));
        for locator in [&there.locator(address)[..], "", "nonsense", "[::1]:4711", "@7", "::1@7"] {
            let error = here.address(locator).expect_err(locator);
            assert_eq!(error.status, Status::Invalid, "{error}");
        }
    }
}
