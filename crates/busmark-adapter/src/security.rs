//! Who a participant is and what it may do (C38).

use std::ffi::{CString, c_char};
use std::fmt;

use serde::{Deserialize, Serialize};

use crate::abi::{SecurityC, known_by_head};
use crate::strings::{owned, read};

/// `busmark_security_t`: paths of files in PEM; "" where this kind of security has none.
#[derive(Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Security {
    /// One of the adapter's profiles.
    pub profile: String,
    /// Who signs identities; CURVE: the public keys that are allowed.
    pub identity_ca: String,
    /// The participant's identity; CURVE: its public key.
    pub certificate: String,
    /// The private key of the certificate; CURVE: the secret key.
    pub private_key: String,
    /// With which the private key is encrypted; empty if it is not.
    #[serde(default)]
    pub password: String,
    /// DDS Security: who signs governance and permissions.
    #[serde(default)]
    pub permissions_ca: String,
    /// DDS Security: what is protected in the domain, signed.
    #[serde(default)]
    pub governance: String,
    /// DDS Security: what the participant may do, signed.
    #[serde(default)]
    pub permissions: String,
}

impl Security {
    /// # Safety
    /// `c` is NULL or follows the contract.
    pub(crate) unsafe fn from_c(c: *const SecurityC) -> Option<Self> {
        if c.is_null() {
            return None;
        }
        // SAFETY: every structure begins with its size (C2).
        let c = unsafe { known_by_head(c) };
        // SAFETY: texts are valid (contract); one that is not there is NULL.
        let text = |p: *const c_char| unsafe { read(p) };
        Some(Self {
            profile: text(c.profile),
            identity_ca: text(c.identity_ca),
            certificate: text(c.certificate),
            private_key: text(c.private_key),
            password: text(c.password),
            permissions_ca: text(c.permissions_ca),
            governance: text(c.governance),
            permissions: text(c.permissions),
        })
    }
}

impl fmt::Debug for Security {
    /// Without the password.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Security")
            .field("profile", &self.profile)
            .field("certificate", &self.certificate)
            .finish_non_exhaustive()
    }
}

/// The texts of a [`Security`] for the C side.
pub struct SecurityTexts([CString; 8]);

impl SecurityTexts {
    /// Copies of the texts.
    pub fn new(from: &Security) -> Self {
        let texts = [
            &from.profile,
            &from.identity_ca,
            &from.certificate,
            &from.private_key,
            &from.password,
            &from.permissions_ca,
            &from.governance,
            &from.permissions,
        ];
        Self(texts.map(|text| owned(text)))
    }

    /// The structure; valid as long as the texts.
    pub fn to_c(&self) -> SecurityC {
        let [
            profile,
            identity_ca,
            certificate,
            private_key,
            password,
            permissions_ca,
            governance,
            permissions,
        ] = self.0.each_ref().map(|text| text.as_ptr());
        SecurityC {
            struct_size: size_of::<SecurityC>() as u32,
            reserved: 0,
            profile,
            identity_ca,
            certificate,
            private_key,
            password,
            permissions_ca,
            governance,
            permissions,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn documents_go_across_the_border_and_back() {
        let security = Security {
            profile: "all".to_owned(),
            private_key: "/k.pem".to_owned(),
            password: "secret".to_owned(),
            permissions: "/p.p7s".to_owned(),
            ..Security::default()
        };
        let texts = SecurityTexts::new(&security);
        let c = texts.to_c();
        // SAFETY: the structure was made as the contract says.
        assert_eq!(unsafe { Security::from_c(&raw const c) }, Some(security));
        // SAFETY: NULL is allowed.
        assert_eq!(unsafe { Security::from_c(std::ptr::null()) }, None);
    }

    #[test]
    fn a_password_is_not_shown() {
        let security = Security { password: "secret".to_owned(), ..Security::default() };
        assert!(!format!("{security:?}").contains("secret"));
    }

    #[test]
    fn a_shorter_structure_has_empty_texts() {
        let security = Security { profile: "tls".to_owned(), ..Security::default() };
        let texts = SecurityTexts::new(&security);
        let struct_size = std::mem::offset_of!(SecurityC, permissions_ca) as u32;
        let c =
            SecurityC { struct_size, governance: std::ptr::without_provenance(8), ..texts.to_c() };
        // SAFETY: what `struct_size` covers is valid.
        assert_eq!(unsafe { Security::from_c(&raw const c) }, Some(security));
    }
}
