//! `http-download`: puts what a server sends into a file.
//!
//! The file appears when all of it came; until then an older one stays.

use std::time::Duration;

use bytes::Bytes;
use io_exec::{Jail, JailError};
use io_http::outbound::{Response, Tls};
use schemars::JsonSchema;
use serde::Deserialize;
use tokio::sync::mpsc;

use super::http::message::{self, Header, Message, QueryParameter};
use crate::{Network, Outcome, Step, StepCx, StepError, StepResult};

/// The largest file that is downloaded.
const MAX_BYTES: u64 = 100 << 20;

const DEFAULT_TIMEOUT: Duration = Duration::from_mins(5);

/// How many pieces wait for the disk.
const PIECES: usize = 8;

/// The step.
pub(crate) struct HttpDownload;

/// Its configuration.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Config {
    /// What to download.
    #[schemars(length(min = 1))]
    url: String,
    /// The file to write.
    #[schemars(length(min = 1))]
    out_path: String,
    /// Whether an existing file is replaced.
    #[serde(default)]
    allow_overwrite: bool,
    /// Headers of the request; a name may stand more than once.
    #[serde(default)]
    headers: Vec<Header>,
    /// Parameters that are added to those of the URL.
    #[serde(default)]
    query_params: Vec<QueryParameter>,
    /// Whether any certificate of the server is accepted.
    #[serde(default, rename = "insecureSkipTLSVerify")]
    insecure_skip_tls_verify: bool,
    /// How long the download may take; 5m unless given.
    #[serde(default)]
    #[schemars(regex(pattern = r"(?:\d+(ns|us|µs|ms|s|m|h))+"))]
    timeout: String,
}

impl Step for HttpDownload {
    const KIND: &'static str = "http-download";
    const IS_QUIET: bool = true;
    type Config = Config;
    type Needs = Network;

    async fn run(&self, config: Config, network: Network, cx: &StepCx<'_>) -> StepResult {
        let Config { url, out_path, .. } = &config;
        if !config.allow_overwrite && cx.files.exists(out_path)? {
            return Err(StepError::fatal(format!(
                "{out_path} exists: choose another outPath, or set allowOverwrite"
            )));
        }
        let message = Message {
            method: "GET",
            url,
            headers: &config.headers,
            parameters: &config.query_params,
            body: Vec::new(),
            idempotency_key: None,
        };
        let request = message.request(message::timeout(&config.timeout, DEFAULT_TIMEOUT)?)?;
        let tls = Tls::skip_verify(config.insecure_skip_tls_verify);
        let client = network.outbound.client(&tls).map_err(|error| {
            StepError::fatal("the request could not be prepared").because(error)
        })?;
        let response = client.send(request).await.map_err(message::transport_error)?;
        check(&response, &message, &network)?;
        let length = download(response, out_path, cx).await?;
        cx.say(format!("{} sent {length} bytes", message.describe()));
        Ok(Outcome::done())
    }
}

fn check(response: &Response, message: &Message<'_>, network: &Network) -> Result<(), StepError> {
    let status = response.status();
    if !status.is_success() {
        let error = StepError::failed_for_now(format!(
            "{} answered HTTP ({})",
            message.describe(),
            status.as_u16()
        ));
        let pause = response.retry_after(network.clock.now());
        return Err(pause.into_iter().fold(error, StepError::not_before));
    }
    response
        .check_length(0, MAX_BYTES)
        .map_err(|error| StepError::failed("the file is too large to be downloaded").because(error))
}

/// A part of the file on its way to the disk. Without an end it is not a file.
enum Piece {
    Content(Bytes),
    End,
}

/// Reads from the network here and writes on a thread that may block.
async fn download(response: Response, path: &str, cx: &StepCx<'_>) -> Result<u64, StepError> {
    let (pieces, received) = mpsc::channel(PIECES);
    let path = path.to_owned();
    let write = cx.files.blocking(move |jail| write(jail, &path, received));
    let (read, written) = tokio::join!(read(response, pieces), write);
    // A writer that gives up is why the reader did, unless it was the other way round.
    match (read, written) {
        (Err(error), _) | (_, Err(Written::Failed(error))) => Err(error),
        (Ok(_), Err(Written::Incomplete)) => Err(StepError::retryable("the download broke off")),
        (Ok(length), Ok(())) => Ok(length),
    }
}

