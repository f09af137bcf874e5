//! The security profile `tls`: what server and clients get of a participant's documents.
//!
//! The client library compares the name in the server's certificate, and trusts the authorities of the
//! system beside the one that it is given: so the name must be known. The address of a server that a run
//! starts says it.

use std::ffi::CString;

use busmark_adapter::{Result, Security, Status};
use busmark_tls::Identity;

use crate::ffi::{Api, Options};
use crate::server::NATS_SERVER;

/// Ciphers for versions before TLS 1.3. One is demanded, and this one needs a key that there is not: so
/// such a version is not offered.
const OLD_CIPHERS: &str = "PSK-AES256-GCM-SHA384";

/// Where a server is, and by which name its certificate knows it: `HOST:PORT/NAME`.
pub struct Place<'a> {
    /// `HOST:PORT`.
    pub address: &'a str,
    /// The name; without one it is the host.
    pub name: &'a str,
}

impl<'a> Place<'a> {
    /// From text.
    pub fn of(text: &'a str) -> Self {
        let (address, name) = text.split_once('/').unwrap_or((text, ""));
        let host = address.rsplit_once(':').map_or(address, |(host, _)| host);
        let host = host.trim_start_matches('[').trim_end_matches(']');
        Self { address, name: if name.is_empty() { host } else { name } }
    }

    /// As text.
    pub fn text(address: &str, name: &str) -> String {
        format!("{address}/{name}")
    }
}

/// A server's identity.
pub struct Server {
    /// Name of its certificate.
    pub name: String,
    security: Security,
}

impl Server {
    /// Checks the documents.
    pub fn new(security: &Security) -> Result<Self> {
        let name = Identity::of_server(security, NATS_SERVER.name)?.name().ok_or_else(|| {
            let text = "a client compares the name of the server, and this certificate has none";
            Status::Invalid.error(format!("{}: {text}", security.certificate))
        })?;
        Ok(Self { name, security: security.clone() })
    }

    /// The part of its configuration file: it admits whoever has a certificate that the CA has signed.
    pub fn configuration(&self) -> String {
        let Security { identity_ca, certificate, private_key, .. } = &self.security;
        let [ca, certificate, key] =
            [identity_ca, certificate, private_key].map(|path| quoted(path));
        format!(
            "tls {{\n  ca_file: {ca}\n  cert_file: {certificate}\n  key_file: {key}\n  verify: true\n}}\n"
        )
    }
}

/// A text of the server's configuration file.
fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}

/// A client's identity, and whom it expects.
pub struct Client {
    identity: Identity,
    ca: CString,
    expected: CString,
}

impl Client {
    /// Checks the documents.
    pub fn new(security: &Security, expected: &str) -> Result<Self> {
        let text = |text: &str| {
            CString::new(text).map_err(|_| Status::Invalid.error(format!("a NUL byte in {text:?}")))
        };
        let identity = Identity::read(security)?;
        Ok(Self { identity, ca: text(&security.identity_ca)?, expected: text(expected)? })
    }

    /// Sets what connects with these options; they must be alive.
    pub fn protect(&self, api: &Api, options: *mut Options) -> Result<()> {
        let wrong = |_| Status::Failed.error("a NUL byte in PEM");
        let certificates = CString::new(self.identity.certificates_pem()).map_err(wrong)?;
        let mut key = self.identity.private_key_pem();
        key.push('\0');
        let old = CString::new(OLD_CIPHERS).unwrap_or_default();
        // SAFETY: the options are alive (caller); all texts end with NUL and are copied, the key is
        // decoded.
        unsafe {
            let secure = (api.set_secure)(options, true);
            api.check(secure, "TLS of the NATS client")?;
            let trusted = (api.set_trusted)(options, self.ca.as_ptr());
            api.check(trusted, "identity CA")?;
            let identity = (api.set_identity)(options, certificates.as_ptr(), key.as_ptr().cast());
            api.check(identity, "certificate and private key")?;
            let expected = (api.set_expected_name)(options, self.expected.as_ptr());
            api.check(expected, "name of the server")?;
            api.check((api.set_old_ciphers)(options, old.as_ptr()), "TLS 1.3 only")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_follows_the_address_or_is_its_host() {
        for (text, address, name) in [
            ("127.0.0.1:4222/one", "127.0.0.1:4222", "one"),
            ("127.0.0.1:4222/a/b", "127.0.0.1:4222", "a/b"),
            ("nats.example:4222", "nats.example:4222", "nats.example"),
            ("[::1]:4222", "[::1]:4222", "::1"),
        ] {
            let place = Place::of(text);
            assert_eq!((place.address, place.name), (address, name));
        }
    }

    #[test]
    fn paths_are_quoted() {
        assert_eq!(quoted(r#"/a "b"\c"#), r#""/a \"b\"\\c""#);
    }
}
