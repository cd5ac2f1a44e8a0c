//! ServiceAccount tokens: signed JWTs (ES256), issued on request or kept in a legacy token Secret.
//!
//! Signatures are deterministic (RFC 6979), so the same key and claims give the same token.

mod claims;
mod keys;

pub use claims::{BoundObject, Claims, TokenRequest};
pub use keys::{KeyError, TokenError, TokenKeys};
