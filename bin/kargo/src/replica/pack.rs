//! Compressing and its reverse, and the thread on which that is done: the disk and the processor keep nobody waiting.

use std::{
    fs::{self, File, OpenOptions},
    io::{self, Read},
    os::unix::fs::OpenOptionsExt,
    path::Path,
    thread,
};

use bytes::Bytes;
use tokio::sync::oneshot;

/// Fast, and JSON gets a tenth of its size all the same.
const LEVEL: i32 = 3;

/// Runs `work` on a thread of its own.
pub(super) async fn aside<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> io::Result<T> {
    let (reply, answer) = oneshot::channel();
    thread::Builder::new().name("replica".to_owned()).spawn(move || {
        // The caller may have gone.
        let _ = reply.send(work());
    })?;
    answer.await.map_err(|_| io::Error::other("the thread of the replica panicked"))
}

/// Compresses all that `from` gives.
pub(super) fn pack(mut from: impl Read) -> io::Result<Bytes> {
    let mut encoder = zstd::stream::Encoder::new(Vec::new(), LEVEL)?;
    encoder.include_checksum(true)?;
    io::copy(&mut from, &mut encoder)?;
    encoder.finish().map(Bytes::from)
}

/// What was compressed, if it is no longer than `limit` bytes.
pub(super) fn unpack(packed: &[u8], limit: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    zstd::stream::Decoder::new(packed)?.take(limit + 1).read_to_end(&mut bytes)?;
    if u64::try_from(bytes.len()).is_ok_and(|length| length <= limit) {
        return Ok(bytes);
    }
    Err(io::Error::new(io::ErrorKind::InvalidData, format!("it has more than {limit} bytes")))
}

/// Writes what was compressed to a new file that nobody else can read.
pub(super) fn unpack_to(packed: &[u8], file: &Path) -> io::Result<()> {
    let mut options = OpenOptions::new();
    let mut file: File = options.write(true).create_new(true).mode(0o600).open(file)?;
    let mut decoder = zstd::stream::Decoder::new(packed)?;
    io::copy(&mut decoder, &mut file).map(drop)
}

/// Removes a file; that there is none is fine.
pub(super) fn remove_if_there(file: &Path) -> io::Result<()> {
    match fs::remove_file(file) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_packed_comes_back_and_damage_is_noticed() {
        let text = "correct horse battery staple ".repeat(1000);
        let packed = pack(text.as_bytes()).unwrap();
        assert!(packed.len() < text.len() / 10);
        assert_eq!(unpack(&packed, 29_000).unwrap(), text.as_bytes());
        assert!(unpack(&packed, 28_999).is_err());
        let mut damaged = packed.to_vec();
        *damaged.last_mut().unwrap() ^= 1;
        assert!(unpack(&damaged, 29_000).is_err());
    }
}
