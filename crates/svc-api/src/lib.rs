//! The API server, REST and gRPC: logins, what people may see and do, and streams of what changes.
//!
//! The way of a request: [`server`] names it, bounds it and logs it; a handler gets a `Caller`, which
//! exists only for a login that was checked ([`authentication`]); reads of the caller ask first
//! whether they may ([`caller`]) and are answered from memory ([`mirror`]); writes take the grant
//! that such a question gave. Rules are in `core-rules`; nothing is decided here.

mod api;
mod api_error;
mod authentication;
mod caller;
mod directory;
mod discovery;
mod document;
mod encoding;
mod expiring;
mod grpc;
mod handlers;
mod json;
mod listing;
mod mirror;
mod mirrors;
mod place;
mod query;
mod rate;
mod server;
mod settings;
mod turn;
mod watch;

pub use rate::Rate;
pub use server::{Blocking, Serving, StartError, Wiring, start};
pub use settings::{AdminSettings, BasePath, DexSettings, OidcSettings, Settings, TlsFiles};
