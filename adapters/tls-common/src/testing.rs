//! Identities for tests: a CA, and who it has signed, as files.

use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, Ordering};

use busmark_adapter::Security;
pub use busmark_adapter::testing::wiretap;
use pkcs8::pkcs5::pbes2::Parameters;
use pkcs8::{LineEnding, PrivateKeyInfo};
use rcgen::{
    BasicConstraints, CertificateParams, CertifiedIssuer, DnType, IsCa, KeyPair, KeyUsagePurpose,
    SanType, date_time_ymd,
};

/// A CA with a folder of its own, which goes with it.
pub struct Authority {
    folder: PathBuf,
    issuer: CertifiedIssuer<'static, KeyPair>,
}

impl Default for Authority {
    fn default() -> Self {
        Self::new()
    }
}

impl Authority {
    /// A new one.
    pub fn new() -> Self {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let name = format!("busmark-ca-{}-{number}", std::process::id());
        let folder = std::env::temp_dir().join(name);
        std::fs::create_dir(&folder).expect("a folder");
        let mut params = named("Busmark test CA");
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        params.key_usages = vec![KeyUsagePurpose::KeyCertSign, KeyUsagePurpose::DigitalSignature];
        let key = KeyPair::generate().expect("a key");
        let issuer = CertifiedIssuer::self_signed(params, key).expect("a CA");
        let authority = Self { folder, issuer };
        authority.write("ca.pem", &authority.issuer.pem());
        authority
    }

    /// Where a document of this name is, or would be.
    pub fn path(&self, name: &str) -> String {
        self.folder.join(name).display().to_string()
    }

    /// Writes a file beside the documents; its path.
    pub fn write(&self, name: &str, text: &str) -> String {
        std::fs::write(self.folder.join(name), text).expect("written");
        self.path(name)
    }

    fn sign(&self, name: &str, params: &CertificateParams) -> (Security, KeyPair) {
        let key = KeyPair::generate().expect("a key");
        let certificate = params.signed_by(&key, &self.issuer).expect("a certificate");
        let security = Security {
            profile: crate::PROFILE.to_owned(),
            identity_ca: self.path("ca.pem"),
            certificate: self.write(&format!("{name}.pem"), &certificate.pem()),
            private_key: self.write(&format!("{name}.key"), &key.serialize_pem()),
            ..Security::default()
        };
        (security, key)
    }

    /// A participant with this name.
    pub fn identity(&self, name: &str) -> Security {
        self.sign(name, &named(name)).0
    }

    /// Whose certificate says this address.
    pub fn at_address(&self, name: &str, address: &str) -> Security {
        let mut params = named(name);
        let address = address.parse().expect("an address");
        params.subject_alt_names.push(SanType::IpAddress(address));
        self.sign(name, &params).0
    }

    /// Whose certificate says the name of this host.
    pub fn at_host(&self, name: &str, host: &str) -> Security {
        let mut params = named(name);
        params.subject_alt_names.push(SanType::DnsName(host.try_into().expect("a name")));
        self.sign(name, &params).0
    }

    /// Whose certificate was valid once.
    pub fn expired(&self, name: &str) -> Security {
        let mut params = named(name);
        params.not_before = date_time_ymd(2000, 1, 1);
        params.not_after = date_time_ymd(2001, 1, 1);
        self.sign(name, &params).0
    }

    /// Whose key is encrypted.
    pub fn encrypted(&self, name: &str, password: &str) -> Security {
        let (mut security, key) = self.sign(name, &named(name));
        let der = key.serialize_der();
        let key = PrivateKeyInfo::try_from(der.as_slice()).expect("PKCS #8");
        let parameters = Parameters::pbkdf2_sha256_aes256cbc(2048, &[7; 16], &[9; 16]);
        let encrypted = key.encrypt_with_params(parameters.expect("parameters"), password);
        let pem = encrypted.expect("encrypted").to_pem("ENCRYPTED PRIVATE KEY", LineEnding::LF);
        self.write(&format!("{name}.key"), &pem.expect("PEM"));
        password.clone_into(&mut security.password);
        security
    }
}

impl Drop for Authority {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

fn named(name: &str) -> CertificateParams {
    let mut params = CertificateParams::default();
    params.distinguished_name.push(DnType::CommonName, name);
    params
}
