//! The bytes of an object as the store keeps them: canonical JSON (keys sorted, compact) with the resourceVersion in place.
//!
//! The revision is known only inside the short critical section that assigns it, so an object is serialised before, with a
//! gap where the digits go. Readers share the finished bytes; nothing is serialised again. `metadata.managedFields` is not
//! among them: see [`crate::ManagedFields`].

use std::marker::PhantomData;

use bytes::Bytes;
use serde::{Deserialize, de::DeserializeSeed};
use serde_json::{Map, Number, Value};

/// The most digits that a revision has.
const LONGEST_REVISION: usize = 20;
/// What stands before the digits of a revision.
const REVISION_START: &str = "\"resourceVersion\":\"";

/// A serialised object that still lacks the digits of its resourceVersion.
pub(crate) struct Draft {
    bytes: Vec<u8>,
    revision_at: usize,
}

impl Draft {
    /// Serialises `object`; a resourceVersion that it carries is ignored, and so are managedFields.
    pub(crate) fn new(object: &Value) -> Self {
        let mut bytes = Vec::with_capacity(1024);
        let metadata = object.get("metadata").and_then(Value::as_object).into_iter().flatten();
        let metadata = metadata.filter(|(key, _)| *key != "managedFields");
        let members = object.as_object().into_iter().flatten();
        let revision_at = write_members_with(&mut bytes, members, "metadata", |bytes| {
            write_members_with(bytes, metadata, "resourceVersion", |bytes| {
                bytes.extend_from_slice(b"\"\"");
                bytes.len() - 1
            })
        });
        Self { bytes, revision_at }
    }

    /// The size that the finished body has at most.
    pub(crate) fn size(&self) -> usize {
        self.bytes.len() + LONGEST_REVISION
    }

    /// Where the digits of the resourceVersion start.
    pub(crate) fn revision_at(&self) -> usize {
        self.revision_at
    }

    /// The body at `revision`.
    pub(crate) fn finish(&self, revision: u64) -> Bytes {
        join(&self.bytes, self.revision_at, self.revision_at, revision)
    }
}

/// `body`, whose resourceVersion is `old` and starts at `revision_at`, as it reads at revision `new`.
pub(crate) fn restamp(body: &[u8], revision_at: usize, old: u64, new: u64) -> Bytes {
    join(body, revision_at, revision_at + digits(old).len(), new)
}

/// The parts of a body before and after the place where another member of metadata can stand, which ends with a comma.
pub(crate) fn split(body: &[u8], revision_at: usize) -> (&[u8], &[u8]) {
    body.split_at_checked(revision_at.saturating_sub(REVISION_START.len())).unwrap_or((body, &[]))
}

/// The parts of the metadata in a body, braces included, before and after the same place. Metadata holds no object with
/// a `metadata` of its own, and nothing but texts behind its resourceVersion.
pub(crate) fn split_metadata(body: &[u8], revision_at: usize) -> (&[u8], &[u8]) {
    const START: &[u8] = b"\"metadata\":{";
    let (before, after) = split(body, revision_at);
    let start = before.windows(START.len()).rposition(|part| part == START);
    let start = start.map_or(0, |key| key + START.len() - 1);
    let end = after.iter().position(|&byte| byte == b'}').map_or(after.len(), |brace| brace + 1);
    (before.get(start..).unwrap_or_default(), after.get(..end).unwrap_or_default())
}

/// An object in canonical form without one of its members.
pub(crate) fn canonical_without(members: &Map<String, Value>, left_out: &str) -> Vec<u8> {
    let mut kept: Vec<_> = members.iter().filter(|(key, _)| *key != left_out).collect();
    kept.sort_unstable_by_key(|(key, _)| *key);
    let mut bytes = Vec::with_capacity(512);
    bytes.push(b'{');
    write_sequence(&mut bytes, kept.into_iter());
    bytes.push(b'}');
    bytes
}

/// Reads what this crate wrote.
pub(crate) fn parse<'a, T: Deserialize<'a>>(body: &'a [u8]) -> Option<T> {
    read(body, PhantomData)
}

/// Reads what `seed` keeps of it.
pub(crate) fn read<'a, T: DeserializeSeed<'a>>(body: &'a [u8], seed: T) -> Option<T::Value> {
    let mut reader = serde_json::Deserializer::from_slice(body);
    // The depth was bounded when the object came in, at more than serde_json's own limit.
    reader.disable_recursion_limit();
    seed.deserialize(&mut reader).ok()
}

fn join(bytes: &[u8], gap_start: usize, gap_end: usize, revision: u64) -> Bytes {
    let digits = digits(revision);
    let head = bytes.get(..gap_start).unwrap_or_default();
    let tail = bytes.get(gap_end..).unwrap_or_default();
    let mut body = Vec::with_capacity(head.len() + digits.len() + tail.len());
    body.extend_from_slice(head);
    body.extend_from_slice(digits.as_bytes());
    body.extend_from_slice(tail);
    Bytes::from(body)
}

fn digits(revision: u64) -> String {
    revision.to_string()
}

/// Writes an object whose member `special` (there or not) is written by `write_special`.
fn write_members_with<'a>(
    out: &mut Vec<u8>,
    members: impl Iterator<Item = (&'a String, &'a Value)>,
    special: &str,
    write_special: impl FnOnce(&mut Vec<u8>) -> usize,
) -> usize {
    let mut others: Vec<(&String, &Value)> = members.filter(|(key, _)| *key != special).collect();
    others.sort_unstable_by_key(|(key, _)| *key);
    let (before, after) =
        others.split_at(others.partition_point(|(key, _)| key.as_str() < special));
    out.push(b'{');
    for (key, value) in before {
        write_member(out, key, value);
        out.push(b',');
    }
    write_leaf(out, special);
    out.push(b':');
    let at = write_special(out);
    for (key, value) in after {
        out.push(b',');
        write_member(out, key, value);
    }
    out.push(b'}');
    at
}

