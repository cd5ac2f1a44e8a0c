//! A proxy between a client and a server that does what networks and bad servers do.

use std::{
    iter,
    net::SocketAddr,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use anyhow::{Result, bail};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::{TcpListener, TcpStream},
    sync::watch,
    task::JoinHandle,
};

/// The first byte of a connection with TLS.
const TLS_HANDSHAKE: u8 = 0x16;

/// What becomes of connections that are opened from now on.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Toxin {
    /// They go through.
    #[default]
    None,
    /// They are accepted and never answered.
    HalfOpen,
    /// Answers come byte by byte, with this pause between.
    SlowLoris(Duration),
    /// Answers are cut after this many bytes.
    CutAfter(usize),
    /// Every request is answered with this status and these header lines.
    Status(u16, Vec<String>),
    /// Every request is answered with a body that never ends.
    EndlessBody,
    /// Answers have the second text where the server wrote the first, which is as long.
    Forged(&'static str, &'static str),
}

/// The proxy; it ends when this is dropped.
pub struct ToxicProxy {
    address: SocketAddr,
    toxin: Arc<Mutex<Toxin>>,
    connections: Arc<AtomicUsize>,
    /// Counts how often all connections were ended.
    cuts: watch::Sender<usize>,
    task: JoinHandle<()>,
}

impl ToxicProxy {
    /// Stands before `server`, on a free port of the loopback interface.
    pub async fn start(server: SocketAddr) -> Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let address = listener.local_addr()?;
        let (toxin, connections): (Arc<Mutex<Toxin>>, Arc<AtomicUsize>) = Default::default();
        let cuts = watch::Sender::new(0);
        let patients = Patients { server, toxin: toxin.clone(), cuts: cuts.subscribe() };
        let task = tokio::spawn(accept(listener, patients, connections.clone()));
        Ok(Self { address, toxin, connections, cuts, task })
    }

    /// Host and port.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Changes what becomes of new connections.
    pub fn poison(&self, toxin: Toxin) {
        *self.toxin.lock().unwrap_or_else(PoisonError::into_inner) = toxin;
    }

    /// Ends all connections that are open.
    pub fn cut(&self) {
        self.cuts.send_modify(|cuts| *cuts += 1);
    }

    /// How many connections there were.
    pub fn connections(&self) -> usize {
        self.connections.load(Ordering::Relaxed)
    }
}

impl Drop for ToxicProxy {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// How connections are treated.
#[derive(Clone)]
struct Patients {
    server: SocketAddr,
    toxin: Arc<Mutex<Toxin>>,
    cuts: watch::Receiver<usize>,
}

async fn accept(listener: TcpListener, patients: Patients, connections: Arc<AtomicUsize>) {
    while let Ok((client, _)) = listener.accept().await {
        connections.fetch_add(1, Ordering::Relaxed);
        let Patients { server, toxin, mut cuts } = patients.clone();
        let toxin = toxin.lock().unwrap_or_else(PoisonError::into_inner).clone();
        cuts.mark_unchanged();
        tokio::spawn(async move {
            // Broken connections are what this is for.
            tokio::select! {
                _ = treat(client, server, toxin) => {}
                _ = cuts.changed() => {}
            }
        });
    }
}

async fn treat(mut client: TcpStream, server: SocketAddr, toxin: Toxin) -> Result<()> {
    match toxin {
        Toxin::None => {
            let mut server = TcpStream::connect(server).await?;
            tokio::io::copy_bidirectional(&mut client, &mut server).await?;
        }
        Toxin::HalfOpen => std::future::pending().await,
        Toxin::SlowLoris(pause) => drip(client, server, Some(pause), usize::MAX).await?,
        Toxin::CutAfter(bytes) => drip(client, server, None, bytes).await?,
        Toxin::Forged(from, to) => forge(client, server, from, to).await?,
        Toxin::Status(status, lines) => {
            head(&mut client).await?;
            let start = format!("HTTP/1.1 {status} No");
            let end = ["content-length: 0", "connection: close", "", ""];
            let lines = lines.iter().map(String::as_str);
            let reply: Vec<&str> = iter::once(start.as_str()).chain(lines).chain(end).collect();
            let reply = reply.join("\r\n");
            client.write_all(reply.as_bytes()).await?;
        }
        Toxin::EndlessBody => {
            head(&mut client).await?;
            client.write_all(b"HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n").await?;
            let chunk = vec![b'a'; 64 * 1024];
            loop {
                client.write_all(&chunk).await?;
            }
        }
    }
    Ok(())
}

/// Passes requests on as they are, and answers with one text for another.
async fn forge(client: TcpStream, server: SocketAddr, from: &str, to: &str) -> Result<()> {
    let (mut from_client, mut to_client) = client.into_split();
    let (mut from_server, mut to_server) = TcpStream::connect(server).await?.into_split();
    let answers = async {
        let mut buffer = vec![0; 64 * 1024];
        loop {
            let count = from_server.read(&mut buffer).await?;
            let Some(answer) = buffer.get_mut(..count).filter(|answer| !answer.is_empty()) else {
                return anyhow::Ok(());
            };
            replace(answer, from.as_bytes(), to.as_bytes());
            to_client.write_all(answer).await?;
        }
    };
    tokio::select! {
        ended = tokio::io::copy(&mut from_client, &mut to_server) => ended.map(drop)?,
        ended = answers => ended?,
    }
    Ok(())
}

fn replace(text: &mut [u8], from: &[u8], to: &[u8]) {
    for at in 0..text.len() {
        if let Some(place) = text.get_mut(at..at.saturating_add(from.len()))
            && place == from
            && from.len() == to.len()
        {
            place.copy_from_slice(to);
        }
    }
}

/// Reads the head of a request, so that it is answered and not interrupted. Who tries TLS is answered in plain text, as
/// web servers do.
async fn head(client: &mut TcpStream) -> Result<()> {
    let mut seen = vec![client.read_u8().await?];
    if seen.starts_with(&[TLS_HANDSHAKE]) {
        client.write_all(b"HTTP/1.1 400 Bad Request\r\nconnection: close\r\n\r\n").await?;
        bail!("TLS");
    }
    while !seen.ends_with(b"\r\n\r\n") && seen.len() < 64 * 1024 {
        seen.push(client.read_u8().await?);
    }
    Ok(())
}

/// Passes requests on as they are, and answers byte by byte with a pause, or up to a limit.
async fn drip(
    client: TcpStream,
    server: SocketAddr,
    pause: Option<Duration>,
    limit: usize,
) -> Result<()> {
    let (mut from_client, mut to_client) = client.into_split();
    let (mut from_server, mut to_server) = TcpStream::connect(server).await?.into_split();
    let requests = tokio::spawn(async move {
        // Ends with the connection.
        let _ = tokio::io::copy(&mut from_client, &mut to_server).await;
    });
    let (mut buffer, mut left) = ([0; 4096], limit);
    while left > 0 {
        let size = if pause.is_some() { 1 } else { buffer.len().min(left) };
        let Some(room) = buffer.get_mut(..size) else { break };
        let count = from_server.read(room).await?;
        let Some(read) = room.get(..count).filter(|read| !read.is_empty()) else { break };
        to_client.write_all(read).await?;
        left = left.saturating_sub(count);
        if let Some(pause) = pause {
            tokio::time::sleep(pause).await;
        }
    }
    requests.abort();
    Ok(())
}
