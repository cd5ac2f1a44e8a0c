//! A wire to a Git server on which requests are counted as they pass.

use std::{
    net::SocketAddr,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};

use anyhow::Result;
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::{
        TcpListener, TcpStream,
        tcp::{OwnedReadHalf, OwnedWriteHalf},
    },
    task::JoinHandle,
};

const REQUEST: &[u8] = b" HTTP/1.1\r\n";
const UPLOAD_PACK: &[u8] = b"/git-upload-pack HTTP/1.1\r\n";
/// Always in the clear, because a request this small is not compressed.
const LISTING: &[u8] = b"command=ls-refs";

/// What has passed.
#[derive(Clone, Copy, Debug)]
pub(super) struct Passed {
    pub(super) requests: u64,
    /// Requests that carry what to fetch; listings are not among them.
    pub(super) fetches: u64,
}

/// The wire; it is cut when this is dropped.
pub(super) struct Tap {
    address: SocketAddr,
    counts: Arc<Counts>,
    task: JoinHandle<()>,
}

#[derive(Default)]
struct Counts {
    requests: AtomicU64,
    upload_packs: AtomicU64,
    listings: AtomicU64,
}

impl Tap {
    pub(super) async fn start(server: SocketAddr) -> Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let address = listener.local_addr()?;
        let counts: Arc<Counts> = Arc::default();
        let counting = counts.clone();
        let task = tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                tokio::spawn(connect(client, server, counting.clone()));
            }
        });
        Ok(Self { address, counts, task })
    }

    pub(super) fn url(&self, name: &str) -> String {
        format!("http://{}/{name}", self.address)
    }

    /// What has passed so far.
    pub(super) fn passed(&self) -> Passed {
        let count = |counter: &AtomicU64| counter.load(Ordering::SeqCst);
        let upload_packs = count(&self.counts.upload_packs);
        Passed {
            requests: count(&self.counts.requests),
            fetches: upload_packs.saturating_sub(count(&self.counts.listings)),
        }
    }
}

impl Passed {
    /// What passed after `earlier`.
    pub(super) fn since(self, earlier: Self) -> Self {
        Self { requests: self.requests - earlier.requests, fetches: self.fetches - earlier.fetches }
    }
}

impl Drop for Tap {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn connect(client: TcpStream, server: SocketAddr, counts: Arc<Counts>) {
    let Ok(server) = TcpStream::connect(server).await else { return };
    let (from_client, mut to_client) = client.into_split();
    let (mut from_server, to_server) = server.into_split();
    let asking = tokio::spawn(forward(from_client, to_server, counts));
    // Whoever breaks off is none of our business.
    let _ = tokio::io::copy(&mut from_server, &mut to_client).await;
    asking.abort();
}

async fn forward(mut from: OwnedReadHalf, mut to: OwnedWriteHalf, counts: Arc<Counts>) {
    let mut needles = [
        Needle::new(REQUEST, &counts.requests),
        Needle::new(UPLOAD_PACK, &counts.upload_packs),
        Needle::new(LISTING, &counts.listings),
    ];
    let mut space = vec![0; 16 * 1024];
    while let Ok(read @ 1..) = from.read(&mut space).await {
        let chunk = space.get(..read).unwrap_or_default();
        for needle in &mut needles {
            needle.look(chunk);
        }
        if to.write_all(chunk).await.is_err() {
            return;
        }
    }
}

/// Counts a text in a stream, also where it lies across two reads.
struct Needle<'a> {
    text: &'static [u8],
    /// The last bytes seen, one too few for a whole needle.
    tail: Vec<u8>,
    count: &'a AtomicU64,
}

impl<'a> Needle<'a> {
    fn new(text: &'static [u8], count: &'a AtomicU64) -> Self {
        Self { text, tail: Vec::new(), count }
    }

    fn look(&mut self, chunk: &[u8]) {
        self.tail.extend_from_slice(chunk);
        let found =
            self.tail.windows(self.text.len()).filter(|window| *window == self.text).count();
        self.count.fetch_add(found as u64, Ordering::SeqCst);
        let keep = self.tail.len().min(self.text.len() - 1);
        self.tail.drain(..self.tail.len() - keep);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_counted_once_however_it_is_cut() {
        for cut in 0..20 {
            let count = AtomicU64::new(0);
            let mut needle = Needle::new(LISTING, &count);
            let text = b"..command=ls-refs..command=ls-refs";
            needle.look(&text[..cut]);
            needle.look(&text[cut..]);
            assert_eq!(count.load(Ordering::SeqCst), 2, "cut at {cut}");
        }
    }
}
