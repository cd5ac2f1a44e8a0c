//! A Kubernetes-compatible API as a [`tower::Service`] on the embedded store: HTTP in, HTTP out.
//!
//! The way of a request: limits → identity → permission → routing → decoding → admission and object rules → commit →
//! the reply in the negotiated form. Objects live in `emb-store`, what is served is described by `emb-kinds`; nothing
//! here knows the kinds of the embedding program, which arrive as custom resource definitions.
//!
//! [`ApiServer::service`] serves the network, [`ApiServer::client_service`] a component of this process under an identity
//! that no request can forge. Both run the same code from permission on.

mod access;
mod admission;
mod audit;
mod bootstrap;
mod call;
mod config;
mod controller;
mod exchange;
mod handler;
mod internal;
mod lifecycle;
mod limits;
mod metrics;
mod object;
mod registry;
mod request;
mod response;
mod server;
mod service;
mod state;
mod verb;

pub use admission::{
    Admission, Operation, Request as AdmissionRequest, Verdict, WebhookAccess, WebhookClient,
    WebhookEndpoint, WebhookReply,
};
pub use audit::{AuditLevel, AuditSink};
pub use config::{Config, StartError};
pub use limits::Limits;
pub use response::Body;
pub use server::ApiServer;
pub use service::{Peer, Service};
