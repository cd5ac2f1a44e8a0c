//! The way to the Kubernetes API, which can be cut, held up and mended, and on which somebody else may answer.

use std::{
    collections::{HashMap, VecDeque},
    sync::Arc,
};

use bytes::Bytes;
use futures::{
    StreamExt, TryStreamExt,
    stream::{self, BoxStream},
};
use http::{Request, Response};
use http_body_util::{BodyStream, StreamBody};
use hyper::body::Frame;
use kube::{Client, client::Body};
use parking_lot::Mutex;
use serde_json::{Value, json};
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

/// A status and a body.
pub(crate) type Answer = (u16, Value);

/// A way. Clones are the same one.
#[derive(Clone, Default)]
pub(crate) struct Connection {
    line: Arc<watch::Sender<Line>>,
    /// By method and path, such as `GET /api/v1/secrets`.
    answers: Arc<Mutex<HashMap<String, VecDeque<Answer>>>>,
    seen: Arc<Mutex<Vec<String>>>,
}

/// What the Kubernetes API says when it fails.
pub(crate) fn failure(code: u16) -> Answer {
    let status = json!({"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Failure",
        "message": format!("made up: {code}"), "reason": "MadeUp", "code": code});
    (code, status)
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

    /// The next requests of this method and path are answered so, one after the other, by nobody.
    pub(crate) fn answer(&self, request: &str, answers: impl IntoIterator<Item = Answer>) {
        self.answers.lock().entry(request.to_owned()).or_default().extend(answers);
    }

    /// Methods and paths of all requests since the start.
    pub(crate) fn seen(&self) -> Vec<String> {
        self.seen.lock().clone()
    }

    /// How often this method and path came.
    pub(crate) fn count(&self, request: &str) -> usize {
        self.seen.lock().iter().filter(|seen| *seen == request).count()
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
        let asked = format!("{} {}", request.method(), request.uri().path());
        self.seen.lock().push(asked.clone());
        let line = *self.line.borrow();
        match line {
            Line::Open => {}
            Line::Cut => return Err("connection refused".into()),
            Line::Held => std::future::pending().await,
        }
        let made_up = self.answers.lock().get_mut(&asked).and_then(VecDeque::pop_front);
        if let Some((status, body)) = made_up {
            let frame = Frame::data(Bytes::from(body.to_string()));
            let body = StreamBody::new(stream::iter([Ok(frame)]).boxed());
            return Ok(Response::builder().status(status).body(body)?);
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
