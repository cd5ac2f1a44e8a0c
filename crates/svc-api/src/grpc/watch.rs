//! Streams of a route as streams of messages.

use std::collections::VecDeque;

use api_grpc::v1::{Kind, WatchResponse, watch_response::Change};
use api_rest::sse::{self, ChangeType, Frame, Parser, WatchError};
use bytes::Bytes;
use futures::{Stream, StreamExt, stream};
use serde::Deserialize;
use serde_json::value::RawValue;
use tonic::{Code, Status};

use super::object::object;

/// The largest object that a frame may hold.
const MAX_FRAME: usize = 16 * 1024 * 1024;

type Told = Result<WatchResponse, Status>;

/// A frame that tells of a change.
#[derive(Deserialize)]
struct Data {
    #[serde(rename = "type")]
    change: ChangeType,
    object: Box<RawValue>,
}

/// The changes that frames tell of: of the object `name`, or of all.
pub(super) fn changes<S, E>(frames: S, kind: Kind, name: String) -> impl Stream<Item = Told> + Send
where
    S: Stream<Item = Result<Bytes, E>> + Send + Unpin + 'static,
    E: Send + 'static,
{
    let reader = Reader {
        frames,
        parser: Parser::new(MAX_FRAME),
        ready: VecDeque::new(),
        is_over: false,
        kind,
        name,
    };
    stream::unfold(reader, |mut reader| async move { Some((reader.next().await?, reader)) })
}

struct Reader<S> {
    frames: S,
    parser: Parser,
    ready: VecDeque<Told>,
    is_over: bool,
    kind: Kind,
    name: String,
}

impl<S, E> Reader<S>
where
    S: Stream<Item = Result<Bytes, E>> + Unpin,
{
    async fn next(&mut self) -> Option<Told> {
        loop {
            if let Some(told) = self.ready.pop_front() {
                self.is_over |= told.is_err();
                return Some(told);
            }
            if self.is_over {
                return None;
            }
            match self.frames.next().await {
                Some(Ok(chunk)) => self.take(&chunk),
                Some(Err(_)) | None => self.is_over = true,
            }
        }
    }

    fn take(&mut self, chunk: &[u8]) {
        match self.parser.push(chunk) {
            Ok(frames) => {
                let told = frames.iter().filter_map(|frame| self.told(frame));
                self.ready.extend(told.collect::<Vec<_>>());
            }
            Err(_) => {
                self.ready.push_back(Err(Status::resource_exhausted("an object is too large")));
            }
        }
    }

    /// What a frame tells the client; `None` when nothing.
    fn told(&self, frame: &Frame) -> Option<Told> {
        match frame.event.as_deref() {
            Some(sse::ERROR_EVENT) => return Some(Err(ended(&frame.data))),
            Some(sse::CLOSE_EVENT) => {
                return Some(Err(Status::unavailable("the server is stopping")));
            }
            _ if frame.data.is_empty() => return None,
            _ => {}
        }
        let Ok(data) = serde_json::from_str::<Data>(&frame.data) else {
            return Some(Err(Status::internal("the change is no JSON")));
        };
        let changed = match object(self.kind, data.object.get()) {
            Ok(changed) => changed,
            Err(status) => return Some(Err(status)),
        };
        if !self.name.is_empty() && changed.name != self.name {
            return None;
        }
        let change = match data.change {
            ChangeType::Added => Change::Added,
            ChangeType::Modified => Change::Modified,
            ChangeType::Deleted => Change::Deleted,
        };
        Some(Ok(WatchResponse {
            change: change.into(),
            object: Some(changed),
            resource_version: frame.id.clone().unwrap_or_default(),
        }))
    }
}

/// Why a stream ends.
fn ended(data: &str) -> Status {
    let Ok(WatchError { code, message }) = serde_json::from_str(data) else {
        return Status::internal("the watch ended");
    };
    let code = match code.as_str() {
        sse::OUT_OF_RANGE => Code::OutOfRange,
        sse::UNAUTHENTICATED => Code::Unauthenticated,
        _ => Code::Unknown,
    };
    Status::new(code, message)
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn told(frames: &[Vec<u8>], name: &str) -> Vec<Result<String, Code>> {
        let chunks: Vec<Result<Bytes, ()>> =
            frames.iter().map(|frame| Ok(Bytes::from(frame.clone()))).collect();
        let told = changes(stream::iter(chunks), Kind::Stage, name.to_owned());
        let words = told.map(|told| {
            let told = told.map_err(|status| status.code())?;
            let change = told.change().as_str_name().to_owned();
            Ok(format!("{change} {} {}", told.object.unwrap().name, told.resource_version))
        });
        words.collect().await
    }

    fn frame(change: ChangeType, name: &str, id: Option<&str>) -> Vec<u8> {
        sse::watch_frame(change, format!(r#"{{"metadata":{{"name":"{name}"}}}}"#).as_bytes(), id)
    }

    #[tokio::test]
    async fn changes_are_told_with_where_to_go_on() {
        let frames = [
            frame(ChangeType::Added, "a", None),
            sse::KEEPALIVE.into(),
            frame(ChangeType::Modified, "b", Some("7")),
            frame(ChangeType::Deleted, "a", Some("9")),
        ];
        let all = ["CHANGE_ADDED a ", "CHANGE_MODIFIED b 7", "CHANGE_DELETED a 9"];
        assert_eq!(told(&frames, "").await, all.map(|text| Ok(text.to_owned())));
        assert_eq!(told(&frames, "b").await, [Ok("CHANGE_MODIFIED b 7".to_owned())]);
    }

    #[tokio::test]
    async fn a_stream_ends_with_the_reason() {
        for (last, code) in [
            (sse::error_frame(sse::OUT_OF_RANGE, "gone"), Code::OutOfRange),
            (sse::error_frame(sse::UNAUTHENTICATED, "expired"), Code::Unauthenticated),
            (sse::CLOSE.to_owned(), Code::Unavailable),
        ] {
            let frames = [last.into_bytes(), frame(ChangeType::Added, "late", None)];
            assert_eq!(told(&frames, "").await, [Err(code)]);
        }
    }
}
