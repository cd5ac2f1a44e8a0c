//! The gRPC service, for programs that would rather not speak REST.
//!
//! Every call becomes the request of the route that does the same ([`call`]), so that logins,
//! rights and rules are asked in one place; its answer becomes the message of the reply. Requests
//! are told apart from others by their content type, so that one port serves both.

mod call;
mod object;
mod service;
mod status;
mod watch;

use api_grpc::{DESCRIPTORS, v1::kargo_server::KargoServer};
use axum::Router;
use http::{HeaderMap, Response, header};
use tonic::{Status, body::Body, server::NamedService};
use tonic_reflection::server::Builder;

use self::{call::Calls, service::Service};
use crate::server::Rest;

/// What every content type of gRPC begins with.
const CONTENT_TYPE: &str = "application/grpc";

/// Whether a request with these headers is a call.
pub(crate) fn is_call(headers: &HeaderMap) -> bool {
    let content_type = headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok());
    content_type.is_some_and(|text| text.starts_with(CONTENT_TYPE))
}

/// The services: Kargo's, and the one that tells what there is.
pub(crate) fn router(rest: Rest) -> Router {
    let kargo = KargoServer::new(Service::new(Calls::new(rest)));
    let router = Router::new().route_service(&path(&kargo), kargo).fallback(unknown);
    match Builder::configure().register_encoded_file_descriptor_set(DESCRIPTORS).build_v1() {
        Ok(reflection) => router.route_service(&path(&reflection), reflection),
        Err(error) => {
            tracing::error!(%error, "clients of gRPC cannot ask what there is");
            router
        }
    }
}

/// Where the methods of a service are.
fn path<S: NamedService>(_: &S) -> String {
    format!("/{}/{{method}}", S::NAME)
}

async fn unknown() -> Response<Body> {
    Status::unimplemented("there is no such service").into_http()
}
