//! The security profile `curve`: key files, and what sockets are set to.
//!
//! Whoever binds is the server of the CURVE handshake, and its public key is in its locator. Either side
//! accepts only keys that are in its own list: the side that connects looks before it connects, the side
//! that binds is asked by the library ([`crate::zap`]).

use std::collections::BTreeSet;
use std::ffi::{CStr, CString, c_char};

use busmark_adapter::{Error, Result, Security, Status};

use crate::ffi::{self, Zmq, zmq};
use crate::socket::{Context, Socket};
use crate::zap::Guard;

/// The name of the profile.
pub const PROFILE: &str = "curve";
/// Bytes of a key.
const BYTES: usize = 32;
/// Characters of a key in Z85.
const CHARACTERS: usize = 40;
/// Begins a line that is no key: no four bytes begin so in Z85.
const COMMENT: char = '#';
/// The name of the handler; without one the library would not insist on an answer.
const DOMAIN: &[u8] = b"busmark";

/// A key, as the library takes it.
pub type Key = [u8; BYTES];

/// Keys of a participant, and whose it accepts.
pub struct Curve {
    public: Key,
    /// As it is in locators.
    pub public_text: String,
    secret: Key,
    allowed: BTreeSet<Key>,
    // The library asks it as long as there is a socket.
    _guard: Guard,
}

fn unusable(path: &str, why: impl std::fmt::Display) -> Error {
    Status::Invalid.error(format!("{path}: {why}"))
}

impl Curve {
    /// Reads and checks the keys, and begins to answer the library in this context.
    pub fn new(security: &Security, context: &std::sync::Arc<Context>) -> Result<Self> {
        let zmq = zmq()?;
        // SAFETY: the text lives during the call.
        if unsafe { (zmq.zmq_has)(c"curve".as_ptr()) } != 1 {
            return Err(Status::Unavailable.error("this libzmq was built without CURVE"));
        }
        let Security { identity_ca, certificate, private_key, password, .. } = security;
        if !password.is_empty() {
            return Err(unusable(private_key, "keys of CURVE have no password, and one was given"));
        }
        let allowed = allowed(zmq, identity_ca)?;
        let (public, public_text) = one_key(zmq, certificate)?;
        let (secret, secret_text) = one_key(zmq, private_key)?;
        if public_of(zmq, &secret_text)? != public_text {
            return Err(unusable(private_key, format!("not the secret key of {certificate}")));
        }
        if !allowed.contains(&public) {
            return Err(unusable(certificate, format!("this key is not in {identity_ca}")));
        }
        let guard = Guard::new(context, allowed.clone())?;
        Ok(Self { public, public_text, secret, allowed, _guard: guard })
    }

    /// Before the socket binds.
    pub fn serve(&self, socket: &Socket) -> Result<()> {
        socket.set(ffi::CURVE_SERVER, 1)?;
        socket.set_bytes(ffi::CURVE_SECRETKEY, &self.secret)?;
        socket.set_bytes(ffi::ZAP_DOMAIN, DOMAIN)?;
        // Nobody is let in where the handler does not answer.
        socket.set(ffi::ZAP_ENFORCE_DOMAIN, 1)
    }

    /// Before the socket connects to whoever has this key.
    pub fn call(&self, socket: &Socket, key: &Key) -> Result<()> {
        if !self.allowed.contains(key) {
            let text = "the other side's key is not among those that this participant accepts";
            return Err(Status::Invalid.error(text));
        }
        socket.set_bytes(ffi::CURVE_SERVERKEY, key)?;
        socket.set_bytes(ffi::CURVE_PUBLICKEY, &self.public)?;
        socket.set_bytes(ffi::CURVE_SECRETKEY, &self.secret)
    }
}

/// A key from Z85.
pub fn decode(zmq: &Zmq, text: &str) -> Option<Key> {
    let text = CString::new(text).ok().filter(|text| text.as_bytes().len() == CHARACTERS)?;
    let mut key = [0; BYTES];
    // SAFETY: 40 characters are 32 bytes; the text ends with NUL.
    let decoded = unsafe { (zmq.zmq_z85_decode)(key.as_mut_ptr(), text.as_ptr()) };
    // The library lets some characters through that are none of Z85, and values beyond four bytes.
    let mut again = [0; CHARACTERS + 1];
    // SAFETY: 32 bytes are 40 characters and NUL.
    unsafe { (zmq.zmq_z85_encode)(again.as_mut_ptr(), key.as_ptr(), key.len()) };
    let again = again[..CHARACTERS].iter().map(|c| c.cast_unsigned());
    (!decoded.is_null() && again.eq(text.as_bytes().iter().copied())).then_some(key)
}

fn public_of(zmq: &Zmq, secret: &str) -> Result<String> {
    let secret = CString::new(secret).unwrap_or_default();
    let mut public: [c_char; CHARACTERS + 1] = [0; CHARACTERS + 1];
    // SAFETY: the secret key was decoded, and the buffer is as long as the library wants it.
    unsafe {
        if (zmq.zmq_curve_public)(public.as_mut_ptr(), secret.as_ptr()) != 0 {
            return Err(zmq.error("the public key of a secret key"));
        }
        Ok(CStr::from_ptr(public.as_ptr()).to_string_lossy().into_owned())
    }
}

fn text(path: &str) -> Result<String> {
    std::fs::read_to_string(path).map_err(|error| unusable(path, error))
}

/// The only key of a file. Errors carry nothing of it.
fn one_key(zmq: &Zmq, path: &str) -> Result<(Key, String)> {
    let text = text(path)?;
    let key = decode(zmq, text.trim()).ok_or_else(|| {
        unusable(path, "not a key in Z85 (40 characters, as zmq_curve_keypair gives)")
    })?;
    Ok((key, text.trim().to_owned()))
}

/// The keys of a list.
fn allowed(zmq: &Zmq, path: &str) -> Result<BTreeSet<Key>> {
    let mut keys = BTreeSet::new();
    for (number, line) in text(path)?.lines().enumerate() {
        let line = line.trim();
        if line.is_empty() || line.starts_with(COMMENT) {
            continue;
        }
        let wrong = || unusable(path, format!("line {}: not a key in Z85", number + 1));
        keys.insert(decode(zmq, line).ok_or_else(wrong)?);
    }
    Ok(keys)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_forty_characters_of_z85() {
        let Ok(zmq) = zmq() else { return };
        // The pair of RFC 26 of ZeroMQ's test: server's keys of libzmq's own examples.
        let secret = "JTKVSB%%)wK0E.X)V>+}o?pNmC{O&4W4b!Ni{Lh6";
        let public = "rq:rM>}U?@Lns47E1%kR.o@n%FcmmsL/@{H8]yf7";
        assert_eq!(public_of(zmq, secret).expect("a key"), public);
        assert!(decode(zmq, public).is_some() && decode(zmq, secret).is_some());
        let beyond = format!("#{}", &public[1..]);
        let space = format!(" {}", &public[1..]);
        for wrong in ["", &public[1..], &format!("{public}0"), &beyond, &space] {
            assert_eq!(decode(zmq, wrong), None, "{wrong:?}");
        }
    }
}
