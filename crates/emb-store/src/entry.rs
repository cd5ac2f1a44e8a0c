//! An object at a revision, and the change that brought it there.

use std::sync::{Arc, OnceLock};

use bytes::Bytes;
use core_clock::Time;
use emb_meta::ObjectExt;
use serde::{Deserialize, de::DeserializeSeed};
use serde_json::Value;

use crate::{
    Key, ManagedFields,
    body::{self, Draft, parse},
    intern::Interner,
};

/// One object at one revision. Shared by the current state, the history and everyone who reads.
#[derive(Debug)]
pub struct Entry {
    /// Its name.
    pub key: Key,
    /// The revision that wrote it, which is its resourceVersion.
    pub revision: u64,
    /// `metadata.uid`.
    pub uid: Arc<str>,
    /// `metadata.labels`, sorted by key.
    pub labels: Box<[(Arc<str>, Arc<str>)]>,
    /// The uids of `metadata.ownerReferences`.
    pub owners: Box<[Arc<str>]>,
    /// Canonical JSON with the resourceVersion and without managedFields.
    pub body: Bytes,
    /// `metadata.managedFields`.
    pub managed: ManagedFields,
    /// When it was written.
    pub written_at: Time,
    /// Where the digits of the resourceVersion start in the body.
    revision_at: usize,
}

impl Entry {
    /// The object as a document, without managedFields.
    pub fn value(&self) -> Value {
        // Bodies are written by this crate and checksummed, so they parse.
        parse(&self.body).unwrap_or_default()
    }

    /// The part of the object that `seed` keeps.
    pub fn read<'a, T: DeserializeSeed<'a, Value = Value>>(&'a self, seed: T) -> Value {
        body::read(&self.body, seed).unwrap_or_default()
    }

    /// The body before and after the place of [`ManagedFields::write`].
    pub fn parts(&self) -> (&[u8], &[u8]) {
        body::split(&self.body, self.revision_at)
    }

    /// The same for the metadata alone.
    pub fn metadata_parts(&self) -> (&[u8], &[u8]) {
        body::split_metadata(&self.body, self.revision_at)
    }

    /// What a log keeps of the object.
    pub(crate) fn record(&self) -> Bytes {
        self.managed.append_to(&self.body)
    }

    /// The value of a label.
    pub fn label(&self, key: &str) -> Option<&str> {
        let at = self.labels.binary_search_by(|(candidate, _)| (**candidate).cmp(key)).ok()?;
        self.labels.get(at).map(|(_, value)| &**value)
    }

    pub(crate) fn new(key: Key, revision: u64, prepared: Prepared, written_at: Time) -> Self {
        let Facts { uid, labels, owners, revision_at } = prepared.facts;
        let (body, managed) = (prepared.draft.finish(revision), prepared.managed);
        Self { key, revision, uid, labels, owners, body, managed, written_at, revision_at }
    }

    /// An entry read back from the log; `None` when the record is not an object of this store.
    pub(crate) fn restore(
        key: Key,
        revision: u64,
        record: Bytes,
        written_at: Time,
        interner: &Interner,
    ) -> Option<Self> {
        let (body, managed) = ManagedFields::split_from(record, interner)?;
        let Facts { uid, labels, owners, revision_at } = Facts::of_body(&body, revision, interner)?;
        Some(Self { key, revision, uid, labels, owners, body, managed, written_at, revision_at })
    }

    /// The last state of a deleted object: unchanged but for the delete's own revision.
    pub(crate) fn deleted_at(&self, revision: u64, written_at: Time) -> Self {
        Self {
            key: self.key.clone(),
            revision,
            uid: self.uid.clone(),
            labels: self.labels.clone(),
            owners: self.owners.clone(),
            body: body::restamp(&self.body, self.revision_at, self.revision, revision),
            managed: self.managed.clone(),
            written_at,
            revision_at: self.revision_at,
        }
    }
}

/// What an event did to its object.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Change {
    /// It was not there before.
    Created,
    /// It replaced an earlier state.
    Updated,
    /// It is gone.
    Deleted,
}

