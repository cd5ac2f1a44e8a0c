//! The life of an open watch.

use std::{collections::VecDeque, sync::Arc, time::Duration};

use bytes::{Bytes, BytesMut};
use core_clock::{BoxTask, Clock, Sleep};
use emb_meta::{Reason, Status};
use emb_store::{Entry, Event, WatchEnd, Watcher};
use futures::{
    FutureExt, StreamExt,
    future::{self, Either},
    stream::{self, BoxStream},
};

use super::{
    frame::{self, Framer},
    options::Options,
};
use crate::state::State;

/// How often an idle client learns how far it has come.
const BOOKMARK_INTERVAL: Duration = Duration::from_mins(1);
/// Initial objects are sent in pieces of about this size.
const PIECE_BYTES: usize = 128 * 1024;

pub(super) struct Stream {
    clock: Arc<dyn Clock>,
    framer: Framer,
    watcher: Watcher,
    initial: VecDeque<Arc<Entry>>,
    initial_end: bool,
    bookmark: Option<Sleep>,
    /// The timeout of the watch, or the end of the server.
    end: BoxTask,
    ended: bool,
}

/// What to do next on an open watch.
enum Next {
    Events(Result<Vec<Arc<Event>>, WatchEnd>),
    Bookmark,
    End,
}

/// What one step sends: bytes, and how many events they hold.
type Piece = (Bytes, u64);

impl Stream {
    pub(super) fn new(
        state: &Arc<State>,
        framer: Framer,
        watcher: Watcher,
        initial: VecDeque<Arc<Entry>>,
        options: &Options,
    ) -> Self {
        let clock = state.clock.clone();
        let timeout = clock.sleep(options.timeout);
        let end = future::select(timeout, state.tasks.stopping()).map(|_| ()).boxed();
        let bookmark = options.bookmarks.then(|| clock.sleep(BOOKMARK_INTERVAL));
        let initial_end = options.marks_initial_end;
        Self { clock, framer, watcher, initial, initial_end, bookmark, end, ended: false }
    }

    /// The bytes of the watch; `sent` is told how many events each piece holds.
    pub(super) fn into_bytes(
        self,
        sent: impl Fn(u64) + Send + 'static,
    ) -> BoxStream<'static, Bytes> {
        stream::unfold(self, |mut stream| async move {
            let piece = stream.step().await?;
            Some((piece, stream))
        })
        .map(move |(bytes, events)| {
            sent(events);
            bytes
        })
        .fuse()
        .boxed()
    }

    async fn step(&mut self) -> Option<Piece> {
        if self.ended {
            return None;
        }
        if !self.initial.is_empty() {
            return Some(self.initial_piece());
        }
        if std::mem::take(&mut self.initial_end) {
            return Some((self.framer.bookmark(self.watcher.revision(), true), 0));
        }
        loop {
            let piece = match self.next().await {
                Next::End | Next::Events(Err(WatchEnd::Closed)) => return None,
                Next::Bookmark => {
                    self.bookmark = Some(self.clock.sleep(BOOKMARK_INTERVAL));
                    Some((self.framer.bookmark(self.watcher.revision(), false), 0))
                }
                Next::Events(Ok(events)) => self.events_piece(&events),
                Next::Events(Err(WatchEnd::Expired(expired))) => {
                    self.ended = true;
                    let status = Status::new(Reason::Expired, expired.to_string());
                    Some((frame::error(&status), 0))
                }
            };
            if piece.is_some() {
                return piece;
            }
        }
    }

    async fn next(&mut self) -> Next {
        let bookmark = match &mut self.bookmark {
            Some(sleep) => Either::Left(sleep),
            None => Either::Right(future::pending()),
        };
        let events = std::pin::pin!(self.watcher.next());
        let timers = future::select(&mut self.end, bookmark);
        match future::select(events, timers).await {
            Either::Left((events, _)) => Next::Events(events),
            Either::Right((Either::Left(_), _)) => Next::End,
            Either::Right((Either::Right(_), _)) => Next::Bookmark,
        }
    }

    fn initial_piece(&mut self) -> Piece {
        let (mut out, mut events) = (BytesMut::with_capacity(PIECE_BYTES), 0);
        while out.len() < PIECE_BYTES
            && let Some(entry) = self.initial.pop_front()
        {
            self.framer.initial(&entry, &mut out);
            events += 1;
        }
        (out.freeze(), events)
    }

    fn events_piece(&mut self, events: &[Arc<Event>]) -> Option<Piece> {
        let frames: Vec<Bytes> =
            events.iter().filter_map(|event| self.framer.event(event)).collect();
        match frames.as_slice() {
            [] => None,
            // The frame all watchers share goes out without a copy.
            [only] => Some((only.clone(), 1)),
            many => Some((many.concat().into(), many.len() as u64)),
        }
    }
}
