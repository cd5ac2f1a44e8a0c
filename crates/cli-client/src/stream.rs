//! A body read as server-sent events.

use std::collections::VecDeque;

use api_rest::sse::{Frame, Parser};

use crate::{Body, Error};

/// The largest event: an object is never larger than what the server accepts.
const MAX_EVENT: usize = 8 * 1024 * 1024;

/// Events of one open stream.
pub(crate) struct EventStream {
    body: Body,
    parser: Parser,
    ready: VecDeque<Frame>,
}

impl EventStream {
    pub(crate) fn new(body: Body) -> Self {
        Self { body, parser: Parser::new(MAX_EVENT), ready: VecDeque::new() }
    }

    /// The next event; `None` when the stream ended.
    pub(crate) async fn next(&mut self) -> Result<Option<Frame>, Error> {
        loop {
            if let Some(frame) = self.ready.pop_front() {
                return Ok(Some(frame));
            }
            let Some(chunk) = self.body.next().await? else { return Ok(None) };
            let frames = self.parser.push(&chunk).map_err(|_| Error::TooLarge(MAX_EVENT))?;
            self.ready.extend(frames);
        }
    }
}
