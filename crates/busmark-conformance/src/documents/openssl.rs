//! Certificates, keys and signatures, by the program `openssl`.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::kit::{Verdict, fail, skip};

const PROGRAM: &str = "openssl";

/// The program's own configuration may be anywhere, and say anything.
const CONFIGURATION: &str = "\
[req]
distinguished_name = nothing
[nothing]
[ca]
default_ca = own
[own]
database = index
new_certs_dir = .
rand_serial = yes
unique_subject = no
default_md = sha256
policy = name
[name]
commonName = supplied
[authority]
basicConstraints = critical, CA:TRUE
keyUsage = critical, keyCertSign, digitalSignature
[participant]
basicConstraints = critical, CA:FALSE
keyUsage = critical, digitalSignature
extendedKeyUsage = clientAuth, serverAuth
";

/// When a certificate is valid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Validity {
    Now,
    Past,
    Future,
}

impl Validity {
    /// From when until when.
    fn times(self) -> [&'static str; 2] {
        match self {
            Self::Now => ["20200101000000Z", "20491231000000Z"],
            Self::Past => ["20200101000000Z", "20210101000000Z"],
            Self::Future => ["20480101000000Z", "20491231000000Z"],
        }
    }
}

/// Skips the test where the program is missing.
pub(crate) fn available() -> Verdict<()> {
    match Command::new(PROGRAM).arg("version").output() {
        Ok(_) => Ok(()),
        Err(error) => skip(format!("makes documents by the program {PROGRAM}: {error}")),
    }
}

fn run<S: AsRef<OsStr>>(folder: &Path, words: &str, more: &[S]) -> Verdict<()> {
    let mut command = Command::new(PROGRAM);
    command.current_dir(folder).args(words.split_whitespace()).args(more);
    let output = command.output()?;
    if output.status.success() {
        return Ok(());
    }
    let said = String::from_utf8_lossy(&output.stderr);
    fail(format!("the suite itself cannot continue: {PROGRAM} {words}: {}", said.trim()))
}

/// Encrypts `NAME.key` into `NAME-encrypted.key`, as PKCS #8.
pub(crate) fn encrypt(folder: &Path, name: &str, password: &str) -> Verdict<()> {
    let words =
        format!("pkcs8 -topk8 -v2 aes-256-cbc -in {name}.key -out {name}-encrypted.key -passout");
    run(folder, &words, &[format!("pass:{password}")])
}

/// A pair of keys in DER, each in a file of its own.
pub(crate) fn x25519(folder: &Path, secret: &Path, public: &Path) -> Verdict<()> {
    run(folder, "genpkey -algorithm X25519 -outform DER -out", &[secret])?;
    let more = ["-in".as_ref(), secret.as_os_str(), "-out".as_ref(), public.as_os_str()];
    run(folder, "pkey -inform DER -pubout -outform DER", &more)
}

/// A certificate authority, in a folder that others share.
pub(crate) struct CertificateAuthority {
    folder: PathBuf,
    name: String,
}

impl CertificateAuthority {
    /// `NAME.pem` and `NAME.key`.
    pub fn new(folder: &Path, name: &str) -> Verdict<Self> {
        fs::write(folder.join("openssl.cnf"), CONFIGURATION)?;
        fs::write(folder.join("index"), "")?;
        let authority = Self { folder: folder.to_owned(), name: name.to_owned() };
        // Nobody but this one has the subject.
        let number = fastrand::u64(..);
        authority.request(
            name,
            &format!("busmark {name} {number:x}"),
            "-x509 -days 9999 -extensions authority",
            "pem",
        )?;
        Ok(authority)
    }

    fn request(&self, name: &str, subject: &str, more: &str, ending: &str) -> Verdict<()> {
        let words = format!(
            "req -config openssl.cnf -new -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes \
             -keyout {name}.key -out {name}.{ending} {more} -subj"
        );
        run(&self.folder, &words, &[format!("/CN={subject}")])
    }

    /// `NAME.key` and, signed by this authority, `NAME.pem`.
    pub fn identity(&self, name: &str, validity: Validity) -> Verdict<()> {
        self.request(name, name, "", "csr")?;
        self.certificate(name, name, validity)
    }

    /// `OTHER.pem` for the key of `NAME`.
    pub fn certificate(&self, name: &str, other: &str, validity: Validity) -> Verdict<()> {
        let (own, [from, until]) = (&self.name, validity.times());
        let words = format!(
            "ca -config openssl.cnf -batch -notext -extensions participant -keyfile {own}.key -cert \
             {own}.pem -startdate {from} -enddate {until} -in {name}.csr -out {other}.pem"
        );
        run::<&str>(&self.folder, &words, &[])
    }

    /// `NAME.p7s`: the text, signed as S/MIME.
    pub fn sign(&self, text: &str, name: &str) -> Verdict<()> {
        let own = &self.name;
        fs::write(self.folder.join(format!("{name}.xml")), text)?;
        let words = format!(
            "smime -sign -text -in {name}.xml -out {name}.p7s -signer {own}.pem -inkey {own}.key"
        );
        run::<&str>(&self.folder, &words, &[])
    }
}
