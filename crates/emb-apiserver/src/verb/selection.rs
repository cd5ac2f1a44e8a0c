//! Which objects of a collection a request means.

use std::borrow::Cow;

use emb_codec::selector::{FieldSelector, LabelSelector, SelectorError};
use emb_meta::{Reason, Scope, Status};
use emb_store::{Entry, Listing, Range};
use serde_json::Value;

use crate::{call::Call, registry::Served};

/// The namespace and the selectors of a request.
pub(crate) struct Selection {
    pub(crate) namespace: Option<String>,
    labels: LabelSelector,
    fields: FieldSelector,
}

impl Selection {
    /// Reads the selectors; one that cannot be read or names an unknown field is 400.
    pub(crate) fn read(call: &Call) -> Result<Self, Status> {
        let bad = |error: SelectorError| Status::new(Reason::BadRequest, error.to_string());
        let query = &call.info.query;
        let labels = LabelSelector::parse(query.get("labelSelector")).map_err(bad)?;
        let fields = FieldSelector::parse(query.get("fieldSelector")).map_err(bad)?;
        for term in fields.terms() {
            let known = term.field == "metadata.name"
                || (term.field == "metadata.namespace" && has_namespace_field(call))
                || call.served.resource.selectable_fields.iter().any(|f| **f == *term.field);
            if !known {
                return Err(unknown_field(call, &term.field));
            }
        }
        let namespace = Some(call.namespace().to_owned()).filter(|ns| !ns.is_empty());
        Ok(Self { namespace, labels, fields })
    }

    /// Whether every object of the namespace is meant.
    pub(crate) fn is_everything(&self) -> bool {
        self.labels.is_everything() && self.fields.is_everything()
    }

    /// The part of the collection to look through, as narrow as the indexes make it.
    pub(crate) fn range(&self) -> Range<'_> {
        let label = self.labels.requirements().iter().find_map(|requirement| {
            requirement.exact().filter(|value| !value.is_empty()).map(|v| (requirement.key(), v))
        });
        Range { namespace: self.namespace.as_deref(), label, ..Range::default() }
    }

    /// The objects meant, as they are now.
    pub(crate) fn list(&self, call: &Call) -> Listing {
        let store = &call.state.store;
        if let (Some(name), Some(namespace)) = (self.exact_name(), self.exact_namespace(call)) {
            // Read before the object, so that the list is never older than it says.
            let revision = store.revision();
            let entry = store.get(&call.served.key(&namespace, name));
            let entries =
                entry.into_iter().filter(|entry| self.matches(&call.served, entry)).collect();
            return Listing { revision, entries, remaining: 0 };
        }
        let mut listing = store.list(&call.served.storage, self.range());
        self.retain(call, &mut listing);
        listing
    }

    /// Drops what is not meant.
    pub(crate) fn retain(&self, call: &Call, listing: &mut Listing) {
        if !self.is_everything() {
            listing.entries.retain(|entry| self.matches(&call.served, entry));
        }
    }

    /// The one name that can match.
    fn exact_name(&self) -> Option<&str> {
        self.fields.exact("metadata.name")
    }

    fn exact_namespace(&self, call: &Call) -> Option<String> {
        match call.served.resource.scope {
            Scope::Cluster => Some(String::new()),
            Scope::Namespaced => self.namespace.clone(),
        }
    }

    /// Whether an object is meant.
    pub(crate) fn matches(&self, served: &Served, entry: &Entry) -> bool {
        self.in_namespace(entry)
            && self.labels.matches(|key| entry.label(key))
            && self.matches_fields(served, entry)
    }

    fn in_namespace(&self, entry: &Entry) -> bool {
        self.namespace.as_deref().is_none_or(|namespace| namespace == &*entry.key.namespace)
    }

    fn matches_fields(&self, served: &Served, entry: &Entry) -> bool {
        if self.fields.is_everything() {
            return true;
        }
        let needs_object = self
            .fields
            .terms()
            .iter()
            .any(|term| !matches!(term.field.as_str(), "metadata.name" | "metadata.namespace"));
        let object = if needs_object { served.value(entry) } else { Value::Null };
        self.fields.matches(|field| match field {
            "metadata.name" => Cow::Borrowed(&*entry.key.name),
            "metadata.namespace" => Cow::Borrowed(&*entry.key.namespace),
            other => served.resource.field(&object, other).unwrap_or_default(),
        })
    }
}

/// Custom kinds without namespaces do not know the field; built-in ones do.
fn has_namespace_field(call: &Call) -> bool {
    call.served.custom.is_none() || call.served.resource.scope == Scope::Namespaced
}

/// Built-in kinds without selectable fields of their own say which there are.
fn unknown_field(call: &Call, field: &str) -> Status {
    let resource = &call.served.resource;
    let message = if resource.built_in().is_some() && resource.selectable_fields.is_empty() {
        format!(
            "{field:?} is not a known field selector: only \"metadata.name\", \"metadata.namespace\""
        )
    } else {
        format!("field label not supported: {field}")
    };
    Status::new(Reason::BadRequest, message)
}
