//! The descriptor of one served resource at one version: everything a generic request handler needs to know.

use std::{borrow::Cow, sync::Arc};

use emb_apply::ObjectType;
use emb_codec::patch::MergeKeys;
use emb_meta::{FieldError, GroupKind, GroupResource, GroupVersionKind, NameRule, Scope};
use emb_schema::Schema;
use serde_json::{Value, json};

use crate::{
    builtin::{self, BuiltInKind, Malformed, Shape, event_view, rules},
    table::JsonPath,
};

/// What may be asked of a resource.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "the names are the wire format")]
pub enum Verb {
    Create,
    Delete,
    DeleteCollection,
    Get,
    List,
    Patch,
    Update,
    Watch,
}

impl Verb {
    /// The lower-case word used by discovery and permissions.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Create => "create",
            Self::Delete => "delete",
            Self::DeleteCollection => "deletecollection",
            Self::Get => "get",
            Self::List => "list",
            Self::Patch => "patch",
            Self::Update => "update",
            Self::Watch => "watch",
        }
    }
}

/// A path below an object, such as `status` or `token`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Subresource {
    /// The path segment.
    pub name: &'static str,
    /// The kind that bodies of this path have; the object's own kind for `status`.
    pub kind: GroupVersionKind,
    /// What may be asked of it.
    pub verbs: &'static [Verb],
}

/// One column of the server-side table.
#[derive(Clone, Debug, PartialEq)]
pub struct Column {
    /// The heading.
    pub name: String,
    /// OpenAPI type: `string`, `integer`, `number`, `boolean` or `date`.
    pub kind: String,
    /// OpenAPI format; `name` marks the column that identifies the row.
    pub format: String,
    /// What the column means.
    pub description: String,
    /// 0 is always shown; larger numbers only in wide output.
    pub priority: i32,
    /// Where a custom resource has the value; `None` for the name and for built-in kinds, whose cells are worded by code.
    pub path: Option<JsonPath>,
}

/// Where a resource comes from.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Origin {
    /// Compiled in.
    BuiltIn(BuiltInKind),
    /// Defined by a CustomResourceDefinition.
    Custom {
        /// Name of the definition.
        crd_name: Arc<str>,
        /// The version that objects are stored in.
        storage_version: Arc<str>,
    },
}

/// One served resource at one version.
#[derive(Clone, Debug)]
pub struct Resource {
    /// Group, version and kind of the objects.
    pub gvk: GroupVersionKind,
    /// Lower-case plural: the path segment.
    pub plural: Arc<str>,
    /// Lower-case singular, for clients that accept either.
    pub singular: Arc<str>,
    /// Kind of a list of these objects.
    pub list_kind: Arc<str>,
    /// Abbreviations that clients accept.
    pub short_names: Vec<Arc<str>>,
    /// Groups of resources this one belongs to, such as `all`.
    pub categories: Vec<Arc<str>>,
    /// Whether objects live in a namespace.
    pub scope: Scope,
    /// Which names objects may have.
    pub name_rule: NameRule,
    /// What may be asked, in the order that discovery shows.
    pub verbs: &'static [Verb],
    /// Paths below each object.
    pub subresources: Vec<Subresource>,
    /// Whether `status` is written through its own path only.
    pub has_status: bool,
    /// Whether an update of a missing object creates it.
    pub put_creates: bool,
    /// Whether `metadata.generation` is kept.
    pub tracks_generation: bool,
    /// What objects may hold.
    pub schema: Schema,
    /// How its fields are managed and applied.
    pub fields: ObjectType,
    /// How strategic patches merge lists; custom resources take none.
    pub merge_keys: MergeKeys,
    /// Columns of the server-side table.
    pub columns: Vec<Column>,
    /// Field selectors beyond `metadata.name` and `metadata.namespace`.
    pub selectable_fields: Vec<Arc<str>>,
    /// The warning that every request to this version draws.
    pub deprecated: Option<Arc<str>>,
    /// Where the resource comes from.
    pub origin: Origin,
    /// What [`Resource::document`] is read from. It is kept for as long as the kind is served and seldom asked for, so it
    /// is kept small.
    pub(crate) document: Arc<str>,
    /// What the JSON of a built-in kind looks like.
    pub(crate) shape: Option<Arc<Shape>>,
}

impl Resource {
    /// The schema as OpenAPI publishes it; built-in kinds refer to shared types by short name.
    pub(crate) fn document(&self) -> Value {
        // The text of a value is read back.
        emb_codec::json::decode(self.document.as_bytes()).map(|read| read.value).unwrap_or_default()
    }

