//! Lists in plain JSON: stored bytes between a head and a tail, copied piece by piece as the client reads. Nothing is
//! parsed, and a large list is never in memory twice.

use std::sync::Arc;

use bytes::{Bytes, BytesMut};
use emb_store::Entry;
use serde_json::{Map, Value, json};

use super::Body;
use crate::{registry::Served, verb::list::List};

/// About how much is copied at a time.
const PIECE_BYTES: usize = 128 * 1024;

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

/// The body of a list in plain JSON.
pub(super) fn body(served: &Served, list: List) -> Body {
    let head = format!(
        "{{\"kind\":{},\"apiVersion\":{},\"metadata\":{},\"items\":[",
        json!(&*served.resource.list_kind),
        json!(served.resource.gvk.group_version().to_string()),
        metadata(&list)
    );
    let item_head = served.item_head();
    let items: Vec<Item> = list.entries.into_iter().map(|entry| Item::new(served, entry)).collect();
    let commas = items.len().saturating_sub(1);
    let content: usize = items.iter().map(|item| item.length(&item_head)).sum();
    let length = head.len() + content + commas + TAIL.len();
    let pieces = Pieces {
        start: Some(head.into()),
        items: items.into_iter(),
        item_head,
        first: true,
        done: false,
    };
    Body::pieces(pieces, length as u64)
}

const TAIL: &[u8] = b"]}";

enum Item {
    Stored(Arc<Entry>),
    Made(Bytes),
}

impl Item {
    fn new(served: &Served, entry: Arc<Entry>) -> Self {
        if served.is_raw(&entry) { Self::Stored(entry) } else { Self::Made(served.item(&entry)) }
    }

    fn length(&self, item_head: &Bytes) -> usize {
        match self {
            Self::Stored(entry) => item_head.len() + entry.body.len().saturating_sub(1),
            Self::Made(bytes) => bytes.len(),
        }
    }

    fn write(&self, item_head: &Bytes, out: &mut BytesMut) {
        match self {
            Self::Stored(entry) => {
                out.extend_from_slice(item_head);
                out.extend_from_slice(entry.body.get(1..).unwrap_or_default());
            }
            Self::Made(bytes) => out.extend_from_slice(bytes),
        }
    }
}

struct Pieces {
    start: Option<Bytes>,
    items: std::vec::IntoIter<Item>,
    item_head: Bytes,
    first: bool,
    done: bool,
}

impl Iterator for Pieces {
    type Item = Bytes;

    fn next(&mut self) -> Option<Bytes> {
        if self.done {
            return None;
        }
        let mut out = BytesMut::with_capacity(PIECE_BYTES);
        if let Some(start) = self.start.take() {
            out.extend_from_slice(&start);
        }
        while out.len() < PIECE_BYTES {
            let Some(item) = self.items.next() else {
                out.extend_from_slice(TAIL);
                self.done = true;
                break;
            };
            if !std::mem::take(&mut self.first) {
                out.extend_from_slice(b",");
            }
            item.write(&self.item_head, &mut out);
        }
        Some(out.freeze())
    }
}