async fn read(mut response: Response, pieces: mpsc::Sender<Piece>) -> Result<u64, StepError> {
    let mut length = 0;
    while let Some(chunk) = response.chunk().await.map_err(message::transport_error)? {
        length += chunk.len() as u64;
        response.check_length(length, MAX_BYTES).map_err(message::transport_error)?;
        if pieces.send(Piece::Content(chunk)).await.is_err() {
            return Ok(length);
        }
    }
    // If nobody takes it, the writer tells why.
    let _ = pieces.send(Piece::End).await;
    Ok(length)
}

/// Why there is no file.
enum Written {
    Incomplete,
    Failed(StepError),
}

impl From<JailError> for Written {
    fn from(error: JailError) -> Self {
        Self::Failed(error.into())
    }
}

fn write(jail: &Jail, path: &str, mut pieces: mpsc::Receiver<Piece>) -> Result<(), Written> {
    let mut file = jail.create(path)?.with_mode(0o600)?;
    while let Some(piece) = pieces.blocking_recv() {
        match piece {
            Piece::Content(bytes) => file.append(&bytes)?,
            Piece::End => return Ok(file.commit()?),
        }
    }
    Err(Written::Incomplete)
}

#[cfg(test)]
mod tests {
    use std::{io::Write as _, os::unix::fs::PermissionsExt};

    use api_kinds::promotion::PromotionStepStatus as Status;
    use serde_json::json;

    use super::super::http::double::{Double, reply};
    use crate::{Class, testbed::Testbed};

    #[tokio::test]
    async fn what_a_server_sends_becomes_a_private_file() {
        let testbed = Testbed::new().await;
        let server = Double::answering(reply(200, "", "content"));
        let config = json!({
            "url": server.url("/x"), "outPath": "a/b", "allowOverwrite": true,
            "headers": [{"name": "X-A", "value": "1"}], "queryParams": [{"name": "q", "value": "2"}],
        });
        for _ in 0..2 {
            let attempt = testbed.run("http-download", config.clone()).await;
            assert_eq!(attempt.status, Status::Succeeded, "{}", attempt.message);
            assert_eq!(testbed.read("a/b").as_deref(), Some("content"));
        }
        let mode = testbed.files().join("a/b").metadata().unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
        assert!(server.requests()[0].starts_with("GET /x?q=2 HTTP/1.1\r\nx-a: 1\r\n"));
    }

    #[tokio::test]
    async fn each_failure_has_its_class_and_leaves_the_old_file() {
        let testbed = Testbed::new().await;
        testbed.write("old", "O");
        let fine = Double::answering(reply(200, "", "new"));
        let missing = Double::answering(reply(404, "", "no"));
        let large = Double::answering("HTTP/1.1 200 OK\r\ncontent-length: 104857601\r\n\r\n");
        let broken = Double::answering("HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nhalf");
        for (url, path, overwrite, class) in [
            (fine.url("/"), "old", false, Class::Fatal),
            (fine.url("/"), ".git/hooks/x", true, Class::Failed),
            ("nowhere".to_owned(), "old", true, Class::Fatal),
            (missing.url("/"), "old", true, Class::FailedForNow),
            (large.url("/"), "old", true, Class::Failed),
            (broken.url("/"), "old", true, Class::Retryable),
            ("http://169.254.169.254/".to_owned(), "old", true, Class::Retryable),
        ] {
            let config = json!({"url": url, "outPath": path, "allowOverwrite": overwrite});
            let attempt = testbed.run("http-download", config).await;
            assert_eq!(attempt.class, Some(class), "{url} {path}: {}", attempt.message);
        }
        assert_eq!(testbed.read("old").as_deref(), Some("O"));
        assert_eq!(std::fs::read_dir(testbed.files()).unwrap().count(), 1, "nothing is left over");
    }

    #[tokio::test]
    async fn an_endless_file_is_broken_off() {
        let testbed = Testbed::new().await;
        let endless = Double::start(|stream| {
            let _ = stream.write_all(b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n");
            let chunk = format!("100000\r\n{}\r\n", "x".repeat(0x0010_0000));
            while stream.write_all(chunk.as_bytes()).is_ok() {}
        });
        let config = json!({"url": endless.url("/"), "outPath": "x"});
        let attempt = testbed.run("http-download", config).await;
        assert_eq!(attempt.class, Some(Class::Retryable), "{}", attempt.message);
        assert_eq!(std::fs::read_dir(testbed.files()).unwrap().count(), 0);
    }
}
