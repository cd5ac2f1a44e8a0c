//! Everything HTTP: the listener, our own certificate authority, TLS, limits and drain, and the outbound client.

pub mod outbound;

mod authority;
mod bind_address;
mod certificate;
mod gather;
mod listener;
mod server;

pub use authority::{Authority, AuthorityError};
pub use bind_address::BindAddress;
pub use certificate::{CertificateError, CertificateFiles, ServerCertificate};
pub use listener::{BindError, Listener};
pub use server::{Limits, serve, serve_plain};
