//! The documents of a participant.

use std::sync::Arc;

use busmark_adapter::{Error, Result, Security, Status};
use pkcs8::der::zeroize::Zeroizing;
use pkcs8::der::{Decode, asn1::ObjectIdentifier, pem};
use pkcs8::{EncryptedPrivateKeyInfo, LineEnding, SecretDocument};
use rustls::crypto::{CryptoProvider, ring};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, PrivatePkcs8KeyDer, UnixTime};
use rustls::server::danger::ClientCertVerifier;
use rustls::server::{NoServerSessionStorage, WebPkiClientVerifier};
use rustls::version::TLS13;
#[cfg(feature = "testing")]
use rustls::{CipherSuiteCommon, SupportedCipherSuite, Tls13CipherSuite};
use rustls::{ClientConfig, RootCertStore, ServerConfig};
use x509_cert::ext::pkix::SubjectAltName;
use x509_cert::ext::pkix::name::GeneralName;

use crate::peers::SignedByCa;

/// What begins a private key that is encrypted.
const ENCRYPTED: &str = "ENCRYPTED PRIVATE KEY";
/// `id-at-commonName`.
const COMMON_NAME: ObjectIdentifier = ObjectIdentifier::new_unwrap("2.5.4.3");

/// A participant's identity, and the CA that signs identities.
pub struct Identity {
    chain: Vec<CertificateDer<'static>>,
    key: PrivateKeyDer<'static>,
    roots: Arc<RootCertStore>,
    provider: Arc<CryptoProvider>,
}

/// A document that cannot be used, and why.
fn unusable(path: &str, why: impl std::fmt::Display) -> Error {
    Status::Invalid.error(format!("{path}: {why}"))
}

impl Identity {
    /// Reads the documents and checks them; the error names the file and the reason.
    pub fn read(security: &Security) -> Result<Self> {
        let provider = Arc::new(ring::default_provider());
        let roots = Arc::new(roots(&security.identity_ca)?);
        let chain = certificates(&security.certificate)?;
        let identity = Self { chain, key: key(security)?, roots, provider };
        identity.check(security)?;
        Ok(identity)
    }

    /// As [`Identity::read`], for a server that cannot have a password.
    pub fn of_server(security: &Security, program: &str) -> Result<Self> {
        if security.password.is_empty() {
            return Self::read(security);
        }
        Self::read(security)?;
        let text =
            format!("{program} takes no password: give the server a private key without one");
        Err(Status::Unsupported.error(format!("{}: {text}", security.private_key)))
    }

    /// By which a client that compares names knows this side: the first DNS name of the certificate, or
    /// else the common name of its subject.
    pub fn name(&self) -> Option<String> {
        let own = x509_cert::Certificate::from_der(self.chain.first()?).ok()?.tbs_certificate;
        let other_names = own.get::<SubjectAltName>().ok().flatten().map(|(_, names)| names.0);
        let dns = other_names.into_iter().flatten().find_map(|name| match name {
            GeneralName::DnsName(name) => Some(name.to_string()),
            _ => None,
        });
        let mut subject = own.subject.0.iter().flat_map(|part| part.0.iter());
        dns.or_else(|| {
            let common = subject.find(|part| part.oid == COMMON_NAME)?;
            Some(String::from_utf8_lossy(common.value.value()).into_owned())
        })
    }

    /// The certificate, and those that lie between it and the CA, as PEM.
    pub fn certificates_pem(&self) -> String {
        let pem = |der: &CertificateDer<'_>| pem::encode_string("CERTIFICATE", LineEnding::LF, der);
        self.chain.iter().filter_map(|der| pem(der).ok()).collect()
    }

    /// The private key, decrypted, as PEM; its memory is overwritten when it goes.
    pub fn private_key_pem(&self) -> Zeroizing<String> {
        let label = match &self.key {
            PrivateKeyDer::Pkcs1(_) => "RSA PRIVATE KEY",
            PrivateKeyDer::Sec1(_) => "EC PRIVATE KEY",
            _ => "PRIVATE KEY",
        };
        let text = pem::encode_string(label, LineEnding::LF, self.key.secret_der());
        Zeroizing::new(text.unwrap_or_default())
    }

