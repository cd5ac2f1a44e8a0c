//! The routes, for whoever has a request of them: the front of the server, and other protocols that
//! come down to them.

use std::{panic::AssertUnwindSafe, sync::Arc};

use axum::{
    Router,
    body::Body,
    response::{IntoResponse, Response},
};
use futures::FutureExt;
use http::{HeaderMap, Request};
use tower::ServiceExt;

use super::{finish, limit};
use crate::{api::Api, api_error::ApiError};

/// All routes of the REST API.
#[derive(Clone)]
pub(crate) struct Rest {
    api: Api,
    router: Router,
}

impl Rest {
    /// The routes of `api`.
    pub(crate) fn new(api: Api) -> Self {
        let router = crate::handlers::router(api.clone());
        Self { api, router }
    }

    /// The handler's response, if it comes in time and without a panic.
    pub(super) async fn handle(&self, request: Request<Body>) -> Response {
        let handled = AssertUnwindSafe(self.router.clone().oneshot(request)).catch_unwind();
        match self.api.ports().within(limit::PATIENCE, handled).await {
            Some(Ok(Ok(response))) => response,
            Some(Ok(Err(never))) => match never {},
            Some(Err(_)) => ApiError::internal("the handler panicked").into_response(),
            None => ApiError::unavailable("the request took too long", "deadline").into_response(),
        }
    }

    /// The response with its body as it is, or the error that the request ended in.
    pub(crate) async fn document(&self, request: Request<Body>) -> Result<Response, Arc<ApiError>> {
        let mut response = self.handle(request).await;
        match finish(&HeaderMap::new(), "", &mut response) {
            Some(error) => Err(error),
            None => Ok(response),
        }
    }
}
