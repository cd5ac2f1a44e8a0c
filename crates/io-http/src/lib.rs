//! Everything that serves HTTPS: the listener, our own certificate authority, TLS, limits and drain.

mod authority;
mod certificate;
mod listener;
mod server;

pub use authority::{Authority, AuthorityError};
pub use certificate::{CertificateError, CertificateFiles, ServerCertificate};
pub use listener::{BindError, Listener};
pub use server::{Limits, serve};
