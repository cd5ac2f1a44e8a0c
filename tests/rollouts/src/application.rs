//! The application that is verified: it says whether it is well, as the test wants it.

use std::{
    net::SocketAddr,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

use anyhow::Result;
use serde_json::{Value, json};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
};

/// A web server on this machine; it ends with the test.
pub(crate) struct Application {
    address: SocketAddr,
    is_well: Arc<AtomicBool>,
}

impl Application {
    pub(crate) async fn start() -> Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let address = listener.local_addr()?;
        let is_well = Arc::new(AtomicBool::new(true));
        let state = is_well.clone();
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(answer(stream, state.load(Ordering::Relaxed)));
            }
        });
        Ok(Self { address, is_well })
    }

    /// Where it is asked.
    pub(crate) fn address(&self) -> String {
        self.address.to_string()
    }

    pub(crate) fn set_well(&self, is_well: bool) {
        self.is_well.store(is_well, Ordering::Relaxed);
    }
}

fn state(is_well: bool, path: &str) -> Value {
    json!({
        "well": is_well, "path": path, "list": [1, 2.50, 1e21], "text": "ä \"b\"", "a.b": 3.0,
        "items": [{ "name": "a", "n": 1 }, { "name": "b-c", "n": 2 }], "nothing": null,
    })
}

/// What Prometheus would answer.
fn samples() -> Value {
    let series = [1.5, 2.0].map(|number| json!({ "metric": {}, "value": [0, number.to_string()] }));
    json!({ "status": "success", "data": { "resultType": "vector", "result": series } })
}

/// One answer for whatever is asked; whoever hangs up gets none.
async fn answer(mut stream: TcpStream, is_well: bool) -> Result<()> {
    let mut request = [0; 4096];
    let length = stream.read(&mut request).await?;
    let path = String::from_utf8_lossy(request.get(..length).unwrap_or_default())
        .split(' ')
        .nth(1)
        .unwrap_or_default()
        .to_owned();
    let body = if path.starts_with("/api/v1/query") { samples() } else { state(is_well, &path) };
    let body = body.to_string();
    let reply = format!(
        "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{body}",
        body.len()
    );
    stream.write_all(reply.as_bytes()).await?;
    Ok(stream.shutdown().await?)
}
