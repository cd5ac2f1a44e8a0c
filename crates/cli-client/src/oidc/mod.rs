//! The login of users at an identity provider (OpenID Connect), as a public client.
//!
//! The provider is named by the Kargo server, its endpoints by its discovery document. A token is kept only after it was
//! verified: issuer, audience, nonce, expiry and signature.

mod authorization;
mod device;
mod exchange;
mod id_token;
mod key;
mod provider;

pub use authorization::Authorization;
pub use device::{Device, DeviceAnswer};
pub use exchange::Tokens;
pub use provider::Provider;
