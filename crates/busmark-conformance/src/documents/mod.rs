//! Security documents for the tests of C38: made in the run directory when they are needed, gone with
//! what made them.

mod curve;
mod dds;
mod openssl;

use std::fs;
use std::path::PathBuf;
use std::sync::OnceLock;

use busmark_adapter::Security;
use tempfile::TempDir;

use crate::kit::{Context, Verdict, skip};
use openssl::{CertificateAuthority, Validity};

/// Encrypts private keys; nothing may say it.
pub(crate) const PASSWORD: &str = "open-Sesame-1337";

/// Whom participants trust: the certificate of an authority, or keys.
const IDENTITIES: &str = "identities";

/// What a profile's documents are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// X.509 identities, governance and permissions.
    Dds,
    /// X.509 identities.
    Tls,
    /// Keys without certificates.
    Curve,
}

impl Kind {
    /// Every kind.
    pub const ALL: &[Self] = &[Self::Dds, Self::Tls, Self::Curve];
    /// Those with certificates.
    pub const X509: &[Self] = &[Self::Dds, Self::Tls];
}

/// Whether a sample's body can be read on the wire.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Body {
    Readable,
    Encrypted,
}

/// What a profile is, by its name; skips the test where the suite can make no documents for it.
pub(crate) fn kind(profile: &str) -> Verdict<Kind> {
    match profile {
        "tls" => return Ok(Kind::Tls),
        "curve" => return Ok(Kind::Curve),
        _ => {}
    }
    if dds::protection(profile).is_some() {
        return Ok(Kind::Dds);
    }
    skip(format!("the suite makes no documents for the profile {profile}"))
}

/// What the profile promises of a body.
pub(crate) fn body(profile: &str) -> Body {
    match dds::protection(profile) {
        Some(protection) if !protection.encrypts() => Body::Readable,
        _ => Body::Encrypted,
    }
}

/// Whether the profile promises that names of topics cannot be read.
pub(crate) fn hides_topics(profile: &str) -> bool {
    dds::protection(profile).is_none_or(|protection| protection.hides_discovery())
}

/// Whether permissions are asked before endpoints are made.
pub(crate) fn permits(profile: &str) -> bool {
    dds::protection(profile).is_some_and(|protection| protection.controls_access())
}

/// Who signs documents of one profile.
pub(crate) struct Authority {
    profile: String,
    kind: Kind,
    domain: u32,
    /// X.509 only.
    identities: Option<CertificateAuthority>,
    /// DDS only.
    permissions: Option<CertificateAuthority>,
    folder: TempDir,
    server: OnceLock<Security>,
}

impl Authority {
    /// A new one for the suite's domain, whom nobody else trusts.
    pub fn new(context: &Context, profile: &str) -> Verdict<Self> {
        let kind = kind(profile)?;
        openssl::available()?;
        let folder = tempfile::Builder::new().prefix("documents-").tempdir_in(&context.run_dir)?;
        let authority = |name, kinds: &[Kind]| {
            let known = kinds.contains(&kind);
            known.then(|| CertificateAuthority::new(folder.path(), name)).transpose()
        };
        let identities = authority(IDENTITIES, Kind::X509)?;
        let permissions = authority("permissions", &[Kind::Dds])?;
        let domain = context.options.domain;
        let profile = profile.to_owned();
        let server = OnceLock::new();
        let authority = Self { profile, kind, domain, identities, permissions, folder, server };
        authority.govern("governance", domain)?;
        Ok(authority)
    }

    pub fn kind(&self) -> Kind {
        self.kind
    }

    /// Whether private keys can have a password.
    pub fn encrypts_keys(&self) -> bool {
        Kind::X509.contains(&self.kind)
    }

    pub fn domain(&self) -> u32 {
        self.domain
    }

    pub fn profile(&self) -> &str {
        &self.profile
    }

    /// A file of this name among the documents, which need not be there.
    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn text(&self, name: &str) -> String {
        self.path(name).to_string_lossy().into_owned()
    }

    /// The middleware's server. Its files are written once: it may still read them when it listens.
    pub fn server(&self) -> Verdict<Security> {
        if let Some(made) = self.server.get() {
            return Ok(made.clone());
        }
        let made = self.identity("server")?;
        Ok(self.server.get_or_init(|| made).clone())
    }

    /// A participant that may do all.
    pub fn identity(&self, name: &str) -> Verdict<Security> {
        self.limited(name, self.domain, "*")
    }

    /// A participant that may write and read topics of this name in this domain and nothing else.
    pub fn limited(&self, name: &str, domain: u32, topics: &str) -> Verdict<Security> {
        match &self.identities {
            Some(authority) => authority.identity(name, Validity::Now)?,
            None => curve::identity(self.folder.path(), IDENTITIES, name)?,
        }
        let mut security = self.paths(name);
        if let Some(authority) = &self.permissions {
            let text = dds::permissions(name, domain, topics);
            authority.sign(&text, &format!("{name}-permissions"))?;
            security.permissions = self.text(&format!("{name}-permissions.p7s"));
        }
        Ok(security)
    }

    fn paths(&self, name: &str) -> Security {
        let dds = |file: &str| if self.kind == Kind::Dds { self.text(file) } else { String::new() };
        Security {
            profile: self.profile.clone(),
            identity_ca: self.text(&format!("{IDENTITIES}.pem")),
            certificate: self.text(&format!("{name}.pem")),
            private_key: self.text(&format!("{name}.key")),
            password: String::new(),
            permissions_ca: dds("permissions.pem"),
            governance: dds("governance.p7s"),
            permissions: String::new(),
        }
    }

    /// Another certificate for the participant of this name: the path.
    pub fn certificate(&self, name: &str, validity: Validity) -> Verdict<String> {
        let other = format!("{name}-{validity:?}").to_lowercase();
        if let Some(authority) = &self.identities {
            authority.certificate(name, &other, validity)?;
        }
        Ok(self.text(&format!("{other}.pem")))
    }

    /// The private key of this identity, encrypted with [`PASSWORD`]: the path.
    pub fn encrypted(&self, name: &str) -> Verdict<String> {
        openssl::encrypt(self.folder.path(), name, PASSWORD)?;
        Ok(self.text(&format!("{name}-encrypted.key")))
    }

    /// A governance document for this domain: the path.
    pub fn governance(&self, name: &str, domain: u32) -> Verdict<String> {
        self.govern(name, domain)?;
        Ok(self.text(&format!("{name}.p7s")))
    }

    fn govern(&self, name: &str, domain: u32) -> Verdict<()> {
        match (&self.permissions, dds::protection(&self.profile)) {
            (Some(authority), Some(protection)) => {
                authority.sign(&dds::governance(&protection, domain), name)
            }
            _ => Ok(()),
        }
    }

    /// A copy of a document with another text in place of one that is in it: the path.
    pub fn changed(&self, document: &str, from: &str, to: &str) -> Verdict<String> {
        let content = fs::read_to_string(document)?;
        let other = content.replacen(from, to, 1);
        assert!(content != other, "{from} is not in {document}");
        self.file("changed", &other)
    }

    /// A file with this text: the path.
    pub fn file(&self, name: &str, text: &str) -> Verdict<String> {
        fs::write(self.path(name), text)?;
        Ok(self.text(name))
    }
}

pub(crate) use openssl::Validity as When;
