//! The port that a browser comes back to after a login: on this machine alone, for one login.

use std::{
    convert::Infallible,
    io,
    net::{Ipv4Addr, Ipv6Addr, SocketAddr},
    sync::Arc,
    time::Duration,
};

use bytes::Bytes;
use cli_client::BoxFuture;
use cli_verbs::ports::{Callback, CallbackServer, Callbacks};
use http::{Method, Request, Response, StatusCode, header};
use http_body_util::{BodyExt as _, Full, Limited};
use io_http::{BindError, Limits, Listener, serve_plain};
use io_runtime::{SystemClock, TaskGroup};
use tokio::sync::{mpsc, oneshot};

/// No form of a provider is larger.
const MAX_FORM: usize = 64 * 1024;
/// How long the last page may take to its reader.
const GRACE: Duration = Duration::from_secs(2);

/// Listens on the loopback addresses.
pub(super) struct LocalServer;

impl CallbackServer for LocalServer {
    fn listen(&self, port: u16) -> BoxFuture<'_, io::Result<Box<dyn Callbacks>>> {
        Box::pin(async move {
            let listener = bind(SocketAddr::from((Ipv4Addr::LOCALHOST, port))).await?;
            let port = listener.address().port();
            let tasks = Arc::new(TaskGroup::new());
            let (sender, receiver) = mpsc::channel(8);
            serve(listener, sender.clone(), &tasks);
            // `localhost` may mean either; where there is no IPv6 it means the other.
            if let Ok(second) = bind(SocketAddr::from((Ipv6Addr::LOCALHOST, port))).await {
                serve(second, sender, &tasks);
            }
            let open: Box<dyn Callbacks> = Box::new(Open { port, receiver, tasks });
            Ok(open)
        })
    }
}

async fn bind(address: SocketAddr) -> io::Result<Listener> {
    Listener::bind(address).await.map_err(|error: BindError| io::Error::other(error.to_string()))
}

/// What was asked, and where the page goes.
type Asked = (String, String, oneshot::Sender<(u16, String)>);

fn serve(listener: Listener, sender: mpsc::Sender<Asked>, tasks: &Arc<TaskGroup>) {
    let service = tower::service_fn(move |request: Request<_>| {
        let sender = sender.clone();
        async move { Ok::<_, Infallible>(answer(request, sender).await) }
    });
    let clock = Arc::new(SystemClock::new());
    serve_plain(listener, service, clock, tasks.clone(), Limits::small());
}

async fn answer<B>(request: Request<B>, sender: mpsc::Sender<Asked>) -> Response<Full<Bytes>>
where
    B: http_body::Body + Send,
    B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
{
    let (head, body) = request.into_parts();
    let mut query = head.uri.query().unwrap_or_default().to_owned();
    if head.method == Method::POST
        && let Ok(form) = Limited::new(body, MAX_FORM).collect().await
    {
        query = String::from_utf8_lossy(&form.to_bytes()).into_owned();
    }
    let (reply, page) = oneshot::channel();
    let asked = (head.uri.path().to_owned(), query, reply);
    let (status, text) = match sender.send(asked).await {
        Ok(()) => page.await.unwrap_or((503, String::new())),
        Err(_) => (503, String::new()),
    };
    let mut response = Response::new(Full::from(text));
    *response.status_mut() = StatusCode::from_u16(status).unwrap_or(StatusCode::OK);
    let html = header::HeaderValue::from_static("text/html; charset=utf-8");
    response.headers_mut().insert(header::CONTENT_TYPE, html);
    response
}

struct Open {
    port: u16,
    receiver: mpsc::Receiver<Asked>,
    tasks: Arc<TaskGroup>,
}

impl Callbacks for Open {
    fn port(&self) -> u16 {
        self.port
    }

    fn next(&mut self) -> BoxFuture<'_, io::Result<Callback>> {
        Box::pin(async move {
            let asked = self.receiver.recv().await;
            let (path, query, reply) =
                asked.ok_or_else(|| io::Error::other("the server for the login stopped"))?;
            let reply = move |status, page| -> BoxFuture<'static, ()> {
                // A browser that left needs no page.
                let _ = reply.send((status, page));
                Box::pin(async {})
            };
            Ok(Callback { path, query, reply: Box::new(reply) })
        })
    }

    fn close(self: Box<Self>) -> BoxFuture<'static, ()> {
        Box::pin(async move {
            self.tasks.shutdown(GRACE).await;
        })
    }
}
