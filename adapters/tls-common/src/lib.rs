//! What Busmark's adapters with TLS share.
//!
//! [`Identity`] reads a participant's documents (clause C38 of the contract) and checks what can be
//! checked before anything is connected: the files, the password, that the key is the certificate's,
//! that `identity_ca` has signed it and that it is valid now. Its configurations of rustls are TLS 1.3
//! with both sides authenticated.

mod identity;
mod peers;
#[cfg(feature = "testing")]
pub mod testing;

pub use identity::Identity;
pub use rustls;

/// The name of the profile.
pub const PROFILE: &str = "tls";
