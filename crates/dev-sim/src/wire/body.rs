//! The body of a reply on its way: it breaks off when the server dies, and the events of a watch come late or not at all.

use std::{
    pin::Pin,
    sync::Arc,
    task::{Context, Poll, ready},
    time::Duration,
};

use bytes::Bytes;
use core_clock::{BoxTask, Clock, Sleep};
use emb_apiserver::Body as ServerBody;
use futures::FutureExt;
use http_body::{Body, Frame};

use super::{Broken, Link};
use crate::faults::Fault;

/// The longest an event is held up.
const DELAY: Duration = Duration::from_secs(30);

/// What a poll of a body gives.
type Polled = Poll<Option<Result<Frame<Bytes>, Broken>>>;

/// A reply body that may break.
pub(crate) struct WireBody {
    inner: ServerBody,
    /// The end of the server that sends it; `None` for a reply that no server gave, and after the end.
    server_ended: Option<BoxTask>,
    made_up: bool,
    /// The connection, when this is a watch.
    watch: Option<Arc<Link>>,
    /// An event that is held up.
    held: Option<(Sleep, Frame<Bytes>)>,
    /// An event that comes once more.
    repeated: Option<Bytes>,
    ended: bool,
}

impl WireBody {
    pub(super) fn from_server(
        inner: ServerBody,
        server_ended: BoxTask,
        watch: Option<Arc<Link>>,
    ) -> Self {
        let server_ended = Some(server_ended);
        Self { watch, ..Self::new(inner, server_ended, false) }
    }

    pub(super) fn made_up(text: String) -> Self {
        Self::new(ServerBody::full(text), None, true)
    }

    fn new(inner: ServerBody, server_ended: Option<BoxTask>, made_up: bool) -> Self {
        let (watch, held, repeated, ended) = (None, None, None, false);
        Self { inner, server_ended, made_up, watch, held, repeated, ended }
    }

    pub(super) fn is_made_up(&self) -> bool {
        self.made_up
    }

    fn break_off(&mut self) -> Polled {
        self.ended = true;
        Poll::Ready(Some(Err(Broken::Reset)))
    }

    /// What becomes of an event of a watch: passed on once or twice, held up, or the end of the connection.
    fn meet_faults(&mut self, link: &Link, frame: Frame<Bytes>) -> Option<Polled> {
        if link.strikes(Fault::WatchDropped) {
            link.story.tell(&link.who, "a watch breaks off");
            return Some(self.break_off());
        }
        if link.strikes(Fault::WatchDelayed) {
            self.held = Some((link.clock.sleep(link.dice.duration(DELAY)), frame));
            return None;
        }
        if link.strikes(Fault::WatchRepeated) {
            self.repeated = frame.data_ref().cloned();
        }
        Some(Poll::Ready(Some(Ok(frame))))
    }
}

impl Body for WireBody {
    type Data = Bytes;
    type Error = Broken;

    fn poll_frame(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Broken>>> {
        let this = self.get_mut();
        if this.ended {
            return Poll::Ready(None);
        }
        if this.server_ended.as_mut().is_some_and(|ended| ended.poll_unpin(cx).is_ready()) {
            return this.break_off();
        }
        loop {
            if let Some((sleep, _)) = &mut this.held {
                ready!(sleep.poll_unpin(cx));
                return Poll::Ready(this.held.take().map(|(_, frame)| Ok(frame)));
            }
            if let Some(data) = this.repeated.take() {
                return Poll::Ready(Some(Ok(Frame::data(data))));
            }
            let Some(Ok(frame)) = ready!(Pin::new(&mut this.inner).poll_frame(cx)) else {
                this.ended = true;
                return Poll::Ready(None);
            };
            let Some(link) = this.watch.clone() else { return Poll::Ready(Some(Ok(frame))) };
            if let Some(outcome) = this.meet_faults(&link, frame) {
                return outcome;
            }
        }
    }
}
