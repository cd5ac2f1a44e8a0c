//! The descriptor of one served resource at one version: everything a generic request handler needs to know.

use std::sync::Arc;

use emb_meta::{GroupKind, GroupResource, GroupVersionKind, NameRule, Scope};

use crate::BuiltInKind;

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
#[derive(Clone, Debug, PartialEq, Eq)]
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
}

/// Where a resource comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Origin {
    /// Compiled in.
    BuiltIn(BuiltInKind),
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
    /// Columns of the server-side table.
    pub columns: Vec<Column>,
    /// Field selectors beyond `metadata.name` and `metadata.namespace`.
    pub selectable_fields: Vec<Arc<str>>,
    /// The warning that every request to this version draws.
    pub deprecated: Option<Arc<str>>,
    /// Where the resource comes from.
    pub origin: Origin,
}

impl Resource {
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
            Origin::BuiltIn(_) => self.group_resource(),
        }
    }

    /// Whether objects are kept at all; reviews are answered and forgotten, some lists are made up on the fly.
    pub fn is_stored(&self) -> bool {
        match self.origin {
            Origin::BuiltIn(kind) => kind.is_stored(),
        }
    }

    /// The built-in kind, unless the resource comes from a CRD.
    pub fn built_in(&self) -> Option<BuiltInKind> {
        match self.origin {
            Origin::BuiltIn(kind) => Some(kind),
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
}