    /// The same with keys that may seal this many records only.
    #[cfg(feature = "testing")]
    #[must_use]
    pub fn with_key_limit(mut self, records: u64) -> Self {
        let limited = |suite: &SupportedCipherSuite| {
            let suite = suite.tls13()?;
            let common = CipherSuiteCommon { confidentiality_limit: records, ..suite.common };
            let limited = Tls13CipherSuite { common, ..*suite };
            // A provider wants suites that live for ever.
            Some(SupportedCipherSuite::Tls13(Box::leak(Box::new(limited))))
        };
        let cipher_suites = self.provider.cipher_suites.iter().filter_map(limited).collect();
        let provider = CryptoProvider { cipher_suites, ..(*self.provider).clone() };
        self.provider = Arc::new(provider);
        self
    }

    /// That others who have the same `identity_ca` will accept it.
    fn check(&self, security: &Security) -> Result<()> {
        let (own, others) = self.chain.split_first().ok_or_else(|| {
            unusable(&security.certificate, "no certificate in it (PEM, CERTIFICATE)")
        })?;
        let signer = self.provider.key_provider.load_private_key(self.key.clone_key());
        let signer = signer.map_err(|error| unusable(&security.private_key, error))?;
        rustls::sign::CertifiedKey::new(self.chain.clone(), signer).keys_match().map_err(|_| {
            unusable(&security.private_key, format!("not the key of {}", security.certificate))
        })?;
        let why = |error: rustls::Error| {
            let text = format!("{error}; it was checked with {}", security.identity_ca);
            unusable(&security.certificate, text)
        };
        let now = UnixTime::now();
        // Each identity is both: whose connection it is decides.
        self.clients()?.verify_client_cert(own, others, now).map_err(why)?;
        self.servers().verify_chain(own, others, now).map_err(why)
    }

    fn clients(&self) -> Result<Arc<dyn ClientCertVerifier>> {
        let (roots, provider) = (Arc::clone(&self.roots), Arc::clone(&self.provider));
        WebPkiClientVerifier::builder_with_provider(roots, provider)
            .build()
            .map_err(|error| Status::Invalid.error(format!("identity CA: {error}")))
    }

    fn servers(&self) -> SignedByCa {
        SignedByCa::new(Arc::clone(&self.roots), Arc::clone(&self.provider))
    }

    /// For the side that accepts connections.
    pub fn server_config(&self) -> Result<ServerConfig> {
        let mut config = ServerConfig::builder_with_provider(Arc::clone(&self.provider))
            .with_protocol_versions(&[&TLS13])
            .and_then(|builder| {
                let clients = self.clients().map_err(|e| rustls::Error::General(e.message))?;
                builder
                    .with_client_cert_verifier(clients)
                    .with_single_cert(self.chain.clone(), self.key.clone_key())
            })
            .map_err(|error| Status::Failed.error(format!("TLS: {error}")))?;
        // Nothing is resumed: each connection authenticates both sides anew.
        config.send_tls13_tickets = 0;
        config.session_storage = Arc::new(NoServerSessionStorage {});
        Ok(config)
    }

    /// For the side that connects.
    pub fn client_config(&self) -> Result<ClientConfig> {
        let mut config = ClientConfig::builder_with_provider(Arc::clone(&self.provider))
            .with_protocol_versions(&[&TLS13])
            .and_then(|builder| {
                builder
                    .dangerous()
                    .with_custom_certificate_verifier(Arc::new(self.servers()))
                    .with_client_auth_cert(self.chain.clone(), self.key.clone_key())
            })
            .map_err(|error| Status::Failed.error(format!("TLS: {error}")))?;
        config.resumption = rustls::client::Resumption::disabled();
        Ok(config)
    }
}

fn text(path: &str) -> Result<Vec<u8>> {
    std::fs::read(path).map_err(|error| unusable(path, error))
}

fn certificates(path: &str) -> Result<Vec<CertificateDer<'static>>> {
    let pem = text(path)?;
    let found: std::result::Result<Vec<_>, _> = CertificateDer::pem_slice_iter(&pem).collect();
    match found {
        Ok(found) if found.is_empty() => Err(unusable(path, "no certificate in it (PEM)")),
        Ok(found) => Ok(found),
        Err(error) => Err(unusable(path, format!("no PEM: {error}"))),
    }
}

fn roots(path: &str) -> Result<RootCertStore> {
    let mut roots = RootCertStore::empty();
    for certificate in certificates(path)? {
        roots.add(certificate).map_err(|error| unusable(path, error))?;
    }
    Ok(roots)
}

