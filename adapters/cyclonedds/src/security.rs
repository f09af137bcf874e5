//! DDS Security (C38): a participant's documents, as the library's properties.

use std::fmt;

use busmark_adapter::{Result, Security, Status};

use crate::openssl::check_pair;
use crate::qos::NativeQos;

/// The built-in plug-ins, which are in the library: each looks like a library with these two functions.
const PLUGINS: [(&str, &str); 9] = [
    ("dds.sec.auth.library.path", "dds_security_auth"),
    ("dds.sec.auth.library.init", "init_authentication"),
    ("dds.sec.auth.library.finalize", "finalize_authentication"),
    ("dds.sec.crypto.library.path", "dds_security_crypto"),
    ("dds.sec.crypto.library.init", "init_crypto"),
    ("dds.sec.crypto.library.finalize", "finalize_crypto"),
    ("dds.sec.access.library.path", "dds_security_ac"),
    ("dds.sec.access.library.init", "init_access_control"),
    ("dds.sec.access.library.finalize", "finalize_access_control"),
];

/// What begins a private key that is encrypted: PKCS #8, and the older form.
const ENCRYPTED: [&str; 2] = ["BEGIN ENCRYPTED PRIVATE KEY", "Proc-Type: 4,ENCRYPTED"];

/// Whom participants of one domain and process trust, and what is protected. Samples between them do not
/// pass the network, nor its protection: so it must be the same for all of them.
#[derive(Clone, PartialEq, Eq)]
pub struct Realm([Vec<u8>; 3]);

impl fmt::Debug for Realm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Realm")
    }
}

impl Realm {
    /// From these documents, each of which must be there.
    pub fn of(security: &Security) -> Result<Self> {
        let realm = [
            read("identity_ca", &security.identity_ca)?,
            read("permissions_ca", &security.permissions_ca)?,
            read("governance", &security.governance)?,
        ];
        let certificate = read("certificate", &security.certificate)?;
        read("permissions", &security.permissions)?;
        let key = read("private_key", &security.private_key)?;
        let text = String::from_utf8_lossy(&key);
        if security.password.is_empty() && ENCRYPTED.iter().any(|mark| text.contains(mark)) {
            // The library would ask for it on the terminal.
            let path = &security.private_key;
            let text = format!("private_key {path}: it is encrypted, and there is no password");
            return Err(Status::Invalid.error(text));
        }
        check_pair(&certificate, &key, &security.password, &security.private_key)?;
        Ok(Self(realm))
    }
}

/// The library names no file that it cannot open.
fn read(what: &str, path: &str) -> Result<Vec<u8>> {
    if path.is_empty() {
        return Err(Status::Invalid.error(format!("DDS Security needs {what}, which is not given")));
    }
    std::fs::read(path).map_err(|why| Status::Invalid.error(format!("{what} {path}: {why}")))
}

/// The participant's QoS.
pub fn qos(security: &Security) -> Result<NativeQos> {
    let file = |path: &str| format!("file:{path}");
    let documents = [
        ("dds.sec.auth.identity_ca", file(&security.identity_ca)),
        ("dds.sec.auth.identity_certificate", file(&security.certificate)),
        ("dds.sec.auth.private_key", file(&security.private_key)),
        ("dds.sec.auth.password", security.password.clone()),
        ("dds.sec.access.permissions_ca", file(&security.permissions_ca)),
        ("dds.sec.access.governance", file(&security.governance)),
        ("dds.sec.access.permissions", file(&security.permissions)),
    ];
    let documents = documents.iter().map(|(name, value)| (*name, value.as_str()));
    NativeQos::properties(PLUGINS.into_iter().chain(documents.filter(|(_, v)| !v.is_empty())))
}
