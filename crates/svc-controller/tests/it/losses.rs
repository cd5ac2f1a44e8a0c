//! A client some of whose answers get lost: what was asked for is done, but nobody hears of it.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

use http::{Method, Request, Response, StatusCode};
use kube::{Client, client::Body};
use tower::BoxError;

/// How many answers to patches of a Promotion's status get lost from now on.
#[derive(Default)]
pub(crate) struct Losses(AtomicUsize);

impl Losses {
    pub(crate) fn lose(&self, count: usize) {
        self.0.store(count, Ordering::SeqCst);
    }

    fn takes(&self, request: &Request<Body>) -> bool {
        let path = request.uri().path();
        let counts = request.method() == Method::PATCH
            && path.contains("/promotions/")
            && path.ends_with("/status");
        let one_less = |count: usize| count.checked_sub(1);
        counts && self.0.fetch_update(Ordering::SeqCst, Ordering::SeqCst, one_less).is_ok()
    }
}

/// The same client with losses.
pub(crate) fn lossy(client: Client, losses: Arc<Losses>) -> Client {
    let service = tower::service_fn(move |request: Request<Body>| {
        let (client, is_lost) = (client.clone(), losses.takes(&request));
        async move {
            let answer = client.send(request).await?;
            if !is_lost {
                return Ok::<_, BoxError>(answer);
            }
            Ok(Response::builder().status(StatusCode::BAD_GATEWAY).body(Body::empty())?)
        }
    });
    Client::new(service, "default")
}
