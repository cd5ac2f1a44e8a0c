//! The front of the server: what happens to every request before and after its handler.
//!
//! Outermost first: a name for the request, the log, cross-origin rules, the base path, health,
//! limits of size and time, panics, and the router. Errors and documents get their bodies on the way back.

mod cors;
mod dex;
mod headers;
mod health;
mod limit;
mod log;
mod metrics;
mod openapi;
mod rebinding;
mod request_id;
mod rest;
mod run;
mod stream;

pub(crate) use metrics::{Metrics, Operation};
pub(crate) use rest::Rest;
pub use run::{Blocking, Serving, StartError, Wiring, start};

use std::{convert::Infallible, sync::Arc};

use axum::{
    Router,
    body::Body,
    response::{IntoResponse, Response},
};
use http::{HeaderValue, Request, StatusCode, Uri, header};
use tower::ServiceExt;

use self::stream::Streams;
use crate::{
    api::Api,
    api_error::ApiError,
    document::Document,
    grpc,
    settings::{BasePath, Place},
};

/// Answers every request of the listener.
#[derive(Clone)]
pub(crate) struct Front {
    api: Api,
    rest: Rest,
    grpc: Router,
    streams: Arc<Streams>,
}

impl Front {
    /// The front of `api`, with all its routes behind it.
    pub(crate) fn new(api: Api) -> Self {
        let rest = Rest::new(api.clone());
        let grpc = grpc::router(rest.clone());
        Self { api, rest, grpc, streams: Arc::new(Streams::new()) }
    }

    /// The response to a request; a failure is one too.
    pub(crate) async fn answer(self, request: Request<Body>) -> Result<Response, Infallible> {
        let started = self.api.ports().clock.monotonic();
        let id = request_id::choose(request.headers(), &*self.api.ports().entropy);
        let seen = log::Seen::of(&request);
        let asked = request.headers().clone();
        let mut response = self.route(request).await;
        let operation = response.extensions_mut().remove::<Operation>();
        let error = finish(&asked, &id, &mut response);
        self.streams.dress(self.api.metrics(), &asked, &mut response);
        headers::protect(&self.api, &asked, &mut response);
        headers::name(&id, &mut response);
        headers::warn(&self.api, &asked, &mut response);
        let took = self.api.ports().clock.monotonic().saturating_sub(started);
        self.api.metrics().answered(operation, response.status(), took);
        log::write(&seen, &id, &response, error.as_deref(), took);
        Ok(response)
    }

    async fn route(&self, mut request: Request<Body>) -> Response {
        if grpc::is_call(request.headers()) {
            return self.grpc.clone().oneshot(request).await.unwrap_or_else(|never| match never {});
        }
        if let Err(error) = rebinding::check(&self.api, &request) {
            return error.into_response();
        }
        if let Some(preflight) = cors::preflight(&self.api, &request) {
            return preflight;
        }
        let base = &self.api.settings().base_path;
        let path = match base.place(request.uri().path()) {
            Place::Inside(path) => path.to_owned(),
            Place::Edge => return to_edge(base, request.uri()),
            Place::Outside => return ApiError::not_found("there is nothing here").into_response(),
        };
        if let Some(response) = health::answer(&self.api, request.method(), &path) {
            return response;
        }
        if let Some(response) = openapi::answer(&self.api, request.method(), &path) {
            return response;
        }
        if dex::is_its(&self.api, &path) {
            return dex::answer(&self.api, request).await;
        }
        if !path.starts_with(api_rest::route::PREFIX) {
            return ApiError::not_found("there is nothing here").into_response();
        }
        if let Err(error) = limit::check(&path, request.headers()) {
            return error.into_response();
        }
        *request.uri_mut() = rewritten(request.uri(), &path);
        let request = limit::bound(&path, request);
        self.rest.handle(request).await
    }
}

/// Gives errors and documents their bodies; says which error it was.
fn finish(asked: &http::HeaderMap, id: &str, response: &mut Response) -> Option<Arc<ApiError>> {
    if response.status() == StatusCode::METHOD_NOT_ALLOWED
        && response.extensions().get::<Arc<ApiError>>().is_none()
    {
        response.extensions_mut().insert(Arc::new(ApiError::method_not_allowed()));
    }
    if let Some(document) = response.extensions_mut().remove::<Document>() {
        document.answer(asked, response);
    }
    let error = response.extensions_mut().remove::<Arc<ApiError>>()?;
    let content_type = HeaderValue::from_static("application/json; charset=utf-8");
    response.headers_mut().insert(header::CONTENT_TYPE, content_type);
    response.headers_mut().remove(header::CONTENT_LENGTH);
    *response.body_mut() = Body::from(error.body(id));
    Some(error)
}

/// Sends a browser from the prefix to the slash behind it, so that relative links work.
fn to_edge(base: &BasePath, uri: &Uri) -> Response {
    let query = uri.query().map(|query| format!("?{query}")).unwrap_or_default();
    let mut response = Response::new(Body::empty());
    *response.status_mut() = StatusCode::MOVED_PERMANENTLY;
    if let Ok(location) = HeaderValue::from_str(&format!("{}/{query}", base.as_str())) {
        response.headers_mut().insert(header::LOCATION, location);
    }
    response
}

/// The address without the base path, and without a slash at its end: both forms name the same route.
fn rewritten(uri: &Uri, path: &str) -> Uri {
    let path = path.trim_end_matches('/');
    let query = uri.query().map(|query| format!("?{query}")).unwrap_or_default();
    format!("{path}{query}").parse().unwrap_or_default()
}
