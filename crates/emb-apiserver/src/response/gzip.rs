//! Compression of large replies, as they are written.

use std::io::Write;

use bytes::Bytes;
use flate2::{Compression, write::GzEncoder};
use futures::{StreamExt, stream};
use http::{HeaderValue, Response, header};

use super::Body;

/// Replies below this size are not worth the work.
const THRESHOLD: u64 = 131_072;

/// Compresses the body when the client accepts it and it is large. Streams of unknown length stay as they are: clients
/// read watch events as they come.
pub(crate) fn compress(response: Response<Body>, accept_encoding: &str) -> Response<Body> {
    let large = response.body().length().is_some_and(|length| length >= THRESHOLD);
    if !large || !accepts_gzip(accept_encoding) {
        return response;
    }
    let (mut parts, body) = response.into_parts();
    match body.into_pieces() {
        Err(stream) => Response::from_parts(parts, stream),
        Ok(pieces) => {
            parts.headers.insert(header::CONTENT_ENCODING, HeaderValue::from_static("gzip"));
            parts.headers.append(header::VARY, HeaderValue::from_static("Accept-Encoding"));
            parts.headers.remove(header::CONTENT_LENGTH);
            Response::from_parts(parts, Body::stream(stream::iter(Gzip::new(pieces)).boxed()))
        }
    }
}

fn accepts_gzip(accept_encoding: &str) -> bool {
    accept_encoding.split(',').any(|clause| {
        let mut parts = clause.split(';').map(str::trim);
        parts.next() == Some("gzip") && !parts.any(|quality| quality == "q=0")
    })
}

struct Gzip {
    pieces: Box<dyn Iterator<Item = Bytes> + Send>,
    encoder: Option<GzEncoder<Vec<u8>>>,
}

impl Gzip {
    fn new(pieces: Box<dyn Iterator<Item = Bytes> + Send>) -> Self {
        Self { pieces, encoder: Some(GzEncoder::new(Vec::new(), Compression::fast())) }
    }
}

impl Iterator for Gzip {
    type Item = Bytes;

    fn next(&mut self) -> Option<Bytes> {
        loop {
            let Some(piece) = self.pieces.next() else {
                // Writing to memory cannot fail; if it did, the client sees a cut gzip stream and an error.
                return self.encoder.take()?.finish().ok().map(Bytes::from);
            };
            let encoder = self.encoder.as_mut()?;
            encoder.write_all(&piece).ok()?;
            let written = std::mem::take(encoder.get_mut());
            if !written.is_empty() {
                return Some(Bytes::from(written));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use futures::executor::block_on;
    use http_body_util::BodyExt;

    use super::*;

    #[test]
    fn only_large_bodies_are_compressed_and_only_when_asked() {
        let reply = |size: usize| Response::new(Body::full(vec![b'x'; size]));
        let encoded =
            |response: &Response<Body>| response.headers().contains_key("content-encoding");
        assert!(!encoded(&compress(reply(1000), "gzip")));
        assert!(!encoded(&compress(reply(200_000), "br, gzip;q=0")));
        let response = compress(reply(200_000), "deflate, gzip");
        assert!(encoded(&response));
        let bytes = block_on(response.into_body().collect()).unwrap().to_bytes();
        let mut text = Vec::new();
        flate2::read::GzDecoder::new(&bytes[..]).read_to_end(&mut text).unwrap();
        assert_eq!(text, vec![b'x'; 200_000]);
    }
}
