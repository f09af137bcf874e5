//! Keys of CURVE, as libzmq reads them: pairs of X25519 in Z85 (RFC 32 of `ZeroMQ`).

use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::Path;

use super::openssl;
use crate::kit::Verdict;

/// Bytes of a key: the last of its DER (RFC 8410).
const BYTES: usize = 32;
/// Digits of Z85.
const DIGITS: &[u8; 85] =
    b"0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.-:+=^!/*?&<>()[]{}@%$#";

/// `NAME.pem` and `NAME.key`, the public and the secret key, and one more line in `LIST.pem`, the keys
/// that are accepted.
pub(crate) fn identity(folder: &Path, list: &str, name: &str) -> Verdict<()> {
    let der = |part: &str| folder.join(format!("{name}.{part}.der"));
    openssl::x25519(folder, &der("secret"), &der("public"))?;
    let key = |part: &str| -> Verdict<String> {
        let der = fs::read(der(part))?;
        Ok(z85(&der[der.len() - BYTES..]))
    };
    let public = key("public")?;
    fs::write(folder.join(format!("{name}.pem")), &public)?;
    fs::write(folder.join(format!("{name}.key")), key("secret")?)?;
    let accepted = folder.join(format!("{list}.pem"));
    writeln!(OpenOptions::new().create(true).append(true).open(accepted)?, "{public}")?;
    Ok(())
}

/// Bytes, a multiple of four, as text.
fn z85(bytes: &[u8]) -> String {
    let mut text = String::new();
    for four in bytes.chunks_exact(4) {
        let value = four.iter().fold(0, |value, byte| value << 8 | u32::from(*byte));
        for place in (0..5).rev() {
            text.push(char::from(DIGITS[(value / 85_u32.pow(place) % 85) as usize]));
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_written_as_the_rfc_does() {
        // The test case of RFC 32.
        let bytes = [0x86, 0x4F, 0xD2, 0x6F, 0xB5, 0x59, 0xF7, 0x5B];
        assert_eq!(z85(&bytes), "HelloWorld");
    }
}
