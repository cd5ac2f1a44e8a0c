//! A web server of the test, which steps and verifications ask: who asks waits until the test has an answer.

use std::{collections::BTreeMap, net::SocketAddr};

use anyhow::{Context, Result};
use serde_json::{Value, json};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
    sync::watch,
};

use crate::patience::PATIENCE;

/// The server; it ends with the test.
pub(crate) struct Gate {
    address: SocketAddr,
    book: watch::Sender<Book>,
}

/// What becomes of who asks.
#[derive(Clone)]
enum Answer {
    Say(u16, Value),
    HangUp,
}

/// What is answered and what was asked, by path.
#[derive(Default)]
struct Book {
    answers: BTreeMap<String, Answer>,
    visits: BTreeMap<String, usize>,
}

impl Gate {
    /// Starts on a free port of the loopback interface.
    pub(crate) async fn start() -> Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let address = listener.local_addr()?;
        let book = watch::Sender::new(Book::default());
        let shared = book.clone();
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(serve(stream, shared.clone()));
            }
        });
        Ok(Self { address, book })
    }

    /// The address of a path.
    pub(crate) fn url(&self, path: &str) -> String {
        format!("http://{}/{path}", self.address)
    }

    /// Answers who asks and who waits there, until it is closed.
    pub(crate) fn answer(&self, path: &str, status: u16, body: Value) {
        self.book.send_modify(|book| {
            book.answers.insert(path.to_owned(), Answer::Say(status, body));
        });
    }

    /// Breaks the connection of who asks.
    pub(crate) fn hang_up(&self, path: &str) {
        self.book.send_modify(|book| {
            book.answers.insert(path.to_owned(), Answer::HangUp);
        });
    }

    /// Lets everybody through.
    pub(crate) fn open(&self, path: &str) {
        self.answer(path, 200, json!({}));
    }

    /// Who asks from now on waits.
    pub(crate) fn close(&self, path: &str) {
        self.book.send_modify(|book| {
            book.answers.remove(path);
        });
    }

    /// How often the path was asked for.
    pub(crate) fn visits(&self, path: &str) -> usize {
        self.book.borrow().visits.get(path).copied().unwrap_or_default()
    }

    /// Waits until the path was asked for so often.
    pub(crate) async fn await_visits(&self, path: &str, count: usize) -> Result<()> {
        let mut book = self.book.subscribe();
        let is_so = |book: &Book| book.visits.get(path).copied().unwrap_or_default() >= count;
        let waited = tokio::time::timeout(PATIENCE.limit(), book.wait_for(is_so)).await;
        waited.with_context(|| format!("nobody asks for {path}"))?.map(drop)?;
        Ok(())
    }
}

/// One answer for one request; whoever hangs up gets none.
async fn serve(mut stream: TcpStream, book: watch::Sender<Book>) -> Result<()> {
    let mut request = vec![0; 16 * 1024];
    let length = stream.read(&mut request).await?;
    let request = String::from_utf8_lossy(request.get(..length).unwrap_or_default()).into_owned();
    let target = request.split(' ').nth(1).unwrap_or_default();
    let path = target.trim_start_matches('/').to_owned();
    book.send_modify(|book| *book.visits.entry(path.clone()).or_default() += 1);
    let mut reader = book.subscribe();
    let answer = {
        let book = reader.wait_for(|book| book.answers.contains_key(&path)).await?;
        book.answers.get(&path).cloned()
    };
    let Some(Answer::Say(status, body)) = answer else { return Ok(()) };
    let body = body.to_string();
    let reply = format!(
        "HTTP/1.1 {status} Said\r\ncontent-type: application/json\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{body}",
        body.len()
    );
    stream.write_all(reply.as_bytes()).await?;
    Ok(stream.shutdown().await?)
}
