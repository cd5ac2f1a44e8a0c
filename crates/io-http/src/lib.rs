//! Everything that serves HTTPS: the listener, our own certificate authority, TLS, limits and drain.

mod authority;
mod listener;
mod server;

pub use authority::{Authority, AuthorityError, ServerCertificate};
pub use listener::{BindError, Listener};
pub use server::{Limits, serve};
