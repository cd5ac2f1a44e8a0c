//! The body of an index on its way in.
//!
//! Indexes may be large and servers slow, both at once. So what is under way is in memory only up to a
//! small size and in a file from there on: a slow server takes nothing that others wait for.

use std::{io, path::Path};

use io_http::outbound::{self, Response};
use tokio::{
    fs::File,
    io::{AsyncReadExt as _, AsyncSeekExt as _, AsyncWriteExt as _},
};

/// Bytes in memory before the rest goes to a file.
const IN_MEMORY: usize = 256 * 1024;

/// Why a body was not received.
#[derive(Debug, thiserror::Error)]
pub(super) enum Interruption {
    #[error(transparent)]
    Outbound(#[from] outbound::Error),
    #[error("it cannot be kept meanwhile: {0}")]
    File(#[from] io::Error),
}

/// A body, or what has arrived of it.
#[derive(Default)]
pub(super) struct Body {
    memory: Vec<u8>,
    /// What came before.
    file: Option<File>,
}

impl Body {
    /// Receives up to `limit` bytes. `directory` is where files may be.
    pub(super) async fn receive(
        mut response: Response,
        limit: u64,
        directory: Option<&Path>,
    ) -> Result<Self, Interruption> {
        let mut body = Self::default();
        let mut received: u64 = 0;
        response.check_length(received, limit)?;
        while let Some(chunk) = response.chunk().await? {
            received = received.saturating_add(u64::try_from(chunk.len()).unwrap_or(u64::MAX));
            response.check_length(received, limit)?;
            body.memory.extend_from_slice(&chunk);
            if body.memory.len() > IN_MEMORY {
                body.spill(directory).await?;
            }
        }
        Ok(body)
    }

    /// All of it, in memory.
    pub(super) async fn into_bytes(mut self) -> io::Result<Vec<u8>> {
        let Some(mut file) = self.file else { return Ok(self.memory) };
        let mut bytes = Vec::new();
        file.rewind().await?;
        file.read_to_end(&mut bytes).await?;
        bytes.append(&mut self.memory);
        Ok(bytes)
    }

    /// Moves what is in memory to the file, which has no name and goes with us.
    async fn spill(&mut self, directory: Option<&Path>) -> io::Result<()> {
        if self.file.is_none() {
            let file = match directory {
                Some(directory) => tempfile::tempfile_in(directory),
                None => tempfile::tempfile(),
            };
            self.file = Some(File::from_std(file?));
        }
        if let Some(file) = &mut self.file {
            file.write_all(&self.memory).await?;
            // Nothing reports what a write in the background came to.
            file.flush().await?;
        }
        self.memory.clear();
        Ok(())
    }
}
