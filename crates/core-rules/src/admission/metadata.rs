//! Labels and annotations as rules see them: absent maps are empty ones.

use api_kinds::{ObjectMeta, labels};

/// The object's name; empty while it has none.
pub(crate) fn name(metadata: &ObjectMeta) -> &str {
    metadata.name.as_deref().unwrap_or_default()
}

/// The object's namespace; empty when it has none.
pub(crate) fn namespace(metadata: &ObjectMeta) -> &str {
    metadata.namespace.as_deref().unwrap_or_default()
}

/// The value of an annotation.
pub(crate) fn annotation<'a>(metadata: &'a ObjectMeta, key: &str) -> Option<&'a str> {
    metadata.annotations.as_ref()?.get(key).map(String::as_str)
}

/// The value of a label.
pub(crate) fn label<'a>(metadata: &'a ObjectMeta, key: &str) -> Option<&'a str> {
    metadata.labels.as_ref()?.get(key).map(String::as_str)
}

/// Sets an annotation, or removes it.
pub(crate) fn set_annotation(metadata: &mut ObjectMeta, key: &str, value: Option<String>) {
    match value {
        Some(value) => {
            metadata.annotations.get_or_insert_default().insert(key.to_owned(), value);
        }
        None => {
            metadata.annotations.as_mut().and_then(|annotations| annotations.remove(key));
        }
    }
}

/// Sets a label, or removes it when the value is empty.
pub(crate) fn set_label(metadata: &mut ObjectMeta, key: &str, value: &str) {
    if value.is_empty() {
        metadata.labels.as_mut().and_then(|labels| labels.remove(key));
    } else {
        metadata.labels.get_or_insert_default().insert(key.to_owned(), value.to_owned());
    }
}

/// Makes the shard label follow the field; the label never feeds the field.
pub(crate) fn set_shard(metadata: &mut ObjectMeta, shard: &str) {
    set_label(metadata, labels::SHARD, shard);
}

/// Gives annotations the values they had before, or removes those that were not there.
pub(crate) fn restore_annotations(metadata: &mut ObjectMeta, old: &ObjectMeta, keys: &[&str]) {
    for key in keys {
        set_annotation(metadata, key, annotation(old, key).map(str::to_owned));
    }
}

/// Whether the object is on its way out, when only its finalizers matter any more.
pub(crate) fn is_being_deleted(metadata: &ObjectMeta) -> bool {
    metadata.deletion_timestamp.is_some()
}

/// Whether the text is a label of a host name, as names of namespaces and subscriptions are.
pub(crate) fn is_dns_label(text: &str) -> bool {
    let is_inner = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    (1..=63).contains(&text.len())
        && text.bytes().all(is_inner)
        && !text.starts_with('-')
        && !text.ends_with('-')
}
