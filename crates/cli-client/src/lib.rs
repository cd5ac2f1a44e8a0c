//! The client of the REST API that the command line speaks through.
//!
//! It knows addresses, routes, tokens, error bodies and streams; how bytes travel is the business of a
//! [`Transport`], so that a test scripts the server and the binary brings the real one.
//! Objects stay JSON ([`Object`]): the command line shows what the server has, also fields it never heard of.

mod address;
mod client;
mod collection;
mod error;
#[cfg(feature = "fake")]
pub mod fake;
mod kind;
mod log_stream;
mod object;
pub mod oidc;
mod promotion;
mod resource;
mod response;
mod role;
mod route;
mod scope;
mod stream;
mod system;
#[cfg(test)]
mod tests;
mod token;
mod transport;
mod watch;

pub use api_rest::body::{RespondRequest, StepPrompt, StepResponse};

pub use address::{Address, AddressError};
pub use client::{Client, Identity};
pub use collection::{Collection, List, Singleton};
pub use error::{ApiError, Error};
pub use kind::Kind;
pub use log_stream::LogStream;
pub use object::Object;
pub use promotion::{DownstreamResult, FreightChoice};
pub use resource::{BatchResult, Comparison, Effect, FieldManager, Outcome};
pub use role::{Change as RoleChange, Claim};
pub use route::Route;
pub use scope::Scope;
pub use system::{OidcConfig, PublicConfig, ServerConfig};
pub use token::{BearerToken, expiry};
pub use transport::{
    Body, BoxFuture, Chunks, Patience, Request, Response, Transport, TransportError, Trust,
};
pub use watch::{Change, Event, Watch};