/// One change of one object.
#[derive(Debug)]
pub struct Event {
    /// The revision of the change.
    pub revision: u64,
    /// The object.
    pub key: Key,
    /// What happened.
    pub change: Change,
    /// The object after the change; of a deleted one the last state, with the delete's own revision in it.
    pub entry: Arc<Entry>,
    /// The object before the change.
    pub previous: Option<Arc<Entry>>,
    /// Room for the encoded watch frame, so that all watchers share one.
    pub frame: OnceLock<Bytes>,
    /// The same for watchers that leave managedFields out.
    pub lean_frame: OnceLock<Bytes>,
}

impl Event {
    pub(crate) fn new(change: Change, entry: Arc<Entry>, previous: Option<Arc<Entry>>) -> Self {
        Self {
            revision: entry.revision,
            key: entry.key.clone(),
            change,
            entry,
            previous,
            frame: OnceLock::new(),
            lean_frame: OnceLock::new(),
        }
    }
}

/// What the store needs to know of an object besides its bytes.
struct Facts {
    uid: Arc<str>,
    labels: Box<[(Arc<str>, Arc<str>)]>,
    owners: Box<[Arc<str>]>,
    revision_at: usize,
}

/// An object made ready for its revision, outside of any lock.
pub(crate) struct Prepared {
    draft: Draft,
    facts: Facts,
    managed: ManagedFields,
}

impl Prepared {
    pub(crate) fn new(object: &Value, interner: &Interner) -> Self {
        let draft = Draft::new(object);
        let facts = Facts::of_value(object, draft.revision_at(), interner);
        let managed = ManagedFields::of_object(object, interner);
        Self { draft, facts, managed }
    }

    /// The size that counts against the limit of an object: of its body or, where that is more, of its managedFields.
    /// An object that is as large as it may be can still be managed.
    pub(crate) fn size(&self) -> usize {
        self.draft.size().max(self.managed.length())
    }
}

impl Facts {
    fn of_value(object: &Value, revision_at: usize, interner: &Interner) -> Self {
        let labels = object.labels();
        let owners = object.owner_references();
        Self {
            uid: object.uid().into(),
            labels: shared_labels(labels, interner),
            owners: owners.iter().map(|owner| interner.share(&owner.uid)).collect(),
            revision_at,
        }
    }

    /// Reads only the metadata, which is several times faster than the whole document: opening a large store depends on it.
    fn of_body(body: &Bytes, revision: u64, interner: &Interner) -> Option<Self> {
        let facts = Self::skim(body, interner).or_else(|| {
            let object: Value = parse(body)?;
            let revision_at = Draft::new(&object).revision_at();
            Some(Self::of_value(&object, revision_at, interner))
        })?;
        let rest = body.get(facts.revision_at..)?;
        rest.starts_with(format!("{revision}\"").as_bytes()).then_some(facts)
    }

    fn skim(body: &Bytes, interner: &Interner) -> Option<Self> {
        let Outline { metadata } = parse(body)?;
        // The digits are borrowed from the body, so their address says where they stand.
        let revision_at =
            (metadata.resource_version.as_ptr() as usize).checked_sub(body.as_ptr() as usize)?;
        let mut labels: Vec<_> = metadata.labels.iter().map(|(k, v)| (*k, *v)).collect();
        labels.sort_unstable();
        Some(Self {
            uid: metadata.uid.into(),
            labels: shared_labels(labels.into_iter(), interner),
            owners: metadata.owner_references.iter().map(|o| interner.share(o.uid)).collect(),
            revision_at,
        })
    }
}

/// The usual form of an object's metadata; bodies that differ (escapes in labels) take the slower way.
#[derive(Deserialize)]
struct Outline<'a> {
    #[serde(borrow)]
    metadata: Metadata<'a>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Metadata<'a> {
    resource_version: &'a str,
    #[serde(default)]
    uid: &'a str,
    #[serde(borrow, default)]
    labels: std::collections::BTreeMap<&'a str, &'a str>,
    #[serde(borrow, default)]
    owner_references: Vec<Owner<'a>>,
}

