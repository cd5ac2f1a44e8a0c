//! The parts that Secrets and ConfigMaps have in common.

use api_kinds::{ObjectMeta, annotations};
use k8s_openapi::ByteString;

use crate::admission::metadata::set_annotation;

/// The metadata of a new object.
pub(super) fn named(namespace: &str, name: &str) -> ObjectMeta {
    ObjectMeta {
        name: Some(name.to_owned()),
        namespace: Some(namespace.to_owned()),
        ..ObjectMeta::default()
    }
}

/// Sets the description, or removes it when it is empty.
pub(super) fn describe(metadata: &mut ObjectMeta, description: &str) {
    let value = Some(description.to_owned()).filter(|text| !text.is_empty());
    set_annotation(metadata, annotations::DESCRIPTION, value);
}

/// Says whether every Project gets a copy.
pub(super) fn replicate(metadata: &mut ObjectMeta, is_replicated: bool) {
    let value = is_replicated.then(|| annotations::REPLICATE_TO_ALL.to_owned());
    set_annotation(metadata, annotations::REPLICATE_TO, value);
}

/// A value as a Secret stores it.
pub(super) fn bytes(value: &str) -> ByteString {
    ByteString(value.as_bytes().to_vec())
}