    /// The resource without its version: what permissions and error texts name.
    pub fn group_resource(&self) -> GroupResource {
        GroupResource { group: self.gvk.group.clone(), resource: self.plural.clone() }
    }

    /// The kind without its version: what validation errors name.
    pub fn group_kind(&self) -> GroupKind {
        self.gvk.group_kind()
    }

    /// The resource under which objects are stored. Both event APIs share the records of the core one.
    pub fn storage(&self) -> GroupResource {
        match self.origin {
            Origin::BuiltIn(BuiltInKind::EventsEvent) => GroupResource::new("", "events"),
            _ => self.group_resource(),
        }
    }

    /// Whether objects are kept at all; reviews are answered and forgotten, some lists are made up on the fly.
    pub fn is_stored(&self) -> bool {
        self.built_in().is_none_or(BuiltInKind::is_stored)
    }

    /// The built-in kind, unless the resource comes from a CRD.
    pub fn built_in(&self) -> Option<BuiltInKind> {
        match self.origin {
            Origin::BuiltIn(kind) => Some(kind),
            Origin::Custom { .. } => None,
        }
    }

    /// Whether `verb` may be asked of the resource itself.
    pub fn allows(&self, verb: Verb) -> bool {
        self.verbs.contains(&verb)
    }

    /// The path below each object called `name`.
    pub fn subresource(&self, name: &str) -> Option<&Subresource> {
        self.subresources.iter().find(|sub| sub.name == name)
    }

    /// The kind of what is written at a path below each object, or, with "", at the object itself.
    pub fn kind_at(&self, subresource: &str) -> &GroupVersionKind {
        self.subresource(subresource).map_or(&self.gvk, |subresource| &subresource.kind)
    }

    /// The form in which an object of this resource is stored.
    pub fn to_storage(&self, mut object: Value) -> Value {
        match &self.origin {
            Origin::BuiltIn(BuiltInKind::EventsEvent) => event_view::to_core(object),
            Origin::BuiltIn(_) => object,
            Origin::Custom { storage_version, .. } => {
                set_api_version(&mut object, &self.gvk.group, storage_version);
                object
            }
        }
    }

    /// A stored object as this resource shows it. Versions of a custom resource differ by `apiVersion` alone.
    pub fn from_storage(&self, mut stored: Value) -> Value {
        match &self.origin {
            Origin::BuiltIn(BuiltInKind::EventsEvent) => event_view::from_core(stored),
            Origin::BuiltIn(_) => stored,
            Origin::Custom { .. } => {
                set_api_version(&mut stored, &self.gvk.group, &self.gvk.version);
                stored
            }
        }
    }

    /// Brings the body of a built-in object into its one canonical form: types checked, unknown members dropped, times
    /// and base64 normalised, empty members left out or filled in. Custom resources are left as they are.
    pub fn decode_builtin(&self, object: &mut Value) -> Result<(), Malformed> {
        match &self.shape {
            Some(shape) => builtin::decode(object, shape, &self.gvk.kind),
            None => Ok(()),
        }
    }

    /// Fills in the defaults of a built-in kind. Run it after [`Self::decode_builtin`], and again after mutations.
    pub fn default_builtin(&self, object: &mut Value) {
        if let Some(kind) = self.built_in() {
            rules::default(kind, object);
        }
    }

    /// Sets what clients may not choose on a new built-in object, such as the phase of a Namespace.
    pub fn prepare_create(&self, object: &mut Value) {
        if let Some(kind) = self.built_in() {
            rules::prepare_create(kind, object);
        }
    }

    /// Puts back what an update of a built-in object through its own path may not change.
    pub fn prepare_update(&self, new: &mut Value, old: &Value) {
        if let Some(kind) = self.built_in() {
            rules::prepare_update(kind, new, old);
        }
    }

    /// What is wrong with a built-in object, beyond its metadata, that is created or replaces `old`.
    pub fn validate_builtin(&self, new: &Value, old: Option<&Value>) -> Vec<FieldError> {
        self.built_in().map(|kind| rules::validate(kind, new, old)).unwrap_or_default()
    }

    /// The value of a field that selectors may name, as text; absent values are empty. `None`: not supported.
    pub fn field<'a>(&self, object: &'a Value, field: &str) -> Option<Cow<'a, str>> {
        builtin::field(self, object, field)
    }
}

fn set_api_version(object: &mut Value, group: &str, version: &str) {
    if let Some(members) = object.as_object_mut() {
        members.insert("apiVersion".to_owned(), json!(format!("{group}/{version}")));
    }
}