#[derive(Deserialize)]
struct Owner<'a> {
    #[serde(default)]
    uid: &'a str,
}

fn shared_labels<'a>(
    labels: impl Iterator<Item = (&'a str, &'a str)>,
    interner: &Interner,
) -> Box<[(Arc<str>, Arc<str>)]> {
    let mut shared: Vec<_> =
        labels.map(|(key, value)| (interner.share(key), interner.share(value))).collect();
    shared.sort_unstable();
    shared.into()
}

#[cfg(test)]
mod tests {
    use emb_meta::GroupResource;
    use serde_json::json;

    use super::*;

    fn entry(object: &Value, revision: u64) -> Entry {
        let interner = Interner::default();
        let key = Key::new(&GroupResource::new("", "things"), "n", "a");
        Entry::new(key, revision, Prepared::new(object, &interner), Time::default())
    }

    fn restored(entry: &Entry) -> Option<Entry> {
        let interner = Interner::default();
        let record = entry.record();
        Entry::restore(entry.key.clone(), entry.revision, record, entry.written_at, &interner)
    }

    #[test]
    fn an_entry_read_back_equals_the_one_written() {
        let plain = json!({"involvedObject": {"resourceVersion": "7"}, "metadata": {
            "uid": "u", "labels": {"b": "2", "a": "1"}, "ownerReferences": [{"uid": "o", "kind": "K"}]}});
        let escaped = json!({"metadata": {"uid": "u", "labels": {"a\n": "\"", "b": null}}});
        for object in [plain, escaped, json!({"metadata": {"labels": 3}}), json!({})] {
            let written = entry(&object, 7);
            let read = restored(&written).unwrap();
            assert_eq!(written.labels, read.labels);
            assert_eq!(written.owners, read.owners);
            assert_eq!((&written.uid, written.revision_at), (&read.uid, read.revision_at));
        }
    }

    #[test]
    fn managed_fields_stand_beside_the_body_and_survive_reading_back_and_deletion() {
        let fields =
            json!([{"manager": "m", "fieldsV1": {"f:spec": {}}, "time": "2026-01-02T03:04:05Z"}]);
        let object = json!({"metadata": {"name": "a", "managedFields": fields}, "spec": 1});
        let written = entry(&object, 7);
        assert!(written.value()["metadata"].get("managedFields").is_none());
        let read = restored(&written).unwrap();
        assert_eq!((&read.body, &read.managed), (&written.body, &written.managed));
        assert_eq!(read.deleted_at(8, Time::default()).managed.value(), fields);
        let (before, after) = read.parts();
        let mut whole = bytes::BytesMut::from(before);
        read.managed.write(&mut whole);
        whole.extend_from_slice(after);
        assert_eq!(parse::<Value>(&whole).unwrap()["metadata"]["managedFields"], fields);
    }

    #[test]
    fn a_body_of_another_revision_or_no_json_is_refused() {
        let mut wrong = entry(&json!({}), 7);
        wrong.revision = 8;
        assert!(restored(&wrong).is_none());
        wrong.body = Bytes::from_static(b"{");
        assert!(restored(&wrong).is_none());
    }

    #[test]
    fn a_deleted_object_keeps_its_state_but_has_the_revision_of_the_delete() {
        let gone = entry(&json!({"metadata": {"labels": {"a": "1"}}, "spec": 5}), 9)
            .deleted_at(10, Time::from_seconds(3));
        assert_eq!(gone.value().resource_version(), "10");
        assert_eq!((gone.value()["spec"].as_i64(), gone.label("a")), (Some(5), Some("1")));
        assert_eq!(gone.label("b"), None);
    }

    #[test]
    fn objects_nested_deeper_than_the_usual_limit_read_back() {
        let mut deep = json!(1);
        for _ in 0..500 {
            deep = json!([deep]);
        }
        let written = entry(&json!({"spec": deep}), 1);
        assert!(written.value()["spec"].is_array());
        assert!(restored(&written).is_some());
    }
}
