//! A client some of whose answers get lost, and whose watch of Promotions can stand still: what was asked for is done, but
//! nobody hears of it.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

use bytes::Bytes;
use futures::StreamExt;
use http::{Method, Request, Response, StatusCode};
use http_body::Frame;
use http_body_util::{BodyExt, StreamBody, combinators::UnsyncBoxBody};
use kube::{Client, client::Body};
use tokio::sync::watch;
use tower::BoxError;

type Answer = UnsyncBoxBody<Bytes, BoxError>;

/// What does not reach the client from now on.
#[derive(Default)]
pub(crate) struct Losses {
    status_patches: AtomicUsize,
    creations: AtomicUsize,
    is_blind: watch::Sender<bool>,
}

impl Losses {
    /// The next answers to patches of a Promotion's status.
    pub(crate) fn lose(&self, count: usize) {
        self.status_patches.store(count, Ordering::SeqCst);
    }

    /// The next answers to creations of Promotions.
    pub(crate) fn lose_creations(&self, count: usize) {
        self.creations.store(count, Ordering::SeqCst);
    }

    /// Whether the watch of Promotions stands still.
    pub(crate) fn blind(&self, is_blind: bool) {
        self.is_blind.send_replace(is_blind);
    }

    fn takes(&self, request: &Request<Body>) -> bool {
        let path = request.uri().path();
        let counted = match *request.method() {
            Method::PATCH if path.contains("/promotions/") && path.ends_with("/status") => {
                &self.status_patches
            }
            Method::POST if path.ends_with("/promotions") => &self.creations,
            _ => return false,
        };
        let one_less = |count: usize| count.checked_sub(1);
        counted.fetch_update(Ordering::SeqCst, Ordering::SeqCst, one_less).is_ok()
    }

    /// The body, each piece of which waits for sight.
    fn seen(&self, body: Body) -> Answer {
        let sight = self.is_blind.subscribe();
        let frames = body.into_data_stream().then(move |piece| {
            let mut sight = sight.clone();
            async move {
                let _ = sight.wait_for(|is_blind| !is_blind).await;
                piece.map(Frame::data).map_err(Into::into)
            }
        });
        StreamBody::new(frames).boxed_unsync()
    }
}

fn is_watch_of_promotions(request: &Request<Body>) -> bool {
    let query = request.uri().query().unwrap_or_default();
    request.uri().path().ends_with("/promotions") && query.contains("watch=")
}

fn whole(body: Body) -> Answer {
    body.map_err(Into::into).boxed_unsync()
}

/// The same client with losses.
pub(crate) fn lossy(client: Client, losses: Arc<Losses>) -> Client {
    let service = tower::service_fn(move |request: Request<Body>| {
        let (client, losses) = (client.clone(), losses.clone());
        let (is_lost, is_watch) = (losses.takes(&request), is_watch_of_promotions(&request));
        async move {
            let answer = client.send(request).await?;
            if is_watch {
                return Ok(answer.map(|body| losses.seen(body)));
            }
            if !is_lost {
                return Ok::<_, BoxError>(answer.map(whole));
            }
            let nothing = whole(Body::empty());
            Ok(Response::builder().status(StatusCode::BAD_GATEWAY).body(nothing)?)
        }
    });
    Client::new(service, "default")
}
