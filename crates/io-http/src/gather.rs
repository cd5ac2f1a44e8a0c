//! Large writes go out together.
//!
//! HTTP/2 flushes behind every frame of 16 KiB. A large reply would be hundreds of small sends, each with a call of the
//! system and a wake-up of the client.

use std::{
    io::{self, IoSlice},
    pin::Pin,
    task::{Context, Poll, ready},
};

use bytes::{Buf, BytesMut};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

/// A write of at least so many bytes is a part of something larger.
const LARGE: usize = 8 * 1024;
/// So many bytes go out at once.
const FULL: usize = 64 * 1024;

/// A stream that puts a flush off when it comes right behind a large write. Small writes go their way at once, and so do
/// those that fill a send of their own.
pub(crate) struct Gather<S> {
    inner: S,
    /// What was taken and is not written yet.
    held: BytesMut,
    /// Whether the last thing that happened was a large write.
    expects_more: bool,
}

impl<S: AsyncWrite + Unpin> Gather<S> {
    pub(crate) fn new(inner: S) -> Self {
        Self { inner, held: BytesMut::new(), expects_more: false }
    }

    /// Whether a write of so many bytes is to be held back; makes room for it.
    fn poll_holds(&mut self, cx: &mut Context<'_>, length: usize) -> Poll<io::Result<bool>> {
        if self.held.len() >= FULL || length >= FULL {
            ready!(self.poll_let_go(cx))?;
        }
        self.expects_more = (LARGE..FULL).contains(&length);
        if self.held.is_empty() && self.expects_more {
            // Room for all that comes before it is full, and for the write that makes it so: it need not grow.
            self.held.reserve(FULL + length);
        }
        Poll::Ready(Ok(self.expects_more || !self.held.is_empty()))
    }

    fn poll_let_go(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        while !self.held.is_empty() {
            let written = ready!(Pin::new(&mut self.inner).poll_write(cx, &self.held))?;
            if written == 0 {
                return Poll::Ready(Err(io::ErrorKind::WriteZero.into()));
            }
            self.held.advance(written);
        }
        // Most connections are idle most of the time, and should hold nothing then.
        self.held = BytesMut::new();
        Poll::Ready(Ok(()))
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Gather<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        if !ready!(self.poll_holds(cx, bytes.len()))? {
            return Pin::new(&mut self.inner).poll_write(cx, bytes);
        }
        self.held.extend_from_slice(bytes);
        Poll::Ready(Ok(bytes.len()))
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        parts: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let length = parts.iter().map(|part| part.len()).sum();
        if !ready!(self.poll_holds(cx, length))? {
            return Pin::new(&mut self.inner).poll_write_vectored(cx, parts);
        }
        for part in parts {
            self.held.extend_from_slice(part);
        }
        Poll::Ready(Ok(length))
    }

    fn is_write_vectored(&self) -> bool {
        self.inner.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        if std::mem::take(&mut self.expects_more) && self.held.len() < FULL {
            // If nothing follows after all, whoever writes is to come back and flush once more.
            cx.waker().wake_by_ref();
            return Poll::Ready(Ok(()));
        }
        ready!(self.poll_let_go(cx))?;
        Pin::new(&mut self.inner).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        ready!(self.poll_let_go(cx))?;
        Pin::new(&mut self.inner).poll_shutdown(cx)
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Gather<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        into: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.inner).poll_read(cx, into)
    }
}

#[cfg(test)]
mod tests {
    use std::task::Waker;

    use super::*;

    /// Takes everything, and remembers how it came.
    #[derive(Default)]
    struct Log {
        writes: Vec<Vec<u8>>,
        flushes: usize,
    }

    impl AsyncWrite for Log {
        fn poll_write(
            mut self: Pin<&mut Self>,
            _: &mut Context<'_>,
            bytes: &[u8],
        ) -> Poll<io::Result<usize>> {
            self.writes.push(bytes.to_vec());
            Poll::Ready(Ok(bytes.len()))
        }

        fn poll_flush(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
            self.flushes += 1;
            Poll::Ready(Ok(()))
        }

        fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
            Poll::Ready(Ok(()))
        }
    }

    fn write(stream: &mut Gather<Log>, bytes: &[u8]) {
        let mut cx = Context::from_waker(Waker::noop());
        let written = Pin::new(stream).poll_write(&mut cx, bytes).map(Result::unwrap);
        assert_eq!(written, Poll::Ready(bytes.len()));
    }

    fn flush(stream: &mut Gather<Log>) {
        let mut cx = Context::from_waker(Waker::noop());
        assert!(Pin::new(stream).poll_flush(&mut cx).is_ready());
    }

    fn lengths(stream: &Gather<Log>) -> Vec<usize> {
        stream.inner.writes.iter().map(Vec::len).collect()
    }

    #[test]
    fn small_writes_go_at_once_and_so_do_those_that_need_no_company() {
        let mut stream = Gather::new(Log::default());
        for length in [5, FULL, 10 * FULL] {
            write(&mut stream, &vec![b'x'; length]);
            flush(&mut stream);
        }
        assert_eq!((lengths(&stream), stream.inner.flushes), (vec![5, FULL, 10 * FULL], 3));
    }

    #[test]
    fn large_writes_go_together_although_each_is_flushed() {
        let mut stream = Gather::new(Log::default());
        for _ in 0..4 {
            write(&mut stream, &[b'x'; FULL / 4]);
            flush(&mut stream);
        }
        assert_eq!((lengths(&stream), stream.inner.flushes), (vec![FULL], 1));
    }

    #[test]
    fn a_second_flush_or_a_small_write_ends_the_waiting() {
        let mut stream = Gather::new(Log::default());
        write(&mut stream, &[b'x'; LARGE]);
        flush(&mut stream);
        assert!(lengths(&stream).is_empty());
        flush(&mut stream);
        assert_eq!((lengths(&stream), stream.inner.flushes), (vec![LARGE], 1));
        write(&mut stream, &[b'x'; LARGE]);
        write(&mut stream, b"end");
        flush(&mut stream);
        assert_eq!((lengths(&stream), stream.inner.flushes), (vec![LARGE, LARGE + 3], 2));
    }

    #[test]
    fn everything_arrives_in_order() {
        let mut stream = Gather::new(Log::default());
        let mut sent = Vec::new();
        for (at, length) in [3, LARGE, 2 * FULL, 1, FULL, LARGE - 1, 17].into_iter().enumerate() {
            let bytes = vec![u8::try_from(at).unwrap(); length];
            write(&mut stream, &bytes);
            sent.extend(bytes);
            if at % 2 == 0 {
                flush(&mut stream);
            }
        }
        let mut cx = Context::from_waker(Waker::noop());
        assert!(Pin::new(&mut stream).poll_shutdown(&mut cx).is_ready());
        assert_eq!(stream.inner.writes.concat(), sent);
    }
}
