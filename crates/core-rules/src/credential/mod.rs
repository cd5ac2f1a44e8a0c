//! What a repository lets in, and the Secrets and ConfigMaps in which people keep it.
//!
//! [`Secret`] and [`Credential`] are what discovery, steps and clients share. The rest are the rules
//! of the REST API for credentials of repositories, for Secrets that steps read by name, and for
//! ConfigMaps: from what was sent and what is stored to what is to be stored, or a refusal. What
//! clients get to see of a Secret is a type that cannot hold one.

pub mod config_map;
mod data;
mod error;
pub mod generic;
mod redact;
pub mod repository;
mod secret;
#[cfg(test)]
mod tests;

pub use error::CredentialError;
pub use redact::{REDACTED, RedactedSecret};
pub use secret::{Credential, Secret};
