//! The other shapes of an object: a table row, its metadata alone.

use core_clock::Time;
use emb_kinds::{
    Resource,
    table::{self, IncludeObject},
};
use emb_meta::{ObjectExt, Reason, Status};
use serde_json::{Value, json};

/// The `apiVersion` of metadata-only objects.
const META: &str = "meta.k8s.io/v1";

/// Reads `includeObject`; an unknown word is 400.
pub(crate) fn include(text: &str) -> Result<IncludeObject, Status> {
    IncludeObject::parse(text).ok_or_else(|| {
        let message = format!(
            "Unable to convert to Table as requested: includeObject: Invalid value: {text:?}: must be 'Metadata', 'Object', 'None', or empty"
        );
        Status::new(Reason::BadRequest, message)
    })
}

/// Which version of a table is made, of which part of the objects, and when.
#[derive(Clone, Copy)]
pub(crate) struct TableForm {
    pub(crate) version: &'static str,
    pub(crate) include: IncludeObject,
    pub(crate) now: Time,
}

impl TableForm {
    /// A table of several objects, with the metadata of their list. Objects come one after another: a row is a small part
    /// of what it is made of.
    pub(crate) fn list(
        self,
        resource: &Resource,
        objects: impl IntoIterator<Item = Value>,
        metadata: Value,
    ) -> Value {
        let rows = objects.into_iter().map(|object| self.row(resource, &object)).collect();
        table::table(table::columns(resource), rows, metadata, self.meta_version())
    }

    /// A table of one object. A watch names the columns in its first event only.
    pub(crate) fn one(self, resource: &Resource, object: &Value, with_columns: bool) -> Value {
        let columns = if with_columns { table::columns(resource) } else { json!([]) };
        let metadata = json!({ "resourceVersion": object.resource_version() });
        let rows = vec![self.row(resource, object)];
        table::table(columns, rows, metadata, self.meta_version())
    }

    fn row(self, resource: &Resource, object: &Value) -> Value {
        table::row(resource, object, self.now, self.include, self.meta_version())
    }

    fn meta_version(self) -> &'static str {
        if self.version == "v1" { META } else { "meta.k8s.io/v1beta1" }
    }
}

/// An object reduced to its metadata.
pub(crate) fn partial_metadata(object: &Value) -> Value {
    table::partial_metadata(object, META)
}
