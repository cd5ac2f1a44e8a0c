//! Lists in plain JSON: stored bytes between a head and a tail, copied piece by piece as the client reads. Nothing is
//! parsed, and a large list is never in memory twice.

use std::{hint::black_box, sync::Arc, vec};

use bytes::{Bytes, BytesMut};
use emb_store::Entry;
use serde_json::{Map, Value, json};

use super::{Body, shape::META};
use crate::{
    registry::{Served, members_length, metadata_length, write_members, write_metadata},
    request::query::Managers,
    verb::list::List,
};

/// How much is copied at a time, unless one item is larger. The usual allocators give such a piece from memory that the
/// process has; twice as much would be mapped anew each time, page by page.
const PIECE_BYTES: usize = 64 * 1024;

/// The metadata of a list.
pub(super) fn metadata(list: &List) -> Value {
    let mut metadata = Map::new();
    metadata.insert("resourceVersion".into(), json!(list.revision.to_string()));
    if let Some(token) = &list.continue_token {
        metadata.insert("continue".into(), json!(token));
    }
    if let Some(remaining) = list.remaining {
        metadata.insert("remainingItemCount".into(), json!(remaining));
    }
    Value::Object(metadata)
}

/// What items of a list look like.
enum Look {
    /// Stored members behind this beginning.
    Whole(Bytes),
    Metadata,
}

/// The body of a list in plain JSON.
pub(super) fn body(served: &Served, list: List, managers: Managers) -> Body {
    let head = head(
        &served.resource.list_kind,
        &served.resource.gvk.group_version().to_string(),
        &metadata(&list),
    );
    let item = |entry: Arc<Entry>| {
        if served.is_raw(&entry) {
            Item::Stored(entry)
        } else {
            Item::Made(served.item(&entry, managers))
        }
    };
    let items = list.entries.into_iter().map(item);
    assemble(head, items, Style { look: Look::Whole(served.item_head()), managers })
}

/// The body of a list of metadata in plain JSON.
pub(super) fn metadata_body(list: List, managers: Managers) -> Body {
    let head = head("PartialObjectMetadataList", META, &metadata(&list));
    let items = list.entries.into_iter().map(Item::Stored);
    assemble(head, items, Style { look: Look::Metadata, managers })
}

fn head(kind: &str, api_version: &str, metadata: &Value) -> String {
    let (kind, api_version) = (json!(kind), json!(api_version));
    format!("{{\"kind\":{kind},\"apiVersion\":{api_version},\"metadata\":{metadata},\"items\":[")
}

fn assemble(head: String, items: impl Iterator<Item = Item>, style: Style) -> Body {
    let items: Vec<(usize, Item)> = items.map(|item| (style.length(&item), item)).collect();
    let commas = items.len().saturating_sub(1);
    let content: usize = items.iter().map(|(length, _)| length).sum();
    let length = head.len() + content + commas + TAIL.len();
    let start = Some(head.into());
    let items = items.into_iter();
    let pieces = Pieces { start, items, style, first: true, done: false };
    Body::pieces(pieces, length as u64)
}

const TAIL: &[u8] = b"]}";

enum Item {
    Stored(Arc<Entry>),
    Made(Bytes),
}

/// How items are written.
struct Style {
    look: Look,
    managers: Managers,
}

impl Style {
    fn length(&self, item: &Item) -> usize {
        match (item, &self.look) {
            (Item::Made(bytes), _) => bytes.len(),
            (Item::Stored(entry), Look::Whole(head)) => {
                head.len() + members_length(entry, self.managers)
            }
            (Item::Stored(entry), Look::Metadata) => metadata_length(entry, META, self.managers),
        }
    }

    fn write(&self, item: &Item, out: &mut BytesMut) {
        match (item, &self.look) {
            (Item::Made(bytes), _) => out.extend_from_slice(bytes),
            (Item::Stored(entry), Look::Whole(head)) => {
                out.extend_from_slice(head);
                write_members(entry, self.managers, out);
            }
            (Item::Stored(entry), Look::Metadata) => {
                write_metadata(entry, META, self.managers, out);
            }
        }
    }
}

/// Looks at all of these once. Objects lie anywhere in memory: one after another each would be waited for, together they
/// arrive in the time of a few.
fn read_ahead(items: &[(usize, Item)]) {
    let stored = items.iter().filter_map(|(_, item)| match item {
        Item::Stored(entry) => Some(entry),
        Item::Made(_) => None,
    });
    let seen =
        stored.map(|entry| usize::from(!entry.body.starts_with(b"{")) + entry.managed.length());
    black_box(seen.sum::<usize>());
}

struct Pieces {
    start: Option<Bytes>,
    /// With the length that each has when it is written.
    items: vec::IntoIter<(usize, Item)>,
    style: Style,
    first: bool,
    done: bool,
}

impl Pieces {
    /// How many items go into a piece that has `used` bytes already: at least one into an empty one.
    fn fitting(&self, used: usize) -> usize {
        let mut full = used;
        let fits = |(length, _): &&(usize, Item)| {
            let empty = full == 0;
            full += 1 + length;
            empty || full <= PIECE_BYTES
        };
        self.items.as_slice().iter().take_while(fits).count()
    }
}

impl Iterator for Pieces {
    type Item = Bytes;

    fn next(&mut self) -> Option<Bytes> {
        if self.done {
            return None;
        }
        let mut out = BytesMut::with_capacity(PIECE_BYTES + TAIL.len());
        if let Some(start) = self.start.take() {
            out.extend_from_slice(&start);
        }
        let fitting = self.fitting(out.len());
        read_ahead(self.items.as_slice().get(..fitting).unwrap_or_default());
        for (length, item) in self.items.by_ref().take(fitting) {
            out.reserve(1 + length);
            if !std::mem::take(&mut self.first) {
                out.extend_from_slice(b",");
            }
            self.style.write(&item, &mut out);
        }
        if self.items.as_slice().is_empty() {
            out.extend_from_slice(TAIL);
            self.done = true;
        }
        Some(out.freeze())
    }
}
