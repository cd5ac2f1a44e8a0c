//! A server for tests: answers what a test wants and remembers what it was asked.

use std::{
    io::{BufRead, BufReader, Read, Write},
    net::{SocketAddr, TcpListener, TcpStream},
    sync::Arc,
};

use parking_lot::Mutex;

pub(crate) struct Double {
    address: SocketAddr,
    requests: Arc<Mutex<Vec<String>>>,
}

impl Double {
    /// Answers every request with what `answer` writes.
    pub(crate) fn start(answer: impl Fn(&mut TcpStream) + Send + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let requests = Arc::new(Mutex::new(Vec::new()));
        let seen = requests.clone();
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let mut reader = BufReader::new(stream.unwrap());
                seen.lock().push(request(&mut reader));
                answer(reader.get_mut());
            }
        });
        Self { address, requests }
    }

    /// Answers every request with this text.
    pub(crate) fn answering(text: impl Into<String>) -> Self {
        let text = text.into();
        // Whoever hangs up has heard enough.
        Self::start(move |stream| drop(stream.write_all(text.as_bytes())))
    }

    pub(crate) fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    /// What was asked so far: heads and bodies as they came.
    pub(crate) fn requests(&self) -> Vec<String> {
        self.requests.lock().clone()
    }
}

/// An answer with a body.
pub(crate) fn reply(status: u16, headers: &str, body: &str) -> String {
    let length = body.len();
    format!(
        "HTTP/1.1 {status} Status\r\ncontent-length: {length}\r\nconnection: close\r\n{headers}\r\n{body}"
    )
}

fn request(reader: &mut BufReader<TcpStream>) -> String {
    let mut text = String::new();
    while reader.read_line(&mut text).unwrap_or(0) > 2 {}
    let length = text
        .lines()
        .find_map(|line| line.to_lowercase().strip_prefix("content-length:")?.trim().parse().ok())
        .unwrap_or(0);
    let mut body = vec![0; length];
    let _ = reader.read_exact(&mut body);
    text + &String::from_utf8_lossy(&body)
}
