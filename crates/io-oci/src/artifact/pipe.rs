//! A request body that is fed piece by piece from somewhere else.

use std::{
    pin::Pin,
    task::{Context, Poll},
};

use bytes::Bytes;
use http_body::{Body, Frame, SizeHint};
use tokio::sync::mpsc;

/// Pieces that may wait to be sent.
const PIECES: usize = 2;

/// Why a body ended before its time: whoever feeds it knows more.
#[derive(Debug, thiserror::Error)]
#[error("the source of the upload failed")]
pub(super) struct BrokenSource;

/// The end that is fed.
pub(super) struct Feed {
    sender: mpsc::Sender<Result<Bytes, BrokenSource>>,
}

/// The end that is sent.
pub(super) struct Piped {
    receiver: mpsc::Receiver<Result<Bytes, BrokenSource>>,
    left: u64,
}

/// A body of `length` bytes and what feeds it.
pub(super) fn pipe(length: u64) -> (Feed, Piped) {
    let (sender, receiver) = mpsc::channel(PIECES);
    (Feed { sender }, Piped { receiver, left: length })
}

impl Feed {
    /// Hands on a piece; `false` when nobody wants any more.
    pub(super) async fn push(&self, piece: Bytes) -> bool {
        self.sender.send(Ok(piece)).await.is_ok()
    }

    /// Ends the body so that the other side does not take it for whole.
    pub(super) async fn fail(self) {
        // If nobody listens, nobody is misled.
        let _ = self.sender.send(Err(BrokenSource)).await;
    }
}

impl Body for Piped {
    type Data = Bytes;
    type Error = BrokenSource;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, BrokenSource>>> {
        if self.left == 0 {
            return Poll::Ready(None);
        }
        self.receiver.poll_recv(cx).map(|piece| {
            let piece = piece?;
            Some(piece.map(|piece| {
                self.left =
                    self.left.saturating_sub(u64::try_from(piece.len()).unwrap_or(u64::MAX));
                Frame::data(piece)
            }))
        })
    }

    fn is_end_stream(&self) -> bool {
        self.left == 0
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(self.left)
    }
}
