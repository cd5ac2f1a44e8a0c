//! One served resource, and how its stored bytes become an object.
//!
//! Bodies are stored without `apiVersion` and `kind`. Both are a fixed text in front of the stored members, so that one
//! object, an item of a built-in list (which shows neither) and every served version of a custom resource all come from
//! the same bytes without parsing. `metadata.managedFields` is stored beside them and put in where it is shown.

use std::sync::Arc;

use bytes::{BufMut, Bytes, BytesMut};
use emb_kinds::{BuiltInKind, Origin, Resource, table::Part};
use emb_meta::{GroupResource, ObjectExt};
use emb_store::{Entry, Key};
use serde_json::{Value, json};

use crate::request::query::Managers;

/// How an object that is reduced to its metadata begins: before and after the version of that form.
const METADATA_HEAD: [&str; 2] =
    ["{\"kind\":\"PartialObjectMetadata\",\"apiVersion\":\"", "\",\"metadata\":"];

/// A resource at a version, ready to serve.
pub(crate) struct Served {
    pub(crate) resource: Arc<Resource>,
    /// What errors and permissions call it.
    pub(crate) group_resource: GroupResource,
    /// Where its objects are stored.
    pub(crate) storage: GroupResource,
    /// Group and version, as objects name them.
    pub(crate) api_version: String,
    /// `{"apiVersion":"…","kind":"…",`: what stands before the stored members.
    head: Bytes,
    /// What is special to custom resources.
    pub(crate) custom: Option<Custom>,
}

/// What is known of a custom resource besides its descriptor.
pub(crate) struct Custom {
    /// The name of the definition.
    pub(crate) definition: String,
    /// The revision of the definition.
    pub(crate) revision: u64,
    /// Whether the definition is being deleted.
    pub(crate) terminating: bool,
    /// Objects written before this revision may miss defaults or hold fields that the schema no longer knows.
    pub(crate) schema_revision: u64,
}

impl Served {
    /// A compiled-in resource.
    pub(crate) fn built_in(resource: Arc<Resource>) -> Self {
        Self::new(resource, None)
    }

    /// A resource of a definition.
    pub(crate) fn custom(resource: Arc<Resource>, custom: Custom) -> Self {
        Self::new(resource, Some(custom))
    }

    fn new(resource: Arc<Resource>, custom: Option<Custom>) -> Self {
        let api_version = resource.gvk.group_version().to_string();
        let head = format!(
            "{{\"apiVersion\":{},\"kind\":{},",
            json!(api_version),
            json!(&*resource.gvk.kind)
        );
        Self {
            api_version,
            group_resource: resource.group_resource(),
            storage: resource.storage(),
            head: head.into(),
            custom,
            resource,
        }
    }

    /// The key of an object.
    pub(crate) fn key(&self, namespace: &str, name: &str) -> Key {
        Key { resource: self.storage.clone(), namespace: namespace.into(), name: name.into() }
    }

    /// Whether stored bytes can be shown as they are.
    pub(crate) fn is_raw(&self, entry: &Entry) -> bool {
        self.is_raw_since(entry.revision)
    }

    fn is_raw_since(&self, written: u64) -> bool {
        match &self.custom {
            Some(custom) => written > custom.schema_revision,
            None => self.resource.built_in() != Some(BuiltInKind::EventsEvent),
        }
    }

    /// The stored object with everything a reader sees but managedFields.
    pub(crate) fn value(&self, entry: &Entry) -> Value {
        self.value_written(entry, entry.revision)
    }

    /// The stored object with everything a reader sees.
    pub(crate) fn shown(&self, entry: &Entry, managers: Managers) -> Value {
        self.shown_written(entry, entry.revision, managers)
    }

    /// The same for the last state of a deleted object, whose content is older than its revision.
    pub(crate) fn shown_written(&self, entry: &Entry, written: u64, managers: Managers) -> Value {
        let mut object = self.value_written(entry, written);
        if managers == Managers::Shown && !entry.managed.is_empty() {
            object.metadata_mut().insert("managedFields".into(), entry.managed.value());
        }
        object
    }

    /// The part of the object that its cells in a table are made of.
    pub(crate) fn part(&self, entry: &Entry, part: &Part) -> Value {
        if !self.is_raw(entry) {
            return self.value(entry);
        }
        let mut object = entry.read(part);
        self.add_type(&mut object);
        object
    }

    fn value_written(&self, entry: &Entry, written: u64) -> Value {
        let mut object = entry.value();
        self.add_type(&mut object);
        if !self.is_raw_since(written) {
            self.adapt(&mut object);
        }
        object
    }

