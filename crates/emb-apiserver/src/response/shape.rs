//! The other shapes of an object: a table row, its metadata alone.

use bytes::{BufMut, Bytes, BytesMut};
use core_clock::Time;
use emb_kinds::{
    Resource,
    table::{self, IncludeObject, Part},
};
use emb_meta::{ObjectExt, Reason, Status};
use emb_store::Entry;
use serde_json::{Value, json};

use super::list;
use crate::{
    registry::{Served, write_metadata},
    request::query::Managers,
    verb::list::List,
};

/// The `apiVersion` of metadata-only objects.
pub(super) const META: &str = "meta.k8s.io/v1";

/// About what a row with metadata takes.
const ROW_BYTES: usize = 512;

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
    /// A table of a list. Nobody reads managedFields in a row, and they would be most of it: objects come without.
    pub(crate) fn document(
        self,
        resource: &Resource,
        objects: impl Iterator<Item = Value>,
        metadata: Value,
    ) -> Value {
        let rows = objects.map(|object| self.row(resource, &object)).collect();
        table::table(table::columns(resource), rows, metadata, self.meta_version())
    }

    /// The same as JSON text. Rows are written straight from the stored bytes: there may be many, each a small part of
    /// its object.
    pub(crate) fn text(self, served: &Served, list: &List) -> Bytes {
        let columns = table::columns(&served.resource);
        let empty = table::table(columns, vec![], list::metadata(list), self.meta_version());
        let empty = empty.to_string();
        let mut out = BytesMut::with_capacity(empty.len() + list.entries.len() * ROW_BYTES);
        out.put_slice(empty.strip_suffix("]}").unwrap_or_default().as_bytes());
        let part = Part::of_cells(&served.resource);
        for (at, entry) in list.entries.iter().enumerate() {
            if at > 0 {
                out.put_u8(b',');
            }
            self.write_row(served, entry, &part, &mut out);
        }
        out.put_slice(b"]}");
        out.freeze()
    }

    fn write_row(self, served: &Served, entry: &Entry, part: &Part, out: &mut BytesMut) {
        let cells = table::cells(&served.resource, &served.part(entry, part), self.now);
        // A buffer takes every write, and cells always serialise: there is no error to lose.
        out.put_slice(b"{\"cells\":");
        let _ = serde_json::to_writer(out.writer(), &cells);
        out.put_slice(b",\"object\":");
        match self.include {
            IncludeObject::None => out.put_slice(b"null"),
            IncludeObject::Metadata => {
                write_metadata(entry, self.meta_version(), Managers::Omitted, out);
            }
            IncludeObject::Object => served.write(entry, Managers::Omitted, out),
        }
        out.put_u8(b'}');
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
