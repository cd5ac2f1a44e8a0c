//! Events as the client sees them: filtered, shaped, one JSON line each.

use std::sync::Arc;

use bytes::{BufMut, Bytes, BytesMut};
use emb_kinds::table::IncludeObject;
use emb_meta::{ObjectExt, Status};
use emb_store::{Change, Entry, Event};
use serde_json::{Value, json};

use super::super::selection::Selection;
use crate::{
    call::Call,
    registry::Served,
    request::{negotiate::Shape, query::Managers},
    response::shape::{self, TableForm},
    state::State,
};

/// Makes frames for one watch.
pub(super) struct Framer {
    pub(super) selection: Selection,
    state: Arc<State>,
    served: Arc<Served>,
    shape: Shape,
    include: IncludeObject,
    managers: Managers,
    /// A table tells its columns in the first event only.
    columns_told: bool,
}

/// What a client is told of a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Added,
    Modified,
    Deleted,
}

impl Kind {
    fn name(self) -> &'static str {
        match self {
            Self::Added => "ADDED",
            Self::Modified => "MODIFIED",
            Self::Deleted => "DELETED",
        }
    }

    /// What the change is when no selector hides a part of it.
    fn natural(change: Change) -> Self {
        match change {
            Change::Created => Self::Added,
            Change::Updated => Self::Modified,
            Change::Deleted => Self::Deleted,
        }
    }
}

impl Framer {
    pub(super) fn new(call: &Call, selection: Selection, shape: Shape) -> Result<Self, Status> {
        Ok(Self {
            selection,
            state: call.state.clone(),
            served: call.served.clone(),
            shape,
            include: shape::include(call.info.query.get("includeObject"))?,
            managers: call.info.query.managers(),
            columns_told: false,
        })
    }

    /// Appends an object that was there before the watch began.
    pub(super) fn initial(&mut self, entry: &Entry, out: &mut BytesMut) {
        if self.shape == Shape::Full {
            let write = |out: &mut BytesMut| self.served.write(entry, self.managers, out);
            write_frame(Kind::Added.name(), out, write);
        } else {
            let object = self.served.shown(entry, self.managers);
            out.put_slice(&self.shaped(Kind::Added.name(), object));
        }
    }

    /// A change, if it concerns this watch.
    pub(super) fn event(&mut self, event: &Event) -> Option<Bytes> {
        let kind = self.kind(event)?;
        if self.shape == Shape::Full && kind == Kind::natural(event.change) {
            return Some(self.shared(kind, event));
        }
        Some(self.shaped(kind.name(), self.object(kind, event)))
    }

    fn kind(&self, event: &Event) -> Option<Kind> {
        let matches = |entry: &Entry| self.selection.matches(&self.served, entry);
        let before = || event.previous.as_deref().is_some_and(matches);
        match event.change {
            Change::Created => matches(&event.entry).then_some(Kind::Added),
            Change::Deleted => matches(&event.entry).then_some(Kind::Deleted),
            Change::Updated => match (before(), matches(&event.entry)) {
                (true, true) => Some(Kind::Modified),
                (false, true) => Some(Kind::Added),
                (true, false) => Some(Kind::Deleted),
                (false, false) => None,
            },
        }
    }

    /// The frame that all watchers of the resource share.
    fn shared(&self, kind: Kind, event: &Event) -> Bytes {
        let make = || {
            let object = self.served.bytes_written(&event.entry, written(event), self.managers);
            frame(kind.name(), &object)
        };
        let shared = match self.managers {
            Managers::Shown => &event.frame,
            Managers::Omitted => &event.lean_frame,
        };
        if self.served.shares_frames() { shared.get_or_init(make).clone() } else { make() }
    }

    fn object(&self, kind: Kind, event: &Event) -> Value {
        match (kind, event.change, &event.previous) {
            // It stopped matching: the client knows the old object, and learns how far it has come.
            (Kind::Deleted, Change::Updated, Some(previous)) => {
                let mut object = self.served.shown(previous, self.managers);
                let version = json!(event.revision.to_string());
                object.metadata_mut().insert("resourceVersion".into(), version);
                object
            }
            _ => self.served.shown_written(&event.entry, written(event), self.managers),
        }
    }

    fn shaped(&mut self, kind: &str, object: Value) -> Bytes {
        let object = match self.shape {
            Shape::Table(version) => {
                let with_columns = !std::mem::replace(&mut self.columns_told, true);
                let now = self.state.clock.now();
                TableForm { version, include: self.include, now }.one(
                    &self.served.resource,
                    &object,
                    with_columns,
                )
            }
            Shape::Metadata | Shape::MetadataList => shape::partial_metadata(&object),
            Shape::Full | Shape::Discovery(_) => object,
        };
        frame(kind, object.to_string().as_bytes())
    }

    /// How far the client has come; `initial_end` also says that it has seen everything that was there.
    pub(super) fn bookmark(&mut self, revision: u64, initial_end: bool) -> Bytes {
        let mut object = json!({ "metadata": { "resourceVersion": revision.to_string() } });
        if initial_end {
            let annotations = json!({ "k8s.io/initial-events-end": "true" });
            object.metadata_mut().insert("annotations".into(), annotations);
        }
        self.served.add_type(&mut object);
        self.shaped("BOOKMARK", object)
    }
}

/// Why a watch ends.
pub(super) fn error(status: &Status) -> Bytes {
    frame("ERROR", status.to_value().to_string().as_bytes())
}

/// The revision that wrote the content of an event's object.
fn written(event: &Event) -> u64 {
    match (event.change, &event.previous) {
        (Change::Deleted, Some(previous)) => previous.revision,
        _ => event.revision,
    }
}

fn frame(kind: &str, object: &[u8]) -> Bytes {
    let mut out = BytesMut::with_capacity(object.len() + kind.len() + 24);
    write_frame(kind, &mut out, |out| out.put_slice(object));
    out.freeze()
}

fn write_frame(kind: &str, out: &mut BytesMut, write_object: impl FnOnce(&mut BytesMut)) {
    out.put_slice(b"{\"type\":\"");
    out.put_slice(kind.as_bytes());
    out.put_slice(b"\",\"object\":");
    write_object(out);
    out.put_slice(b"}\n");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_frame_is_one_line_of_json() {
        assert_eq!(frame("ADDED", b"{}"), "{\"type\":\"ADDED\",\"object\":{}}\n");
    }
}