fn write_member(out: &mut Vec<u8>, key: &str, value: &Value) {
    write_leaf(out, key);
    out.push(b':');
    write_value(out, value);
}

fn write_value(out: &mut Vec<u8>, value: &Value) {
    match value {
        Value::Object(members) => write_object(out, members),
        Value::Array(items) => {
            out.push(b'[');
            for (at, item) in items.iter().enumerate() {
                if at > 0 {
                    out.push(b',');
                }
                write_value(out, item);
            }
            out.push(b']');
        }
        Value::Number(number) => write_number(out, number),
        leaf => write_leaf(out, leaf),
    }
}

/// Floats have no exponent from a millionth up to 10²¹, as every other server of the API writes them.
fn write_number(out: &mut Vec<u8>, number: &Number) {
    let float = number.as_f64().filter(|_| number.is_f64());
    match float.filter(|float| (1e-6..1e21).contains(&float.abs())) {
        Some(float) => out.extend_from_slice(float.to_string().as_bytes()),
        None => write_leaf(out, number),
    }
}

fn write_object(out: &mut Vec<u8>, members: &Map<String, Value>) {
    out.push(b'{');
    // Maps keep insertion order when any crate of the build asks serde_json for it; then they are sorted here.
    if members.keys().is_sorted() {
        write_sequence(out, members.iter());
    } else {
        let mut sorted: Vec<_> = members.iter().collect();
        sorted.sort_unstable_by_key(|(key, _)| *key);
        write_sequence(out, sorted.into_iter());
    }
    out.push(b'}');
}

fn write_sequence<'a>(out: &mut Vec<u8>, members: impl Iterator<Item = (&'a String, &'a Value)>) {
    for (at, (key, value)) in members.enumerate() {
        if at > 0 {
            out.push(b',');
        }
        write_member(out, key, value);
    }
}

fn write_leaf<T: serde::Serialize + ?Sized>(out: &mut Vec<u8>, leaf: &T) {
    // A Vec takes every write, and texts, numbers, booleans and null always serialise: there is no error to lose.
    let _ = serde_json::to_writer(out, leaf);
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn text(bytes: &[u8]) -> &str {
        std::str::from_utf8(bytes).unwrap()
    }

    #[test]
    fn the_revision_stands_at_its_sorted_place() {
        let object = json!({"spec": {"b": [1, {"z": null, "a": "é\n"}], "a": 1.5},
            "metadata": {"uid": "u", "name": "n", "resourceVersion": "77"}, "kind": "K"});
        let body = Draft::new(&object).finish(12);
        assert_eq!(
            text(&body),
            r#"{"kind":"K","metadata":{"name":"n","resourceVersion":"12","uid":"u"},"spec":{"a":1.5,"b":[1,{"a":"é\n","z":null}]}}"#
        );
    }

    #[test]
    fn metadata_is_made_when_missing_or_no_object() {
        for odd in [json!({}), json!({"metadata": 3}), json!("text")] {
            let body = Draft::new(&odd).finish(5);
            assert_eq!(text(&body), r#"{"metadata":{"resourceVersion":"5"}}"#);
        }
    }

    #[test]
    fn managed_fields_are_left_out_and_have_a_place_in_between() {
        let object =
            json!({"metadata": {"name": "n", "uid": "u", "managedFields": [{"manager": "m"}]}});
        let draft = Draft::new(&object);
        let body = draft.finish(7);
        let (before, after) = split(&body, draft.revision_at());
        assert_eq!(text(before), r#"{"metadata":{"name":"n","#);
        assert_eq!(text(after), r#""resourceVersion":"7","uid":"u"}}"#);
    }

    #[test]
    fn metadata_is_cut_out_of_a_body() {
        let metadata = json!({"name": "n", "uid": "u", "annotations": {"a": "\"metadata\":{}"},
            "labels": {"metadata": "x"}, "resourceVersion": "7"});
        let object = json!({"data": {"metadata": {"resourceVersion": "3"}}, "metadata": metadata, "spec": {"metadata": {}}});
        let draft = Draft::new(&object);
        let body = draft.finish(7);
        let (before, after) = split_metadata(&body, draft.revision_at());
        let text = [before, after].concat();
        assert_eq!(parse::<Value>(&text), Some(metadata));
    }

    #[test]
    fn a_body_is_restamped_in_place() {
        let draft = Draft::new(&json!({"metadata": {"resourceVersion": "1"}, "spec": {}}));
        let body = restamp(&draft.finish(99), draft.revision_at(), 99, 100);
        assert_eq!(body, draft.finish(100));
    }

    proptest! {
        #[test]
        fn a_finished_body_reads_back_as_the_object_with_its_revision(
            keys in proptest::collection::vec("\\PC{0,6}", 0..5),
            texts in proptest::collection::vec(any::<String>(), 5),
            revision in any::<u64>(),
        ) {
            let members: Map<String, Value> =
                keys.iter().zip(&texts).map(|(key, text)| (key.clone(), json!(text))).collect();
            let object = json!({"data": members, "metadata": {"labels": members}});
            let draft = Draft::new(&object);
            let body = draft.finish(revision);
            prop_assert!(body.len() <= draft.size());
            let mut expected = object;
            expected["metadata"]["resourceVersion"] = json!(revision.to_string());
            prop_assert_eq!(serde_json::from_slice::<Value>(&body).unwrap(), expected);
        }
    }
}
