//! Compressing and its reverse.

use std::{
    fs::{File, OpenOptions},
    io::{self, Read},
    os::unix::fs::OpenOptionsExt,
    path::Path,
};

use bytes::Bytes;

/// Fast, and JSON gets a tenth of its size all the same.
const LEVEL: i32 = 3;

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
