//! No public authorities.
//!
//! Zenoh's client side trusts the authorities in the crate `webpki-roots` beside the one that it is given
//! and has no option against it: whoever has a certificate of the web would be let in. Cargo puts this
//! crate in its place.

use rustls_pki_types::TrustAnchor;

/// None.
pub const TLS_SERVER_ROOTS: &[TrustAnchor<'static>] = &[];
