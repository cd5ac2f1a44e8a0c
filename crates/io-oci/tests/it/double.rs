//! A server that answers as a test tells it to, and remembers what it was asked.

use std::{
    fmt::Write as _,
    net::SocketAddr,
    sync::{Arc, Mutex},
};

use tokio::{
    io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader},
    net::{TcpListener, TcpStream},
    task::AbortHandle,
};

/// One request, as it came.
#[derive(Clone, Debug)]
pub(crate) struct Seen {
    pub(crate) method: String,
    /// Path and query.
    pub(crate) target: String,
    /// Names in lower case.
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: String,
}

impl Seen {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }
}

/// What to answer.
#[derive(Clone, Debug)]
pub(crate) enum Reply {
    Plain {
        status: u16,
        headers: Vec<(String, String)>,
        body: Vec<u8>,
    },
    /// These bytes again and again.
    Endless(Vec<u8>),
    /// Nothing at all, for ever.
    Silence,
    /// The headers, and then one byte now and then.
    Drip,
}

impl Reply {
    pub(crate) fn status(status: u16) -> Self {
        Self::Plain { status, headers: Vec::new(), body: Vec::new() }
    }

    pub(crate) fn json(body: impl AsRef<str>) -> Self {
        Self::body("application/json", body.as_ref())
    }

    pub(crate) fn body(content_type: &str, body: &str) -> Self {
        let reply =
            Self::Plain { status: 200, headers: Vec::new(), body: body.as_bytes().to_vec() };
        reply.header("content-type", content_type)
    }

    pub(crate) fn header(self, name: &str, value: &str) -> Self {
        match self {
            Self::Plain { status, mut headers, body } => {
                headers.push((name.to_owned(), value.to_owned()));
                Self::Plain { status, headers, body }
            }
            other => other,
        }
    }
}

/// The server; it ends when this is dropped.
pub(crate) struct Double {
    address: SocketAddr,
    seen: Arc<Mutex<Vec<Seen>>>,
    accepting: AbortHandle,
}

impl Drop for Double {
    fn drop(&mut self) {
        self.accepting.abort();
    }
}

impl Double {
    pub(crate) async fn start(answer: impl Fn(&Seen) -> Reply + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let seen: Arc<Mutex<Vec<Seen>>> = Arc::default();
        let answer = Arc::new(answer);
        let log = seen.clone();
        let accepting = tokio::task::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::task::spawn(converse(stream, answer.clone(), log.clone()));
            }
        });
        Self { address, seen, accepting: accepting.abort_handle() }
    }

    pub(crate) fn address(&self) -> SocketAddr {
        self.address
    }

    pub(crate) fn repository(&self, name: &str) -> String {
        format!("{}/{name}", self.address)
    }

    pub(crate) fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    /// Everything that was asked so far, without the probes of the protocol version.
    pub(crate) fn seen(&self) -> Vec<Seen> {
        let seen = self.seen.lock().unwrap();
        seen.iter().filter(|seen| seen.target != "/v2/").cloned().collect()
    }

    pub(crate) fn targets(&self) -> Vec<String> {
        self.seen().iter().map(|seen| format!("{} {}", seen.method, seen.target)).collect()
    }
}

async fn converse(
    stream: TcpStream,
    answer: Arc<impl Fn(&Seen) -> Reply>,
    log: Arc<Mutex<Vec<Seen>>>,
) {
    let mut stream = BufReader::new(stream);
    loop {
        // A TLS hello where a method should be: answered in plain text, as web servers do.
        if stream.fill_buf().await.is_ok_and(|bytes| bytes.first() == Some(&0x16)) {
            let _ = stream.write_all(b"HTTP/1.1 400 Bad Request\r\n\r\n").await;
            return;
        }
        let Some(request) = read_request(&mut stream).await else { return };
        let reply = answer(&request);
        let is_head = request.method == "HEAD";
        log.lock().unwrap().push(request);
        if write_reply(&mut stream, reply, is_head).await.is_none() {
            return;
        }
    }
}

async fn read_request(stream: &mut BufReader<TcpStream>) -> Option<Seen> {
    let mut line = String::new();
    stream.read_line(&mut line).await.ok().filter(|read| *read > 0)?;
    let mut words = line.split(' ');
    let (method, target) = (words.next()?.to_owned(), words.next()?.to_owned());
    let mut headers = Vec::new();
    loop {
        let mut line = String::new();
        stream.read_line(&mut line).await.ok().filter(|read| *read > 0)?;
        let Some((name, value)) = line.trim_end().split_once(':') else { break };
        headers.push((name.to_ascii_lowercase(), value.trim().to_owned()));
    }
    let length = headers.iter().find(|(name, _)| name == "content-length");
    let length = length.and_then(|(_, value)| value.parse().ok()).unwrap_or(0);
    let mut body = vec![0; length];
    stream.read_exact(&mut body).await.ok()?;
    Some(Seen { method, target, headers, body: String::from_utf8_lossy(&body).into_owned() })
}

async fn write_reply(stream: &mut BufReader<TcpStream>, reply: Reply, is_head: bool) -> Option<()> {
    match reply {
        Reply::Plain { status, headers, body } => {
            let mut text = format!("HTTP/1.1 {status} S\r\n");
            for (name, value) in &headers {
                let _ = write!(text, "{name}: {value}\r\n");
            }
            let _ = write!(text, "content-length: {}\r\n\r\n", body.len());
            stream.write_all(text.as_bytes()).await.ok()?;
            if !is_head {
                stream.write_all(&body).await.ok()?;
            }
            Some(())
        }
        Reply::Endless(bytes) => {
            stream
                .write_all(b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n\r\n")
                .await
                .ok()?;
            while stream.write_all(&bytes).await.is_ok() {}
            None
        }
        Reply::Silence => std::future::pending().await,
        Reply::Drip => {
            stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 100000\r\n\r\n").await.ok()?;
            let pause = std::time::Duration::from_millis(100);
            while stream.write_all(b" ").await.is_ok() {
                let _ = tokio::time::timeout(pause, std::future::pending::<()>()).await;
            }
            None
        }
    }
}
