//! Git over HTTP: `git http-backend` behind a small server that can also misbehave.

use std::{
    collections::HashMap,
    net::SocketAddr,
    path::Path,
    pin::Pin,
    process::Stdio,
    sync::{Arc, Mutex},
    task::{Context as TaskContext, Poll},
    time::Duration,
};

use anyhow::{Context as _, Result, bail};
use bytes::Bytes;
use http::{Request, Response, StatusCode, header};
use http_body::{Body, Frame};
use http_body_util::{BodyExt as _, Full, combinators::BoxBody};
use hyper::body::Incoming;
use tokio::{
    io::{AsyncBufReadExt as _, AsyncRead, AsyncWriteExt as _, BufReader, ReadBuf},
    process::{Child, ChildStdout, Command},
};

use super::{
    GitRepository,
    http_server::{HttpServer, lock},
};

type Reply = Response<BoxBody<Bytes, std::io::Error>>;

/// How the server treats requests for one repository.
#[derive(Clone, Debug, Default)]
pub enum Behaviour {
    /// As it should.
    #[default]
    Serve,
    /// Wants this user name and password.
    Login(String, String),
    /// Answers with this status.
    Status(u16),
    /// Sends the caller to another address, which gets the rest of the path.
    Redirect(String),
    /// Ignores the protocol version, as old servers do.
    OldProtocol,
    /// Sends these bytes as an answer of the right type, again and again without end when told so.
    Lie { bytes: Vec<u8>, endless: bool },
    /// Lists refs, but waits this long before it answers a fetch.
    SlowFetch(Duration),
    /// Accepts the request and never answers.
    Silence,
}

/// A request the server has seen.
#[derive(Clone, Debug)]
pub struct Seen {
    pub method: String,
    /// Path and query.
    pub path: String,
    pub authorization: Option<String>,
}

/// The server; it ends when this is dropped.
pub struct GitHttp {
    http: HttpServer,
    shared: Arc<Shared>,
}

struct Shared {
    root: tempfile::TempDir,
    behaviours: Mutex<HashMap<String, Behaviour>>,
    seen: Mutex<Vec<Seen>>,
}

impl GitHttp {
    /// Starts on a free port of the loopback interface.
    pub async fn start() -> Result<Self> {
        let shared = Arc::new(Shared {
            root: tempfile::tempdir()?,
            behaviours: Mutex::default(),
            seen: Mutex::default(),
        });
        let http = HttpServer::start(&shared, answer).await?;
        Ok(Self { http, shared })
    }

    /// Creates an empty repository.
    pub fn repository(&self, name: &str) -> Result<GitRepository> {
        GitRepository::create(self.shared.root.path().join(name))
    }

    /// The address of a repository, existing or not.
    pub fn url(&self, name: &str) -> String {
        format!("http://{}/{name}", self.address())
    }

    /// Host and port.
    pub fn address(&self) -> SocketAddr {
        self.http.address()
    }

    /// Changes how requests for a repository are treated.
    pub fn behave(&self, name: &str, behaviour: Behaviour) {
        lock(&self.shared.behaviours).insert(name.to_owned(), behaviour);
    }

    /// What was asked since the last call.
    pub fn seen(&self) -> Vec<Seen> {
        std::mem::take(&mut *lock(&self.shared.seen))
    }
}

async fn answer(request: Request<Incoming>, shared: Arc<Shared>) -> Reply {
    handle(request, &shared)
        .await
        .unwrap_or_else(|error| text(StatusCode::INTERNAL_SERVER_ERROR, &error.to_string()))
}

async fn handle(request: Request<Incoming>, shared: &Shared) -> Result<Reply> {
    let path = request.uri().path().trim_start_matches('/').to_owned();
    let name = path.split('/').next().unwrap_or_default().to_owned();
    let authorization = request.headers().get(header::AUTHORIZATION);
    let authorization = authorization.and_then(|value| value.to_str().ok()).map(str::to_owned);
    lock(&shared.seen).push(Seen {
        method: request.method().to_string(),
        path: request.uri().to_string(),
        authorization: authorization.clone(),
    });
    let behaviour = lock(&shared.behaviours).get(&name).cloned().unwrap_or_default();
    match behaviour {
        Behaviour::Status(status) => Ok(text(StatusCode::from_u16(status)?, "no")),
        Behaviour::Redirect(base) => redirect(&request, &name, &base),
        Behaviour::Lie { bytes, endless } => lie(&request, bytes, endless),
        Behaviour::Silence => std::future::pending().await,
        Behaviour::Login(user, password)
            if !is_login(authorization.as_deref(), &user, &password) =>
        {
            let mut reply = text(StatusCode::UNAUTHORIZED, "log in");
            reply.headers_mut().insert(header::WWW_AUTHENTICATE, "Basic realm=\"git\"".parse()?);
            Ok(reply)
        }
        Behaviour::SlowFetch(wait) => {
            let bytes =
                request.headers().get(header::CONTENT_LENGTH).and_then(|value| value.to_str().ok());
            // A fetch negotiates, a listing is a few lines.
            if bytes.is_none_or(|bytes| bytes.parse().unwrap_or(u64::MAX) > 300)
                && request.method() == "POST"
            {
                tokio::time::sleep(wait).await;
            }
            backend(request, shared.root.path(), true).await
        }
        Behaviour::OldProtocol => backend(request, shared.root.path(), false).await,
        Behaviour::Serve | Behaviour::Login(..) => backend(request, shared.root.path(), true).await,
    }
}

