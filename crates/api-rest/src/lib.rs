//! The REST API as data, for the server and for its clients: routes and who may call them, bodies
//! that are not Kubernetes objects, the body of an error, and the frames of streams.

#![warn(missing_docs)]

pub mod body;
mod error_body;
pub mod openapi;
pub mod route;
pub mod sse;

pub use error_body::ErrorBody;