/// The private key, decrypted. Errors never carry anything of it.
fn key(security: &Security) -> Result<PrivateKeyDer<'static>> {
    let path = &security.private_key;
    let pem = text(path)?;
    let wrong = |why: &str| unusable(path, why);
    let as_text = std::str::from_utf8(&pem).map_err(|_| wrong("no PEM"))?;
    if !as_text.contains(ENCRYPTED) {
        return PrivateKeyDer::from_pem_slice(&pem)
            .map_err(|_| wrong("no private key in it (PEM, PKCS #8)"));
    }
    if security.password.is_empty() {
        return Err(wrong("the key is encrypted, and no password was given"));
    }
    let (_, document) = SecretDocument::from_pem(as_text.trim_start())
        .map_err(|_| wrong("no encrypted PKCS #8 key in PEM"))?;
    let encrypted = EncryptedPrivateKeyInfo::try_from(document.as_bytes())
        .map_err(|_| wrong("encrypted in a way that is not supported (PBES2 is)"))?;
    let plain = encrypted
        .decrypt(&security.password)
        .map_err(|_| wrong("the password does not decrypt it"))?;
    Ok(PrivatePkcs8KeyDer::from(plain.as_bytes().to_vec()).into())
}

#[cfg(all(test, feature = "testing"))]
mod tests {
    use super::*;
    use crate::testing::Authority;

    fn refusal(security: &Security) -> String {
        let error = Identity::read(security).err().expect("refused");
        assert_eq!(error.status, Status::Invalid, "{error}");
        error.message
    }

    #[test]
    fn good_documents_are_read_encrypted_or_not() {
        let authority = Authority::new();
        for security in [authority.identity("p"), authority.encrypted("q", "secret")] {
            let identity = Identity::read(&security).expect("an identity");
            assert!(identity.server_config().is_ok() && identity.client_config().is_ok());
        }
    }

    #[test]
    fn a_name_is_the_certificates_dns_name_or_its_subjects() {
        let authority = Authority::new();
        for (security, name) in [
            (authority.identity("some one"), "some one"),
            (authority.at_address("at an address", "127.0.0.1"), "at an address"),
            (authority.at_host("host", "server.example"), "server.example"),
        ] {
            let identity = Identity::read(&security).expect("an identity");
            assert_eq!(identity.name().as_deref(), Some(name));
        }
    }

    #[test]
    fn what_is_given_to_a_library_is_what_the_files_hold() {
        let authority = Authority::new();
        let security = authority.encrypted("p", "secret");
        let identity = Identity::read(&security).expect("an identity");
        let certificate = authority.write("copy.pem", &identity.certificates_pem());
        let private_key = authority.write("copy.key", &identity.private_key_pem());
        let copy =
            Security { certificate, private_key, password: String::new(), ..security.clone() };
        let copy = Identity::of_server(&copy, "a server").expect("an identity");
        assert_eq!((&copy.chain, &copy.key), (&identity.chain, &identity.key));
        let error = Identity::of_server(&security, "a server").err().expect("refused");
        assert_eq!(error.status, Status::Unsupported, "{error}");
    }

    #[test]
    fn what_cannot_be_used_is_refused_with_its_path_and_the_reason() {
        let authority = Authority::new();
        let good = authority.identity("p");
        let stranger = Authority::new();
        let other = stranger.identity("p");
        let encrypted = authority.encrypted("q", "secret");
        let missing = || authority.path("missing.pem");
        let foreign = Security { identity_ca: good.identity_ca.clone(), ..other };
        let of_another = authority.identity("another").private_key;
        let cases = [
            (Security { identity_ca: missing(), ..good.clone() }, "missing.pem", "No such"),
            (Security { certificate: missing(), ..good.clone() }, "missing.pem", "No such"),
            (Security { private_key: missing(), ..good.clone() }, "missing.pem", "No such"),
            (Security { certificate: good.private_key.clone(), ..good.clone() }, "key", "PEM"),
            (Security { private_key: good.certificate.clone(), ..good.clone() }, "pem", "PKCS #8"),
            (Security { private_key: of_another, ..good.clone() }, "another", "not the key of"),
            (foreign, "p.pem", "BadSignature"),
            (authority.expired("old"), "old.pem", "xpired"),
            (Security { password: "wrong".into(), ..encrypted.clone() }, "q.key", "password"),
            (Security { password: String::new(), ..encrypted }, "q.key", "no password"),
        ];
        for (security, file, why) in cases {
            let message = refusal(&security);
            assert!(message.contains(file) && message.contains(why), "{message}");
            assert!(!message.contains("wrong"), "{message}");
        }
    }
}
