//! Input and output of this process.

use std::io::{self, Read as _, Write as _};

use cli_verbs::ports::Streams;

/// Those of this process.
pub(super) struct ProcessStreams;

impl Streams for ProcessStreams {
    fn out(&self, text: &str) -> io::Result<()> {
        let mut stdout = io::stdout().lock();
        stdout.write_all(text.as_bytes())?;
        stdout.flush()
    }

    fn err(&self, text: &str) -> io::Result<()> {
        io::stderr().lock().write_all(text.as_bytes())
    }

    fn read_input(&self, limit: usize) -> io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        let limit = u64::try_from(limit).unwrap_or(u64::MAX).saturating_add(1);
        io::stdin().lock().take(limit).read_to_end(&mut bytes)?;
        Ok(bytes)
    }
}