    /// The object as JSON text, with its type.
    pub(crate) fn bytes(&self, entry: &Entry, managers: Managers) -> Bytes {
        self.bytes_written(entry, entry.revision, managers)
    }

    /// The same for the last state of a deleted object.
    pub(crate) fn bytes_written(&self, entry: &Entry, written: u64, managers: Managers) -> Bytes {
        if !self.is_raw_since(written) {
            return self.shown_written(entry, written, managers).to_string().into();
        }
        let mut out = BytesMut::with_capacity(self.head.len() + members_length(entry, managers));
        self.write_raw(entry, managers, &mut out);
        out.freeze()
    }

    /// Appends the object as JSON text, with its type.
    pub(crate) fn write(&self, entry: &Entry, managers: Managers, out: &mut BytesMut) {
        if self.is_raw(entry) {
            self.write_raw(entry, managers, out);
        } else {
            out.put_slice(self.shown(entry, managers).to_string().as_bytes());
        }
    }

    fn write_raw(&self, entry: &Entry, managers: Managers, out: &mut BytesMut) {
        out.put_slice(&self.head);
        write_members(entry, managers, out);
    }

    /// How an item of a list begins; its members follow.
    pub(crate) fn item_head(&self) -> Bytes {
        if self.custom.is_some() { self.head.clone() } else { Bytes::from_static(b"{") }
    }

    /// An item of a list that cannot be shown as it is stored.
    pub(crate) fn item(&self, entry: &Entry, managers: Managers) -> Bytes {
        let mut object = self.shown(entry, managers);
        if self.custom.is_none() {
            remove_type(&mut object);
        }
        object.to_string().into()
    }

    /// Whether all watchers of the stored objects see them as this resource shows them.
    pub(crate) fn shares_frames(&self) -> bool {
        match &self.resource.origin {
            Origin::BuiltIn(kind) => *kind != BuiltInKind::EventsEvent,
            Origin::Custom { storage_version, .. } => *storage_version == self.resource.gvk.version,
        }
    }

    /// Gives an object the type of this resource.
    pub(crate) fn add_type(&self, object: &mut Value) {
        if let Some(object) = object.as_object_mut() {
            object.insert("apiVersion".into(), json!(self.api_version));
            object.insert("kind".into(), json!(&*self.resource.gvk.kind));
        }
    }

    /// What is stored of an object.
    pub(crate) fn to_stored(&self, mut object: Value) -> Value {
        object = self.resource.to_storage(object);
        remove_type(&mut object);
        if let Some(Value::Object(metadata)) = object.get_mut("metadata") {
            metadata.remove("resourceVersion");
        }
        object
    }

    fn adapt(&self, object: &mut Value) {
        if self.custom.is_some() {
            self.resource.schema.prune(object);
            self.resource.schema.drop_nulls_and_default(object);
        } else {
            let stored = std::mem::take(object);
            *object = self.resource.from_storage(stored);
            self.add_type(object);
        }
    }
}

/// Appends the stored members of an object and the brace after them.
pub(crate) fn write_members(entry: &Entry, managers: Managers, out: &mut BytesMut) {
    let (before, after) = entry.parts();
    out.put_slice(before.get(1..).unwrap_or_default());
    if managers == Managers::Shown {
        entry.managed.write(out);
    }
    out.put_slice(after);
}

/// Appends the object reduced to its metadata, which is the same in every version and whatever the schema says.
/// `form` is the version of that form.
pub(crate) fn write_metadata(entry: &Entry, form: &str, managers: Managers, out: &mut BytesMut) {
    let (before, after) = entry.metadata_parts();
    let [kind, member] = METADATA_HEAD;
    for text in [kind, form, member] {
        out.put_slice(text.as_bytes());
    }
    out.put_slice(before);
    if managers == Managers::Shown {
        entry.managed.write(out);
    }
    out.put_slice(after);
    out.put_u8(b'}');
}

/// How many bytes [`write_metadata`] appends.
pub(crate) fn metadata_length(entry: &Entry, form: &str, managers: Managers) -> usize {
    let (before, after) = entry.metadata_parts();
    let [kind, member] = METADATA_HEAD.map(str::len);
    kind + form.len() + member + before.len() + managed_length(entry, managers) + after.len() + 1
}

/// How many bytes [`write_members`] appends.
pub(crate) fn members_length(entry: &Entry, managers: Managers) -> usize {
    entry.body.len().saturating_sub(1) + managed_length(entry, managers)
}

fn managed_length(entry: &Entry, managers: Managers) -> usize {
    if managers == Managers::Shown { entry.managed.length() } else { 0 }
}

fn remove_type(object: &mut Value) {
    if let Some(object) = object.as_object_mut() {
        object.remove("apiVersion");
        object.remove("kind");
    }
}
