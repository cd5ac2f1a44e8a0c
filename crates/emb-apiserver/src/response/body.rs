//! The body of a reply: nothing, some bytes, a list written piece by piece, or a watch stream.

use std::{
    convert::Infallible,
    fmt,
    pin::Pin,
    task::{Context, Poll},
};

use bytes::Bytes;
use futures::{Stream, stream::BoxStream};
use http_body::{Frame, SizeHint};

/// A reply body. Never fails: what goes wrong midway ends the stream.
pub struct Body(Kind);

enum Kind {
    Full(Option<Bytes>),
    /// Pieces made when they are asked for, of a length known before.
    Pieces {
        pieces: Box<dyn Iterator<Item = Bytes> + Send>,
        remaining: u64,
    },
    Stream(BoxStream<'static, Bytes>),
}

impl Body {
    /// No body.
    pub fn empty() -> Self {
        Self(Kind::Full(None))
    }

    /// A body held in memory.
    pub fn full(bytes: impl Into<Bytes>) -> Self {
        Self(Kind::Full(Some(bytes.into())))
    }

    /// Pieces that together have `length` bytes.
    pub(crate) fn pieces(
        pieces: impl Iterator<Item = Bytes> + Send + 'static,
        length: u64,
    ) -> Self {
        Self(Kind::Pieces { pieces: Box::new(pieces), remaining: length })
    }

    /// A stream without a known end.
    pub(crate) fn stream(stream: BoxStream<'static, Bytes>) -> Self {
        Self(Kind::Stream(stream))
    }

    /// The number of bytes still to come, when it is known.
    pub(crate) fn length(&self) -> Option<u64> {
        match &self.0 {
            Kind::Full(bytes) => Some(bytes.as_ref().map_or(0, |bytes| bytes.len() as u64)),
            Kind::Pieces { remaining, .. } => Some(*remaining),
            Kind::Stream(_) => None,
        }
    }

    /// The pieces of a body of known length, for whoever encodes it again; a stream comes back as it is.
    pub(crate) fn into_pieces(self) -> Result<Box<dyn Iterator<Item = Bytes> + Send>, Self> {
        match self.0 {
            Kind::Full(bytes) => Ok(Box::new(bytes.into_iter())),
            Kind::Pieces { pieces, .. } => Ok(pieces),
            Kind::Stream(_) => Err(self),
        }
    }
}

impl http_body::Body for Body {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        let next = match &mut self.get_mut().0 {
            Kind::Full(bytes) => Poll::Ready(bytes.take()),
            Kind::Pieces { pieces, remaining } => {
                let piece = pieces.next();
                let length = piece.as_ref().map_or(0, |piece| piece.len() as u64);
                *remaining = remaining.saturating_sub(length);
                Poll::Ready(piece)
            }
            Kind::Stream(stream) => Pin::new(stream).poll_next(cx),
        };
        next.map(|piece| piece.map(|bytes| Ok(Frame::data(bytes))))
    }

    fn is_end_stream(&self) -> bool {
        match &self.0 {
            Kind::Full(bytes) => bytes.as_ref().is_none_or(Bytes::is_empty),
            Kind::Pieces { remaining, .. } => *remaining == 0,
            Kind::Stream(_) => false,
        }
    }

    fn size_hint(&self) -> SizeHint {
        self.length().map_or_else(SizeHint::default, SizeHint::with_exact)
    }
}

impl fmt::Debug for Body {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Body").field("length", &self.length()).finish()
    }
}

#[cfg(test)]
mod tests {
    use futures::executor::block_on;
    use http_body_util::BodyExt;

    use super::*;

    #[test]
    fn pieces_announce_their_length_and_arrive_in_order() {
        let body = Body::pieces([Bytes::from("ab"), Bytes::from("c")].into_iter(), 3);
        assert_eq!(http_body::Body::size_hint(&body).exact(), Some(3));
        assert_eq!(block_on(body.collect()).unwrap().to_bytes(), "abc");
    }

    #[test]
    fn an_empty_body_has_ended_before_it_began() {
        assert!(http_body::Body::is_end_stream(&Body::empty()));
    }
}
