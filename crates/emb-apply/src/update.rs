//! Ownership after a plain write: who changes a field owns it.

use emb_meta::ObjectExt;
use serde_json::Value;

use crate::{changes::Changes, managers::Managers, types::ObjectType, writer::Writer};

pub(crate) const MANAGED_FIELDS: &str = "managedFields";

impl ObjectType {
    /// Records who made a new object: the writer owns all of it. Entries that the object was sent with stay for what it
    /// does not have.
    pub fn create(&self, new: &mut Value, writer: &Writer<'_>) {
        let sent = take_managed_fields(new).and_then(Managers::received);
        let changes = Changes::tracked(self.root(), self.empty(), new, writer.ignored);
        let mut managers = sent.unwrap_or_default();
        managers.record_update(writer.manager, changes, writer);
        set_managed_fields(new, managers.encode());
    }

    /// Records who changed `live` into `new`. A change of nothing that is tracked leaves the entries as they are, unread.
    ///
    /// `new` may bring entries of its own: they replace the stored ones, unless the write goes through a subresource or
    /// they cannot be read. One empty entry forgets all, and an object whose entries were forgotten is not tracked again
    /// before it is applied.
    pub fn update(&self, live: &Value, new: &mut Value, writer: &Writer<'_>) {
        let sent = take_managed_fields(new);
        let entries = match Entries::choose(sent, managed_fields(live), writer.subresource) {
            Entries::Forgotten => return,
            entries => entries,
        };
        let changes = Changes::tracked(self.root(), live, new, writer.ignored);
        let entries = if changes.is_empty() {
            entries.unchanged()
        } else {
            let mut managers = entries.into_managers();
            managers.record_update(writer.manager, changes, writer);
            managers.encode()
        };
        set_managed_fields(new, entries);
    }
}

/// The entries that an update starts from.
enum Entries {
    /// There are none, and none will be.
    Forgotten,
    /// Those of the stored object.
    Stored(Value),
    /// Those that the client sent.
    Received(Managers),
}

impl Entries {
    fn choose(sent: Option<Value>, stored: Option<&Value>, subresource: &str) -> Self {
        let stored = stored.filter(|stored| stored.as_array().is_some_and(|list| !list.is_empty()));
        let sent = match sent {
            // Most writes send back what they read: this spares a copy.
            Some(sent) if Some(&sent) == stored => return Self::Stored(sent),
            sent => sent.filter(|_| subresource.is_empty()),
        };
        if sent.as_ref().is_some_and(is_reset) {
            return Self::Forgotten;
        }
        match (sent.and_then(Managers::received), stored) {
            (Some(received), _) if !received.is_empty() => Self::Received(received),
            (_, Some(stored)) => Self::Stored(stored.clone()),
            (_, None) => Self::Forgotten,
        }
    }

    fn unchanged(self) -> Option<Value> {
        match self {
            Self::Forgotten => None,
            Self::Stored(entries) => Some(entries),
            Self::Received(managers) => managers.encode(),
        }
    }

    fn into_managers(self) -> Managers {
        match self {
            Self::Forgotten => Managers::default(),
            Self::Stored(entries) => Managers::stored(entries),
            Self::Received(managers) => managers,
        }
    }
}

/// Whether a client asks to forget who manages what.
fn is_reset(sent: &Value) -> bool {
    match sent.as_array().map(Vec::as_slice) {
        Some([Value::Object(only)]) => only.values().all(Value::is_null),
        _ => false,
    }
}

pub(crate) fn managed_fields(object: &Value) -> Option<&Value> {
    object.metadata()?.get(MANAGED_FIELDS).filter(|entries| !entries.is_null())
}

pub(crate) fn take_managed_fields(object: &mut Value) -> Option<Value> {
    let metadata = object.get_mut("metadata")?.as_object_mut()?;
    metadata.remove(MANAGED_FIELDS).filter(|entries| !entries.is_null())
}

pub(crate) fn set_managed_fields(object: &mut Value, entries: Option<Value>) {
    if let Some(entries) = entries {
        object.metadata_mut().insert(MANAGED_FIELDS.to_owned(), entries);
    }
}
