//! Everything in the pages of a damaged store that proves itself to be what it seems.
//!
//! A row of the log carries a checksum over all of its columns, so that it is believed wherever it stands: no tree of pages
//! has to lead to it. The lists of kinds and of current objects have none; the sum over both says whether they are complete.

use std::collections::{BTreeMap, BTreeSet};

use emb_meta::GroupResource;

use super::{
    cell::{Cell, Value, cells},
    pages::Pages,
};
use crate::log::sqlite::{
    digest,
    row::StoredRow,
    sealing::{KeyId, key_of},
};

/// The name of an object as rows have it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct ObjectKey {
    pub(super) kind_id: i64,
    pub(super) ns: String,
    pub(super) name: String,
}

/// A state of an object that can be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Version {
    pub(super) is_delete: bool,
    /// The page that the row starts on.
    pub(super) page: u32,
}

/// What can be read.
#[derive(Default)]
pub(super) struct Findings {
    pub(super) kinds: BTreeMap<i64, GroupResource>,
    /// Kinds by their index, which holds everything a second time.
    indexed_kinds: BTreeMap<i64, GroupResource>,
    pub(super) meta: BTreeMap<String, Value>,
    /// The revision that the list of current objects gives.
    pub(super) current: BTreeMap<ObjectKey, i64>,
    pub(super) versions: BTreeMap<ObjectKey, BTreeMap<i64, Version>>,
    pub(super) keys: BTreeSet<KeyId>,
}

impl Findings {
    /// Looks at every page that may be in use.
    pub(super) fn collect(pages: &mut Pages) -> Self {
        let mut findings = Self::default();
        let numbers: Vec<u32> = pages.in_use().collect();
        for page in numbers {
            for cell in cells(pages, page) {
                findings.take(&cell, page);
            }
        }
        findings.settle_kinds();
        findings
    }

    /// Whether the lists of kinds and of current objects are the ones that were written.
    pub(super) fn is_complete(&self) -> bool {
        let kinds = self.kinds.iter().map(|(id, resource)| digest::of_kind(*id, resource));
        let objects = self
            .current
            .iter()
            .map(|(name, rev)| digest::of_object(name.kind_id, &name.ns, &name.name, *rev));
        let sum = kinds.chain(objects).fold(0, i64::wrapping_add);
        self.meta.get("digest") == Some(&Value::Integer(sum))
    }

    /// Whether there is nothing at all.
    pub(super) fn is_empty(&self) -> bool {
        self.versions.is_empty() && self.current.is_empty() && self.meta.is_empty()
    }

    /// The highest revision that anything names.
    pub(super) fn last_revision(&self) -> i64 {
        let rows = self.versions.values().filter_map(|versions| versions.keys().max());
        let recorded = ["last_revision", "compacted"].into_iter();
        let recorded = recorded.filter_map(|key| match self.meta.get(key) {
            Some(Value::Integer(number)) => Some(number),
            _ => None,
        });
        rows.chain(self.current.values()).chain(recorded).copied().max().unwrap_or(0)
    }

    fn take(&mut self, cell: &Cell, page: u32) {
        match (cell.rowid, &cell.values[..]) {
            (Some(id), [Value::Null, Value::Text(group), Value::Text(resource)]) => {
                self.kinds.insert(id, GroupResource::new(group.as_str(), resource.as_str()));
            }
            (None, [Value::Text(group), Value::Text(resource), Value::Integer(id)]) => {
                let resource = GroupResource::new(group.as_str(), resource.as_str());
                self.indexed_kinds.insert(*id, resource);
            }
            (
                None,
                [Value::Integer(kind_id), Value::Text(ns), Value::Text(name), Value::Integer(rev)],
            ) => {
                let name = ObjectKey { kind_id: *kind_id, ns: ns.clone(), name: name.clone() };
                let known = self.current.entry(name).or_insert(*rev);
                *known = *rev.max(known);
            }
            (None, [Value::Text(key), value]) => {
                self.meta.insert(key.clone(), value.clone());
            }
            _ => self.take_row(cell, page),
        }
    }

    fn take_row(&mut self, cell: &Cell, page: u32) {
        let Some(row) = stored_row(cell) else { return };
        self.keys.extend(key_of(row.body));
        let name =
            ObjectKey { kind_id: row.kind_id, ns: row.ns.to_owned(), name: row.name.to_owned() };
        let version = Version { is_delete: row.is_delete(), page };
        self.versions.entry(name).or_default().insert(row.rev, version);
    }

    /// A kind that the table and its index call differently is unknown: one of them lies.
    fn settle_kinds(&mut self) {
        for (id, indexed) in std::mem::take(&mut self.indexed_kinds) {
            match self.kinds.get(&id) {
                Some(known) if *known != indexed => drop(self.kinds.remove(&id)),
                Some(_) => {}
                None => drop(self.kinds.insert(id, indexed)),
            }
        }
    }
}

/// The row of the log that a cell holds; `None` when it is none, or damaged.
pub(super) fn stored_row(cell: &Cell) -> Option<StoredRow<'_>> {
    let [
        Value::Null,
        Value::Integer(kind_id),
        Value::Text(ns),
        Value::Text(name),
        Value::Integer(op),
        Value::Text(uid),
        Value::Integer(prev_rev),
        Value::Integer(written_at),
        Value::Integer(checksum),
        Value::Blob(body),
    ] = &cell.values[..]
    else {
        return None;
    };
    let row = StoredRow {
        rev: cell.rowid?,
        kind_id: *kind_id,
        ns,
        name,
        op: *op,
        uid,
        prev_rev: *prev_rev,
        written_at: *written_at,
        body,
    };
    row.verified(*checksum)
}
