//! Lists in plain JSON: stored bytes between a head and a tail, copied piece by piece as the client reads. Nothing is
//! parsed, and a large list is never in memory twice.

use std::{iter::Peekable, sync::Arc};

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
    let items = items.into_iter().peekable();
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

struct Pieces {
    start: Option<Bytes>,
    /// With the length that each has when it is written.
    items: Peekable<std::vec::IntoIter<(usize, Item)>>,
    style: Style,
    first: bool,
    done: bool,
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
        let fits =
            |out: &BytesMut, length: usize| out.is_empty() || out.len() + 1 + length <= PIECE_BYTES;
        while let Some((length, item)) = self.items.next_if(|(length, _)| fits(&out, *length)) {
            out.reserve(1 + length);
            if !std::mem::take(&mut self.first) {
                out.extend_from_slice(b",");
            }
            self.style.write(&item, &mut out);
        }
        if self.items.peek().is_none() {
            out.extend_from_slice(TAIL);
            self.done = true;
        }
        Some(out.freeze())
    }
}
