//! Whom a side that connects accepts.

use std::net::IpAddr;
use std::sync::Arc;

use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::client::{verify_server_cert_signed_by_trust_anchor, verify_server_name};
use rustls::crypto::{CryptoProvider, verify_tls13_signature};
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::server::ParsedCertificate;
use rustls::{
    CertificateError, DigitallySignedStruct, Error, PeerIncompatible, RootCertStore,
    SignatureScheme,
};

/// Whoever has a certificate that the CA has signed. Identities have the name of a participant, and
/// where it listens is not known when they are made: names are compared only where a certificate says
/// addresses.
#[derive(Debug)]
pub(crate) struct SignedByCa {
    roots: Arc<RootCertStore>,
    provider: Arc<CryptoProvider>,
}

impl SignedByCa {
    pub(crate) fn new(roots: Arc<RootCertStore>, provider: Arc<CryptoProvider>) -> Self {
        Self { roots, provider }
    }

    /// Whether the CA has signed it and it is valid now.
    pub(crate) fn verify_chain(
        &self,
        own: &CertificateDer<'_>,
        others: &[CertificateDer<'_>],
        now: UnixTime,
    ) -> Result<(), Error> {
        let own = ParsedCertificate::try_from(own)?;
        let algorithms = self.provider.signature_verification_algorithms.all;
        verify_server_cert_signed_by_trust_anchor(&own, &self.roots, others, now, algorithms)
    }
}

impl ServerCertVerifier for SignedByCa {
    fn verify_server_cert(
        &self,
        own: &CertificateDer<'_>,
        others: &[CertificateDer<'_>],
        name: &ServerName<'_>,
        _: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        self.verify_chain(own, others, now)?;
        match verify_server_name(&ParsedCertificate::try_from(own)?, name) {
            Err(Error::InvalidCertificate(CertificateError::NotValidForNameContext {
                expected,
                presented,
            })) if presented.iter().any(|one| says_address(one)) => {
                let context = CertificateError::NotValidForNameContext { expected, presented };
                Err(Error::InvalidCertificate(context))
            }
            _ => Ok(ServerCertVerified::assertion()),
        }
    }

    fn verify_tls12_signature(
        &self,
        _: &[u8],
        _: &CertificateDer<'_>,
        _: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        Err(Error::PeerIncompatible(PeerIncompatible::Tls12NotOffered))
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        let algorithms = &self.provider.signature_verification_algorithms;
        verify_tls13_signature(message, certificate, signature, algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.provider.signature_verification_algorithms.supported_schemes()
    }
}

/// Whether a name of a certificate, as rustls writes it (`IpAddress(127.0.0.1)`), is an address.
fn says_address(presented: &str) -> bool {
    let inner = presented.strip_prefix("IpAddress(").and_then(|rest| rest.strip_suffix(')'));
    inner.is_some_and(|text| text.parse::<IpAddr>().is_ok())
}
