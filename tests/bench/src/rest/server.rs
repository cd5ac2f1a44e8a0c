//! `kargo api` beside `kargo up`, and connections to it.

use std::{
    net::{Ipv4Addr, SocketAddr, TcpListener},
    path::Path,
    process::Stdio,
    time::{Duration, Instant},
};

use anyhow::{Context, Result, ensure};
use bytes::Bytes;
use http::{Method, Request, Response, header};
use http_body_util::{BodyExt, Empty};
use hyper::{
    body::Incoming,
    client::conn::{http1, http2},
};
use hyper_util::rt::{TokioExecutor, TokioIo};
use serde_json::Value;
use tokio::{
    net::TcpStream,
    process::{Child, Command},
};

/// The password of the administrator, and its hash.
const PASSWORD: &str = "admin";
const HASH: &str = "$2a$10$Zrhhie4vLz5ygtVSaif6o.qN36jgs6vjtMBdM6yrU1FOeiAAMMxOm";
const PATIENCE: Duration = Duration::from_mins(1);
const PAUSE: Duration = Duration::from_millis(50);

/// A REST server that is ready.
pub(super) struct Server {
    child: Child,
    address: SocketAddr,
    token: String,
}

/// A connection that requests follow each other on.
pub(super) struct Connection {
    sender: http1::SendRequest<Empty<Bytes>>,
    token: String,
}

/// A connection that streams share.
pub(super) struct SharedConnection {
    sender: http2::SendRequest<Empty<Bytes>>,
    address: SocketAddr,
    token: String,
}

impl Server {
    /// Starts on the engine of `kargo up` with this data directory.
    pub(super) async fn start(directory: &Path) -> Result<Self> {
        let address = free_address()?;
        let child = Command::new(dev_testkit::binary()?)
            .arg("api")
            .env("KUBECONFIG", directory.join("kubeconfigs/kargo-api.kubeconfig"))
            .env("BIND_ADDRESS", address.ip().to_string())
            .env("PORT", address.port().to_string())
            .env("ADMIN_ACCOUNT_ENABLED", "true")
            .env("ADMIN_ACCOUNT_PASSWORD_HASH", HASH)
            .env("ADMIN_ACCOUNT_TOKEN_SIGNING_KEY", "0123456789abcdef0123456789abcdef")
            .env("ADMIN_ACCOUNT_TOKEN_ISSUER", "http://localhost")
            .env("ADMIN_ACCOUNT_TOKEN_AUDIENCE", "localhost")
            .env("LOG_LEVEL", "error")
            .stdin(Stdio::null())
            .kill_on_drop(true)
            .spawn()?;
        let mut server = Self { child, address, token: PASSWORD.to_owned() };
        server.await_ready().await?;
        let reply = server.connect().await?.send(Method::POST, "/v1beta1/login").await?;
        let body: Value = serde_json::from_slice(&reply.into_body().collect().await?.to_bytes())?;
        let token = body.get("idToken").and_then(Value::as_str).context("no token")?.to_owned();
        Ok(Self { token, ..server })
    }

    pub(super) fn pid(&self) -> Result<u32> {
        self.child.id().context("the server has ended")
    }

    pub(super) async fn connect(&self) -> Result<Connection> {
        let (sender, connection) =
            http1::handshake(TokioIo::new(dial(self.address).await?)).await?;
        tokio::spawn(connection);
        Ok(Connection { sender, token: self.token.clone() })
    }

    pub(super) async fn share(&self) -> Result<SharedConnection> {
        let io = TokioIo::new(dial(self.address).await?);
        let (sender, connection) = http2::handshake(TokioExecutor::new(), io).await?;
        tokio::spawn(connection);
        Ok(SharedConnection { sender, address: self.address, token: self.token.clone() })
    }

    pub(super) async fn stop(mut self) -> Result<()> {
        Ok(self.child.kill().await?)
    }

    async fn await_ready(&mut self) -> Result<()> {
        let begin = Instant::now();
        loop {
            if let Ok(mut connection) = self.connect().await
                && let Ok(reply) = connection.send(Method::GET, "/readyz").await
                && reply.status().is_success()
            {
                return Ok(());
            }
            ensure!(begin.elapsed() < PATIENCE, "kargo api is not ready");
            tokio::time::sleep(PAUSE).await;
        }
    }
}

impl Connection {
    /// How many bytes are at this path.
    pub(super) async fn get(&mut self, path: &str) -> Result<usize> {
        let reply = self.send(Method::GET, path).await?;
        ensure!(reply.status().is_success(), "{path}: {}", reply.status());
        let mut body = reply.into_body();
        let mut bytes = 0;
        while let Some(frame) = body.frame().await {
            bytes += frame?.data_ref().map_or(0, Bytes::len);
        }
        Ok(bytes)
    }

    async fn send(&mut self, method: Method, path: &str) -> Result<Response<Incoming>> {
        let request = Request::builder()
            .method(method)
            .uri(path)
            .header(header::HOST, "localhost")
            .header(header::AUTHORIZATION, format!("Bearer {}", self.token))
            .body(Empty::new())?;
        self.sender.ready().await?;
        Ok(self.sender.send_request(request).await?)
    }
}

impl SharedConnection {
    /// A stream of events.
    pub(super) async fn stream(&mut self, path: &str) -> Result<Incoming> {
        let request = Request::builder()
            .uri(format!("http://{}{path}", self.address))
            .header(header::AUTHORIZATION, format!("Bearer {}", self.token))
            .body(Empty::new())?;
        self.sender.ready().await?;
        let reply = self.sender.send_request(request).await?;
        ensure!(reply.status().is_success(), "{path}: {}", reply.status());
        Ok(reply.into_body())
    }
}

async fn dial(address: SocketAddr) -> Result<TcpStream> {
    let stream = TcpStream::connect(address).await?;
    stream.set_nodelay(true)?;
    Ok(stream)
}

fn free_address() -> Result<SocketAddr> {
    Ok(TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?.local_addr()?)
}
