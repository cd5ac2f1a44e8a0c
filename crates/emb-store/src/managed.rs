//! `metadata.managedFields`, kept apart from the rest of an object.
//!
//! Which fields a manager has is the same for thousands of objects and concerns nobody but the writer of a change. So an
//! entry is one text that all those objects share, and a time of its own: objects do not grow by it in memory, and a
//! reader copies it without parsing.

use std::sync::Arc;

use bytes::{BufMut, Bytes, BytesMut};
use serde_json::{Map, Value};

use crate::{body, intern::Interner};

/// The length of a time such as `2026-01-02T03:04:05Z`.
const TIME_LENGTH: usize = 20;
/// What stands around the time of an entry, which is its last member.
const TIME_START: &[u8] = b",\"time\":\"";
const TIME_END: &[u8] = b"\"}";
const LIST_START: &[u8] = b"\"managedFields\":[";
const LIST_END: &[u8] = b"],";
/// Separates what a log keeps of an object. JSON texts never hold this byte: strings escape it.
const LINE_END: u8 = b'\n';

/// The entries of `metadata.managedFields` in their order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ManagedFields(Box<[Managed]>);

#[derive(Clone, Debug, PartialEq, Eq)]
struct Managed {
    /// The entry as JSON without the time and the closing brace.
    text: Arc<str>,
    time: Option<[u8; TIME_LENGTH]>,
}

impl ManagedFields {
    /// The managedFields of a document.
    pub(crate) fn of_object(object: &Value, interner: &Interner) -> Self {
        let listed = object.pointer("/metadata/managedFields").and_then(Value::as_array);
        let entries = listed.into_iter().flatten().filter_map(Value::as_object);
        Self(entries.map(|entry| Managed::of_members(entry, interner)).collect())
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The value of `metadata.managedFields`.
    pub fn value(&self) -> Value {
        self.0.iter().map(Managed::value).collect()
    }

    /// How many bytes [`Self::write`] appends.
    pub fn length(&self) -> usize {
        let entries: usize = self.0.iter().map(Managed::length).sum();
        match self.0.len() {
            0 => 0,
            count => LIST_START.len() + entries + (count - 1) + LIST_END.len(),
        }
    }

    /// Appends the member `"managedFields":[…],` of metadata; nothing when there are no entries.
    pub fn write(&self, out: &mut BytesMut) {
        for (at, entry) in self.0.iter().enumerate() {
            out.put_slice(if at == 0 { LIST_START } else { b"," });
            entry.write(out);
        }
        if !self.0.is_empty() {
            out.put_slice(LIST_END);
        }
    }

    /// What a log keeps: the body, and a line for each entry.
    pub(crate) fn append_to(&self, body: &Bytes) -> Bytes {
        if self.0.is_empty() {
            return body.clone();
        }
        let lines: usize = self.0.iter().map(|entry| entry.length() + 1).sum();
        let mut record = BytesMut::with_capacity(body.len() + lines);
        record.put_slice(body);
        for entry in &self.0 {
            record.put_u8(LINE_END);
            entry.write(&mut record);
        }
        record.freeze()
    }

    /// The body and the entries of what [`Self::append_to`] made; `None` when that is damaged.
    pub(crate) fn split_from(record: Bytes, interner: &Interner) -> Option<(Bytes, Self)> {
        let Some(end) = record.iter().position(|&byte| byte == LINE_END) else {
            return Some((record, Self::default()));
        };
        let (body, lines) = record.split_at_checked(end)?;
        let lines = lines.get(1..)?.split(|&byte| byte == LINE_END);
        let entries: Option<Box<[Managed]>> =
            lines.map(|line| Managed::of_line(line, interner)).collect();
        // A copy of its own: a part of the record would keep all of it in memory.
        Some((Bytes::copy_from_slice(body), Self(entries?)))
    }
}

impl Managed {
    fn new(text: &[u8], time: Option<&str>, interner: &Interner) -> Option<Self> {
        let text = interner.share(std::str::from_utf8(text).ok()?);
        Some(Self { text, time: time.and_then(|time| time.as_bytes().try_into().ok()) })
    }

