//! What somebody wants to do, and to what.

use std::borrow::Cow;

use core_rules::access::attributes::{Attributes, PROMOTE};

use crate::mirror::{Kind, qualified};

/// What somebody wants to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verb {
    Get,
    List,
    Watch,
    Create,
    Update,
    Patch,
    Delete,
    /// To a Stage.
    Promote,
}

impl Verb {
    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::Get => "get",
            Self::List => "list",
            Self::Watch => "watch",
            Self::Create => "create",
            Self::Update => "update",
            Self::Patch => "patch",
            Self::Delete => "delete",
            Self::Promote => PROMOTE,
        }
    }
}

/// What somebody wants to do it to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Target {
    /// Empty for the core group.
    pub(crate) group: Cow<'static, str>,
    pub(crate) resource: Cow<'static, str>,
    pub(crate) subresource: &'static str,
    /// Empty for kinds without namespaces.
    pub(crate) namespace: String,
    /// Empty for all.
    pub(crate) name: String,
}

impl Target {
    /// One object.
    pub(crate) fn one(kind: &'static Kind, namespace: &str, name: &str) -> Self {
        Self {
            group: Cow::Borrowed(kind.group),
            resource: Cow::Borrowed(kind.plural),
            subresource: "",
            namespace: namespace.to_owned(),
            name: name.to_owned(),
        }
    }

    /// The status of one object.
    pub(crate) fn status(kind: &'static Kind, namespace: &str, name: &str) -> Self {
        Self { subresource: "status", ..Self::one(kind, namespace, name) }
    }

    /// One object of any kind.
    pub(crate) fn any(group: &str, resource: &str, namespace: &str, name: &str) -> Self {
        Self {
            group: Cow::Owned(group.to_owned()),
            resource: Cow::Owned(resource.to_owned()),
            subresource: "",
            namespace: namespace.to_owned(),
            name: name.to_owned(),
        }
    }

    /// All objects of a namespace, or of a kind without namespaces.
    pub(crate) fn all(kind: &'static Kind, namespace: &str) -> Self {
        Self::one(kind, namespace, "")
    }

    /// The question in the words of the rules.
    pub(super) fn attributes(&self, verb: Verb) -> Attributes {
        Attributes {
            verb: verb.as_str().to_owned(),
            group: self.group.clone().into_owned(),
            resource: self.resource.clone().into_owned(),
            subresource: self.subresource.to_owned(),
            namespace: self.namespace.clone(),
            name: self.name.clone(),
        }
    }

    /// What somebody is told who asks for what is not there.
    pub(crate) fn absence(&self) -> String {
        format!("{} {:?} not found", qualified(&self.group, &self.resource), self.name)
    }
}
