//! The front of the server: what happens to every request before and after its handler.
//!
//! Outermost first: a name for the request, the log, cross-origin rules, the base path, health,
//! limits of size and time, panics, and the router. Errors and documents get their bodies on the way back.

mod cors;
mod headers;
mod health;
mod limit;
mod log;
mod openapi;
mod request_id;
mod run;

pub use run::{Blocking, Serving, StartError, Wiring, start};

use std::{convert::Infallible, panic::AssertUnwindSafe, sync::Arc};

use axum::{
    Router,
    body::Body,
    response::{IntoResponse, Response},
};
use futures::FutureExt;
use http::{HeaderValue, Request, StatusCode, Uri, header};
use tower::ServiceExt;

use crate::{
    api::Api,
    api_error::ApiError,
    document::Document,
    settings::{BasePath, Place},
};

/// Answers every request of the listener.
#[derive(Clone)]
pub(crate) struct Front {
    api: Api,
    router: Router,
}

impl Front {
    /// The front of `api`, with all its routes behind it.
    pub(crate) fn new(api: Api) -> Self {
        let router = crate::handlers::router(api.clone());
        Self { api, router }
    }

    /// The response to a request; a failure is one too.
    pub(crate) async fn answer(self, request: Request<Body>) -> Result<Response, Infallible> {
        let started = self.api.ports().clock.monotonic();
        let id = request_id::choose(request.headers(), &*self.api.ports().entropy);
        let seen = log::Seen::of(&request);
        let asked = request.headers().clone();
        let mut response = self.route(request).await;
        let error = finish(&asked, &id, &mut response);
        headers::protect(&self.api, &asked, &mut response);
        headers::name(&id, &mut response);
        let took = self.api.ports().clock.monotonic().saturating_sub(started);
        log::write(&seen, &id, &response, error.as_deref(), took);
        Ok(response)
    }

    async fn route(&self, mut request: Request<Body>) -> Response {
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
        if !path.starts_with(api_rest::route::PREFIX) {
            return ApiError::not_found("there is nothing here").into_response();
        }
        if let Err(error) = limit::check(&path, request.headers()) {
            return error.into_response();
        }
        *request.uri_mut() = rewritten(request.uri(), &path);
        let request = limit::bound(&path, request);
        self.handle(request).await
    }

    /// The handler's response, if it comes in time and without a panic.
    async fn handle(&self, request: Request<Body>) -> Response {
        let handled = AssertUnwindSafe(self.router.clone().oneshot(request)).catch_unwind();
        match self.api.ports().within(limit::PATIENCE, handled).await {
            Some(Ok(Ok(response))) => response,
            Some(Ok(Err(never))) => match never {},
            Some(Err(_)) => ApiError::internal("the handler panicked").into_response(),
            None => ApiError::unavailable("the request took too long", "deadline").into_response(),
        }
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