    fn of_members(members: &Map<String, Value>, interner: &Interner) -> Self {
        // A time of another form stays a part of the text.
        let time = members.get("time").and_then(Value::as_str).filter(|time| is_time(time));
        let mut text = body::canonical_without(members, if time.is_some() { "time" } else { "" });
        text.pop();
        // Canonical JSON is text.
        Self::new(&text, time, interner).unwrap_or(Self { text: "{".into(), time: None })
    }

    /// Reads what [`Self::write`] wrote.
    fn of_line(line: &[u8], interner: &Interner) -> Option<Self> {
        let tail = TIME_START.len() + TIME_LENGTH + TIME_END.len();
        let (text, tail) = line.split_at_checked(line.len().saturating_sub(tail))?;
        match tail.strip_prefix(TIME_START).and_then(|rest| rest.strip_suffix(TIME_END)) {
            Some(time) => Self::new(text, Some(std::str::from_utf8(time).ok()?), interner),
            None => Self::new(line.strip_suffix(b"}")?, None, interner),
        }
    }

    fn value(&self) -> Value {
        let mut json = Vec::with_capacity(self.length());
        self.write(&mut json);
        body::parse(&json).unwrap_or_default()
    }

    fn length(&self) -> usize {
        let time = TIME_START.len() + TIME_LENGTH + TIME_END.len();
        self.text.len() + if self.time.is_some() { time } else { 1 }
    }

    fn write(&self, out: &mut impl BufMut) {
        out.put_slice(self.text.as_bytes());
        match &self.time {
            Some(time) => {
                out.put_slice(TIME_START);
                out.put_slice(time);
                out.put_slice(TIME_END);
            }
            None => out.put_u8(b'}'),
        }
    }
}

fn is_time(text: &str) -> bool {
    text.len() == TIME_LENGTH
        && text.bytes().all(|byte| matches!(byte, b'0'..=b':' | b'-' | b'T' | b'Z'))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn object() -> Value {
        json!({"metadata": {"managedFields": [
            {"manager": "kubectl", "operation": "Update", "apiVersion": "v1", "fieldsType": "FieldsV1",
             "fieldsV1": {"f:data": {"f:a\n": {}}}, "time": "2026-01-02T03:04:05Z"},
            {"manager": "other", "operation": "Apply", "subresource": "status", "time": "some day"},
            {"manager": "timeless"},
            {},
        ]}})
    }

    fn written(managed: &ManagedFields) -> String {
        let mut out = BytesMut::new();
        managed.write(&mut out);
        assert_eq!(out.len(), managed.length());
        String::from_utf8(out.to_vec()).unwrap()
    }

    #[test]
    fn entries_are_written_as_they_were_given() {
        let managed = ManagedFields::of_object(&object(), &Interner::default());
        assert_eq!(managed.value(), object()["metadata"]["managedFields"]);
        let text = written(&managed);
        let whole: Value =
            serde_json::from_str(&format!("{{{}}}", text.trim_end_matches(','))).unwrap();
        assert_eq!(whole, object()["metadata"]);
        assert_eq!(written(&ManagedFields::default()), "");
    }

    #[test]
    fn what_a_log_keeps_reads_back_and_shares_its_texts() {
        let interner = Interner::default();
        let managed = ManagedFields::of_object(&object(), &interner);
        let body = Bytes::from_static(b"{\"metadata\":{}}");
        let record = managed.append_to(&body);
        let (body_again, again) = ManagedFields::split_from(record, &interner).unwrap();
        assert_eq!((&body_again, &again), (&body, &managed));
        for (one, other) in managed.0.iter().zip(&again.0) {
            assert!(Arc::ptr_eq(&one.text, &other.text));
        }
        let (plain, none) = ManagedFields::split_from(body.clone(), &interner).unwrap();
        assert!(plain == body && none.is_empty());
        assert!(
            ManagedFields::split_from(Bytes::from_static(b"{}\nno entry"), &interner).is_none()
        );
    }

    proptest! {
        #[test]
        fn no_record_panics(bytes in proptest::collection::vec(any::<u8>(), 0..80)) {
            let _ = ManagedFields::split_from(bytes.into(), &Interner::default());
        }
    }
}
