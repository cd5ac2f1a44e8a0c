//! The two kinds that are replicated, and what of them a copy repeats.

use std::collections::BTreeMap;

use api_kinds::ObjectMeta;
use k8s_openapi::{
    ByteString, Metadata,
    api::core::v1::{ConfigMap, Secret},
};

use crate::replica::{Source, SourceKind, is_copied_annotation};

/// A kind that can be replicated.
pub trait Replicable: Clone + Metadata<Ty = ObjectMeta> {
    /// Whether an object like this can be replicated at all.
    fn is_eligible(&self) -> bool {
        source(self, &self.data()).is_eligible()
    }

    /// The labels of a copy.
    fn replica_labels(&self) -> BTreeMap<String, String> {
        source(self, &self.data()).replica_labels()
    }

    /// The annotations that a copy repeats.
    fn copied_annotations(&self) -> BTreeMap<String, String> {
        let all = self.metadata().annotations.iter().flatten();
        all.filter(|(key, _)| is_copied_annotation(key))
            .map(|(key, value)| (key.clone(), value.clone()))
            .collect()
    }

    /// Which of the two kinds this is.
    const SOURCE_KIND: SourceKind;

    /// The data, as bytes, and the binary data.
    fn data(&self) -> [BTreeMap<String, Vec<u8>>; 2];

    /// An object with the content of this one and other metadata.
    #[must_use]
    fn content_with(&self, metadata: ObjectMeta) -> Self;

    /// Whether the contents are equal.
    fn is_same_content(&self, other: &Self) -> bool;

    /// Whether the object can be changed to have the content of the other one.
    fn can_become(&self, other: &Self) -> bool;
}

static NONE: BTreeMap<String, String> = BTreeMap::new();

fn source<'a, T: Replicable>(
    object: &'a T,
    [data, binary_data]: &'a [BTreeMap<String, Vec<u8>>; 2],
) -> Source<'a> {
    let metadata = object.metadata();
    Source {
        kind: T::SOURCE_KIND,
        name: metadata.name.as_deref().unwrap_or_default(),
        labels: metadata.labels.as_ref().unwrap_or(&NONE),
        annotations: metadata.annotations.as_ref().unwrap_or(&NONE),
        data,
        binary_data,
    }
}

const OPAQUE: &str = "Opaque";

impl Replicable for Secret {
    const SOURCE_KIND: SourceKind = SourceKind::Secret;

    fn data(&self) -> [BTreeMap<String, Vec<u8>>; 2] {
        [bytes(self.data.as_ref()), BTreeMap::new()]
    }

    fn content_with(&self, metadata: ObjectMeta) -> Self {
        Self { metadata, data: self.data.clone(), type_: self.type_.clone(), ..Self::default() }
    }

    fn is_same_content(&self, other: &Self) -> bool {
        self.can_become(other) && bytes(self.data.as_ref()) == bytes(other.data.as_ref())
    }

    /// The type of a Secret never changes, nor does anything of one that is immutable.
    fn can_become(&self, other: &Self) -> bool {
        let kind = |secret: &Self| secret.type_.clone().unwrap_or_else(|| OPAQUE.to_owned());
        self.immutable != Some(true) && kind(self) == kind(other)
    }
}

impl Replicable for ConfigMap {
    const SOURCE_KIND: SourceKind = SourceKind::ConfigMap;

    fn data(&self) -> [BTreeMap<String, Vec<u8>>; 2] {
        let text = self.data.iter().flatten();
        let text = text.map(|(key, value)| (key.clone(), value.clone().into_bytes())).collect();
        [text, bytes(self.binary_data.as_ref())]
    }

    fn content_with(&self, metadata: ObjectMeta) -> Self {
        Self {
            metadata,
            data: self.data.clone(),
            binary_data: self.binary_data.clone(),
            immutable: None,
        }
    }

    fn is_same_content(&self, other: &Self) -> bool {
        self.can_become(other) && Replicable::data(self) == Replicable::data(other)
    }

    fn can_become(&self, _: &Self) -> bool {
        self.immutable != Some(true)
    }
}

fn bytes(data: Option<&BTreeMap<String, ByteString>>) -> BTreeMap<String, Vec<u8>> {
    data.into_iter().flatten().map(|(key, value)| (key.clone(), value.0.clone())).collect()
}
