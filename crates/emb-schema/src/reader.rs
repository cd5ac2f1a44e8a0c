//! Reads the keywords of one schema object, reporting those of the wrong JSON type.

use emb_meta::{FieldError, FieldPath};
use serde_json::{Map, Value};

/// The keywords of a schema at a place in the document that holds it.
pub(crate) struct Reader<'v, 'e> {
    pub(crate) keywords: &'v Map<String, Value>,
    pub(crate) at: &'v FieldPath,
    pub(crate) errors: &'e mut Vec<FieldError>,
}

impl<'v> Reader<'v, '_> {
    /// The value of a keyword; null counts as absent.
    fn get(&self, keyword: &str) -> Option<&'v Value> {
        self.keywords.get(keyword).filter(|value| !value.is_null())
    }

    fn read<T>(
        &mut self,
        keyword: &str,
        kind: &str,
        convert: impl FnOnce(&'v Value) -> Option<T>,
    ) -> Option<T> {
        let value = self.get(keyword)?;
        let converted = convert(value);
        if converted.is_none() {
            let detail = format!("must be of type {kind}");
            self.errors.push(FieldError::type_invalid(self.at.child(keyword), value, &detail));
        }
        converted
    }

    pub(crate) fn text(&mut self, keyword: &str) -> Option<&'v str> {
        self.read(keyword, "string", Value::as_str).filter(|text| !text.is_empty())
    }

    pub(crate) fn flag(&mut self, keyword: &str) -> bool {
        self.read(keyword, "boolean", Value::as_bool).unwrap_or_default()
    }

    /// A size; negative ones restrict nothing downwards and everything upwards, as a number below zero would.
    pub(crate) fn count(&mut self, keyword: &str) -> Option<u64> {
        let value = self.read(keyword, "integer", Value::as_i64)?;
        Some(u64::try_from(value).unwrap_or_default())
    }

    pub(crate) fn float(&mut self, keyword: &str) -> Option<f64> {
        self.read(keyword, "number", Value::as_f64)
    }

    pub(crate) fn list(&mut self, keyword: &str) -> &'v [Value] {
        self.read(keyword, "array", Value::as_array).map_or(&[], Vec::as_slice)
    }

    pub(crate) fn texts(&mut self, keyword: &str) -> Box<[Box<str>]> {
        let texts = self.read(keyword, "array of strings", |value| {
            value.as_array()?.iter().map(|item| item.as_str().map(Into::into)).collect()
        });
        texts.unwrap_or_default()
    }

    pub(crate) fn map(&mut self, keyword: &str) -> Option<&'v Map<String, Value>> {
        self.read(keyword, "object", Value::as_object)
    }

    pub(crate) fn any(&self, keyword: &str) -> Option<&'v Value> {
        self.get(keyword)
    }
}