fn is_login(authorization: Option<&str>, user: &str, password: &str) -> bool {
    use base64::Engine as _;
    let encoded = base64::prelude::BASE64_STANDARD.encode(format!("{user}:{password}"));
    authorization == Some(&format!("Basic {encoded}"))
}

fn redirect(request: &Request<Incoming>, name: &str, base: &str) -> Result<Reply> {
    let rest = request.uri().to_string();
    let rest = rest.trim_start_matches('/').strip_prefix(name).unwrap_or_default();
    let mut reply = text(StatusCode::MOVED_PERMANENTLY, "elsewhere");
    reply.headers_mut().insert(header::LOCATION, format!("{base}{rest}").parse()?);
    Ok(reply)
}

fn lie(request: &Request<Incoming>, bytes: Vec<u8>, endless: bool) -> Result<Reply> {
    let kind = if request.method() == "POST" { "result" } else { "advertisement" };
    let body = if endless {
        Endless(bytes.into()).boxed()
    } else {
        Full::new(Bytes::from(bytes)).map_err(|never| match never {}).boxed()
    };
    let kind = format!("application/x-git-upload-pack-{kind}");
    Ok(Response::builder().header(header::CONTENT_TYPE, kind).body(body)?)
}

fn text(status: StatusCode, words: &str) -> Reply {
    let body = Full::new(Bytes::from(words.to_owned())).map_err(|never| match never {});
    let mut reply = Response::new(body.boxed());
    *reply.status_mut() = status;
    reply
}

/// Runs `git http-backend` for one request, as a web server does.
async fn backend(request: Request<Incoming>, root: &Path, new_protocol: bool) -> Result<Reply> {
    let (parts, body) = request.into_parts();
    let head = |name: &str| {
        parts.headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default()
    };
    let mut command = Command::new("git");
    command
        .arg("http-backend")
        .env("GIT_PROJECT_ROOT", root)
        .env("GIT_HTTP_EXPORT_ALL", "1")
        .env("PATH_INFO", parts.uri.path())
        .env("QUERY_STRING", parts.uri.query().unwrap_or_default())
        .env("REQUEST_METHOD", parts.method.as_str())
        .env("CONTENT_TYPE", head("content-type"))
        .env("HTTP_CONTENT_ENCODING", head("content-encoding"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .kill_on_drop(true);
    if new_protocol {
        command.env("GIT_PROTOCOL", head("git-protocol"));
    }
    let mut child = command.spawn().context("git http-backend could not be run")?;
    let input = body.collect().await?.to_bytes();
    let mut stdin = child.stdin.take().context("git http-backend has no input")?;
    tokio::spawn(async move {
        let _ = stdin.write_all(&input).await;
    });
    let mut output = BufReader::new(child.stdout.take().context("git http-backend has no output")?);
    let mut reply = Response::builder();
    loop {
        let mut line = String::new();
        if output.read_line(&mut line).await? == 0 {
            bail!("git http-backend broke off");
        }
        match line.trim_end().split_once(": ") {
            Some(("Status", status)) => {
                reply = reply.status(status.split(' ').next().unwrap_or_default());
            }
            Some((name, value)) => reply = reply.header(name, value),
            None => break,
        }
    }
    Ok(reply.body(Output { output, child }.boxed())?)
}

/// The rest of a program's output as a body; the program ends with it.
struct Output {
    output: BufReader<ChildStdout>,
    // Killed when the client goes away.
    #[expect(dead_code, reason = "held for its drop")]
    child: Child,
}

impl Body for Output {
    type Data = Bytes;
    type Error = std::io::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut TaskContext<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, std::io::Error>>> {
        let mut space = vec![0; 16 * 1024];
        let mut buffer = ReadBuf::new(&mut space);
        match Pin::new(&mut self.output).poll_read(cx, &mut buffer) {
            Poll::Pending => Poll::Pending,
            Poll::Ready(Err(error)) => Poll::Ready(Some(Err(error))),
            Poll::Ready(Ok(())) if buffer.filled().is_empty() => Poll::Ready(None),
            Poll::Ready(Ok(())) => {
                Poll::Ready(Some(Ok(Frame::data(Bytes::copy_from_slice(buffer.filled())))))
            }
        }
    }
}

struct Endless(Bytes);

impl Body for Endless {
    type Data = Bytes;
    type Error = std::io::Error;

    fn poll_frame(
        self: Pin<&mut Self>,
        _: &mut TaskContext<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, std::io::Error>>> {
        Poll::Ready(Some(Ok(Frame::data(self.0.clone()))))
    }
}
