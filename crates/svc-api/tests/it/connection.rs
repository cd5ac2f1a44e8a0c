//! The way to the Kubernetes API, which can be cut, held up and mended.

use std::sync::Arc;

use bytes::Bytes;
use futures::{StreamExt, TryStreamExt, stream::BoxStream};
use http::{Request, Response};
use http_body_util::{BodyStream, StreamBody};
use hyper::body::Frame;
use kube::{Client, client::Body};
use tokio::sync::watch;
use tower::BoxError;

/// A body that may end before its end.
type Pieces = StreamBody<BoxStream<'static, Result<Frame<Bytes>, BoxError>>>;

/// How the way is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Line {
    #[default]
    Open,
    Cut,
    Held,
}

/// A way. Clones are the same one.
#[derive(Clone, Default)]
pub(crate) struct Connection {
    line: Arc<watch::Sender<Line>>,
}

impl Connection {
    /// From now on nothing gets through, and what was open ends.
    pub(crate) fn cut(&self) {
        self.line.send_replace(Line::Cut);
    }

    /// From now on nobody answers.
    pub(crate) fn hold(&self) {
        self.line.send_replace(Line::Held);
    }

    /// As before.
    pub(crate) fn mend(&self) {
        self.line.send_replace(Line::Open);
    }

    /// The same client by this way.
    pub(crate) fn lead(&self, client: Client) -> Client {
        let way = self.clone();
        let service = tower::service_fn(move |request: Request<Body>| {
            let (way, client) = (way.clone(), client.clone());
            async move { way.pass(&client, request).await }
        });
        Client::new(service, "default")
    }

    async fn pass(
        &self,
        client: &Client,
        request: Request<Body>,
    ) -> Result<Response<Pieces>, BoxError> {
        let line = *self.line.borrow();
        match line {
            Line::Open => {}
            Line::Cut => return Err("connection refused".into()),
            Line::Held => std::future::pending().await,
        }
        let reply = client.send(request).await?;
        let mut seen = self.line.subscribe();
        let cut = async move { drop(seen.wait_for(|line| *line == Line::Cut).await) };
        Ok(reply.map(|body| {
            let frames = BodyStream::new(body).map_err(Into::into).take_until(Box::pin(cut));
            StreamBody::new(frames.boxed())
        }))
    }
}
