//! The webhook server: AdmissionReview v1 over HTTPS.

mod review;

use std::{convert::Infallible, panic::AssertUnwindSafe, sync::Arc};

use bytes::Bytes;
use core_rules::admission::Refusal;
use futures::FutureExt;
use http::{Method, Request, Response, StatusCode, header::CONTENT_TYPE};
use http_body_util::{BodyExt, Full, Limited};
use hyper::body::Body;

use crate::{Admitter, Phase, registration::phase_of_path};

/// The largest review: two objects of the largest size that an API server stores, with room for the
/// rest of the request.
const MAX_BODY_BYTES: usize = 8 * 1024 * 1024;

/// Answers one HTTP request.
pub(crate) async fn answer<B>(
    admitter: Arc<Admitter>,
    request: Request<B>,
) -> Result<Response<Full<Bytes>>, Infallible>
where
    B: Body + Send,
    B::Data: Send,
    B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
{
    let Some(phase) = phase_of_path(request.uri().path()) else {
        return Ok(text(StatusCode::NOT_FOUND, "no such webhook"));
    };
    if request.method() != Method::POST {
        return Ok(text(StatusCode::METHOD_NOT_ALLOWED, "an AdmissionReview is posted"));
    }
    let Ok(body) = Limited::new(request.into_body(), MAX_BODY_BYTES).collect().await else {
        return Ok(text(StatusCode::PAYLOAD_TOO_LARGE, "the body is too large or incomplete"));
    };
    Ok(review(&admitter, phase, &body.to_bytes()).await)
}

async fn review(admitter: &Admitter, phase: Phase, body: &[u8]) -> Response<Full<Bytes>> {
    let review = match review::read(body) {
        Ok(review) => review,
        Err(problem) => return text(StatusCode::BAD_REQUEST, &problem),
    };
    // A panic of one rule must not take the others' requests along.
    let request = review.request();
    let verdict = AssertUnwindSafe(admitter.admit(phase, &request)).catch_unwind().await;
    let verdict = verdict.unwrap_or_else(|_| {
        tracing::error!(resource = request.resource, name = request.name, "admission panicked");
        Err(Refusal::internal("admission failed; see the log of the webhook server"))
    });
    let reply = review::reply(review.uid(), &verdict).to_string();
    let mut response = Response::new(Full::new(Bytes::from(reply)));
    response.headers_mut().insert(CONTENT_TYPE, http::HeaderValue::from_static("application/json"));
    response
}

fn text(status: StatusCode, message: &str) -> Response<Full<Bytes>> {
    let mut response = Response::new(Full::new(Bytes::from(message.to_owned())));
    *response.status_mut() = status;
    response
}
