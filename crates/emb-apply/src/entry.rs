//! One entry of `metadata.managedFields`.

use core_clock::Time;
use serde_json::{Map, Value, json};

use crate::{set::FieldSet, writer::Writer};

const FIELDS_TYPE: &str = "FieldsV1";

/// How a manager writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Operation {
    Apply,
    Update,
}

impl Operation {
    fn parse(text: &str) -> Option<Self> {
        match text {
            "Apply" => Some(Self::Apply),
            "Update" => Some(Self::Update),
            _ => None,
        }
    }

    fn as_str(self) -> &'static str {
        match self {
            Self::Apply => "Apply",
            Self::Update => "Update",
        }
    }
}

/// Who owns the fields of an entry.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Identity {
    pub(crate) manager: String,
    pub(crate) operation: Operation,
    pub(crate) api_version: String,
    pub(crate) subresource: String,
}

impl Identity {
    /// The owner that a write makes.
    pub(crate) fn new(manager: &str, operation: Operation, writer: &Writer<'_>) -> Self {
        Self {
            manager: if manager.is_empty() { "unknown" } else { manager }.to_owned(),
            operation,
            api_version: writer.api_version.to_owned(),
            subresource: writer.subresource.to_owned(),
        }
    }

    pub(crate) fn is_update(&self) -> bool {
        self.operation == Operation::Update
    }

    /// Whether both are one owner. An applier stays the same when it turns to another version.
    pub(crate) fn is_same_owner(&self, other: &Self) -> bool {
        self.manager == other.manager
            && self.operation == other.operation
            && self.subresource == other.subresource
            && (self.operation == Operation::Apply || self.api_version == other.api_version)
    }
}

/// Who owns which fields since when.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Entry {
    pub(crate) identity: Identity,
    /// RFC 3339 with whole seconds, so that the order of texts is that of times. Empty: not known.
    pub(crate) time: String,
    pub(crate) fields: FieldSet,
}

impl Entry {
    /// Reads an entry that this server wrote.
    pub(crate) fn stored(entry: Value) -> Option<Self> {
        Self::read(entry, |fields| match fields {
            Value::Object(elements) => Some(FieldSet(elements)),
            _ => None,
        })
    }

    /// Reads an entry that a client sent.
    pub(crate) fn received(entry: Value) -> Option<Self> {
        let mut entry = Self::read(entry, |fields| FieldSet::decode(&fields).ok())?;
        if !entry.time.is_empty() {
            entry.time = entry.time.parse::<Time>().ok()?.to_rfc3339_seconds();
        }
        Some(entry)
    }

    fn read(entry: Value, fields: impl Fn(Value) -> Option<FieldSet>) -> Option<Self> {
        let Value::Object(mut members) = entry else { return None };
        let api_version = text(&mut members, "apiVersion")?;
        let fields_type = text(&mut members, "fieldsType")?;
        if api_version.is_empty() || fields_type != FIELDS_TYPE {
            return None;
        }
        Some(Self {
            identity: Identity {
                manager: text(&mut members, "manager")?,
                operation: Operation::parse(&text(&mut members, "operation")?)?,
                api_version,
                subresource: text(&mut members, "subresource")?,
            },
            time: text(&mut members, "time")?,
            fields: fields(members.remove("fieldsV1").unwrap_or_else(|| json!({})))?,
        })
    }

    /// The wire form.
    pub(crate) fn encode(self) -> Value {
        let identity = self.identity;
        let mut members = Map::new();
        members.insert("operation".to_owned(), identity.operation.as_str().into());
        members.insert("fieldsType".to_owned(), FIELDS_TYPE.into());
        members.insert("fieldsV1".to_owned(), self.fields.encode());
        for (name, text) in [
            ("manager", identity.manager),
            ("apiVersion", identity.api_version),
            ("subresource", identity.subresource),
            ("time", self.time),
        ] {
            if !text.is_empty() {
                members.insert(name.to_owned(), Value::String(text));
            }
        }
        Value::Object(members)
    }
}

/// Takes a text out; absent is empty, anything else is an error.
fn text(members: &mut Map<String, Value>, name: &str) -> Option<String> {
    match members.remove(name) {
        None | Some(Value::Null) => Some(String::new()),
        Some(Value::String(text)) => Some(text),
        Some(_) => None,
    }
}
