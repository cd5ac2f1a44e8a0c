//! Packets from wherever they come: the body of an answer, or the output of `ssh`.

use bytes::Bytes;
use io_http::outbound;
use tokio::{io::AsyncReadExt, process::ChildStdout};

use super::pkt_line::{Decoder, Packet};
use crate::error::{Error, remote_words};

const CHUNK: usize = 16 * 1024;

/// Where bytes arrive.
pub(crate) enum Incoming {
    Http(outbound::Response),
    Child(ChildStdout),
}

/// Reads packets under a limit on their total size.
pub(crate) struct Packets {
    incoming: Incoming,
    decoder: Decoder,
    left: u64,
    limit: u64,
    /// Who sends, for messages.
    host: String,
    repository: String,
}

impl Packets {
    pub(crate) fn new(incoming: Incoming, limit: u64, host: String, repository: String) -> Self {
        Self { incoming, decoder: Decoder::default(), left: limit, limit, host, repository }
    }

    /// The next packet; `None` at the end of the stream.
    pub(crate) async fn next(&mut self) -> Result<Option<Packet>, Error> {
        loop {
            let packet = self.decoder.next().map_err(|error| self.protocol(error.to_string()))?;
            if let Some(packet) = packet {
                return self.refuse_errors(packet).map(Some);
            }
            let Some(chunk) = self.chunk().await? else {
                if self.decoder.is_partial() {
                    return Err(self.protocol("it broke off within a packet"));
                }
                return Ok(None);
            };
            let size = u64::try_from(chunk.len()).unwrap_or(u64::MAX);
            let left = self.left.checked_sub(size);
            self.left = left.ok_or_else(|| self.too_large(self.limit, "bytes of refs"))?;
            self.decoder.feed(&chunk);
        }
    }

    /// The next packet, which must be data or a signal: the stream may not end here.
    pub(crate) async fn expect(&mut self) -> Result<Packet, Error> {
        match self.next().await? {
            Some(packet) => Ok(packet),
            None => Err(self.protocol("it broke off")),
        }
    }

    pub(crate) fn protocol(&self, reason: impl Into<String>) -> Error {
        Error::Protocol { host: self.host.clone(), reason: reason.into() }
    }

    pub(crate) fn too_large(&self, limit: u64, unit: &'static str) -> Error {
        Error::TooLarge { repository: self.repository.clone(), limit, unit }
    }

    async fn chunk(&mut self) -> Result<Option<Bytes>, Error> {
        match &mut self.incoming {
            Incoming::Http(response) => Ok(response.chunk().await?),
            Incoming::Child(pipe) => {
                let mut chunk = vec![0; CHUNK];
                let count = pipe.read(&mut chunk).await;
                let count = count.map_err(|error| Error::local("ssh could not be read", &error))?;
                chunk.truncate(count);
                Ok((count > 0).then(|| chunk.into()))
            }
        }
    }

    /// A server may answer with `ERR` and its reason wherever a packet is expected.
    fn refuse_errors(&self, packet: Packet) -> Result<Packet, Error> {
        let Packet::Data(data) = &packet else { return Ok(packet) };
        let Some(reason) = data.strip_prefix(b"ERR ") else { return Ok(packet) };
        let reason = remote_words(&String::from_utf8_lossy(reason));
        if is_not_found(&reason) {
            return Err(Error::NotFound { repository: self.repository.clone() });
        }
        Err(self.protocol(reason))
    }
}

/// How servers say that there is no such repository.
pub(crate) fn is_not_found(words: &str) -> bool {
    let words = words.to_ascii_lowercase();
    [
        "not found",
        "does not exist",
        "does not appear to be a git repository",
        "no such repository",
        "not a git repository",
        "could not be found",
    ]
    .iter()
    .any(|known| words.contains(known))
}
