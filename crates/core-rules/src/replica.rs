//! Copies of shared Secrets and ConfigMaps in the namespaces of Projects.

use std::collections::BTreeMap;

use api_kinds::{annotations, labels};

use crate::{digest::sha256_hex, shorten::label_value};

const LAST_APPLIED: &str = "kubectl.kubernetes.io/last-applied-configuration";
const HASH_LENGTH: usize = 16;

/// What can be replicated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SourceKind {
    /// A Secret.
    Secret,
    /// A ConfigMap.
    ConfigMap,
}

/// The parts of a Secret or ConfigMap that a copy repeats.
#[derive(Clone, Copy, Debug)]
pub struct Source<'a> {
    /// Which of the two it is.
    pub kind: SourceKind,
    /// Its name.
    pub name: &'a str,
    /// Its labels.
    pub labels: &'a BTreeMap<String, String>,
    /// Its annotations.
    pub annotations: &'a BTreeMap<String, String>,
    /// Its data: bytes of a Secret, texts of a ConfigMap.
    pub data: &'a BTreeMap<String, Vec<u8>>,
    /// The binary data of a ConfigMap; empty for a Secret.
    pub binary_data: &'a BTreeMap<String, Vec<u8>>,
}

impl Source<'_> {
    /// Whether an object like this can be replicated at all: Secrets must be credentials.
    pub fn is_eligible(&self) -> bool {
        match self.kind {
            SourceKind::Secret => self.labels.contains_key(labels::CREDENTIALS_TYPE),
            SourceKind::ConfigMap => true,
        }
    }

    /// Whether the object asks to be replicated and can be.
    pub fn is_requested(&self) -> bool {
        let target = self.annotations.get(annotations::REPLICATE_TO).map(String::as_str);
        target == Some(annotations::REPLICATE_TO_ALL) && self.is_eligible()
    }

    /// A digest of all that a copy repeats; a copy with another one is out of date.
    pub fn content_hash(&self) -> String {
        let mut input = Vec::new();
        push_section(&mut input, "labels", self.labels, is_copied_label);
        push_section(&mut input, "annotations", self.annotations, is_copied_annotation);
        push_section(&mut input, "data", self.data, |_| true);
        if self.kind == SourceKind::ConfigMap {
            push_section(&mut input, "binaryData", self.binary_data, |_| true);
        }
        let mut hash = sha256_hex(&input);
        hash.truncate(HASH_LENGTH);
        hash
    }

    /// The labels of a copy: those of the source, where it came from and which content it has.
    pub fn replica_labels(&self) -> BTreeMap<String, String> {
        let mut copied = self.labels.clone();
        copied.insert(labels::REPLICATED_FROM.to_owned(), label_value(self.name));
        copied.insert(labels::REPLICATED_SHA.to_owned(), self.content_hash());
        copied
    }
}

fn is_copied_label(key: &str) -> bool {
    !matches!(key, labels::REPLICATED_FROM | labels::REPLICATED_SHA)
}

pub(crate) fn is_copied_annotation(key: &str) -> bool {
    !matches!(key, annotations::REPLICATE_TO | annotations::REPLICATED_AT | LAST_APPLIED)
}

/// Appends a word and then each key and value, sorted by key and each ended by a zero byte.
fn push_section<V: AsRef<[u8]>>(
    input: &mut Vec<u8>,
    word: &str,
    entries: &BTreeMap<String, V>,
    is_included: impl Fn(&str) -> bool,
) {
    input.extend_from_slice(word.as_bytes());
    for (key, value) in entries.iter().filter(|(key, _)| is_included(key)) {
        for part in [key.as_bytes(), value.as_ref()] {
            input.extend_from_slice(part);
            input.push(0);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::{Source, SourceKind};

    fn map<V: From<&'static str>>(entries: &[(&str, &'static str)]) -> BTreeMap<String, V> {
        entries.iter().map(|(key, value)| ((*key).to_owned(), V::from(value))).collect()
    }

    #[test]
    fn hashes_cover_content_but_not_bookkeeping() {
        let annotations = map(&[("kargo.akuity.io/replicate-to", "*"), ("x", "1")]);
        let config_map = Source {
            kind: SourceKind::ConfigMap,
            name: "src",
            labels: &map(&[("team", "a")]),
            annotations: &annotations,
            data: &map(&[("k", "v")]),
            binary_data: &BTreeMap::new(),
        };
        assert_eq!(config_map.content_hash(), "3ed784a37a7779e2");
        assert!(config_map.is_requested());
        let secret = Source {
            kind: SourceKind::Secret,
            labels: &map(&[("kargo.akuity.io/cred-type", "generic")]),
            annotations: &map(&[("kargo.akuity.io/replicate-to", "*")]),
            ..config_map
        };
        assert_eq!(secret.content_hash(), "7301c793221efc46");
    }

    #[test]
    fn only_secrets_with_credentials_are_replicated() {
        let secret = Source {
            kind: SourceKind::Secret,
            name: "src",
            labels: &BTreeMap::new(),
            annotations: &map(&[("kargo.akuity.io/replicate-to", "*")]),
            data: &BTreeMap::new(),
            binary_data: &BTreeMap::new(),
        };
        assert!(!secret.is_eligible());
        assert!(!secret.is_requested());
    }
}
