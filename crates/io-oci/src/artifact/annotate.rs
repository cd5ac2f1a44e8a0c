//! Adding annotations to an artifact, which gives its manifests other digests.

use std::collections::BTreeMap;

use bytes::Bytes;
use serde_json::{Map, Value};

use super::{Artifact, Content};
use crate::{Error, digest::Digest};

const FOR_INDEX: &str = "index:";
const FOR_MANIFEST: &str = "manifest:";

/// What to add, and to what.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Annotations {
    index: BTreeMap<String, String>,
    manifest: BTreeMap<String, String>,
}

impl Annotations {
    /// Keys that begin with `index:` are for the index, all others, with `manifest:` before them or
    /// not, for the manifests of images.
    pub fn new(entries: impl IntoIterator<Item = (String, String)>) -> Self {
        let mut annotations = Self::default();
        for (key, value) in entries {
            if let Some(key) = key.strip_prefix(FOR_INDEX) {
                annotations.index.insert(key.to_owned(), value);
            } else {
                let key = key.strip_prefix(FOR_MANIFEST).unwrap_or(&key).to_owned();
                annotations.manifest.insert(key, value);
            }
        }
        annotations
    }
}

impl Artifact {
    /// The artifact with annotations added; without any it stays what it is, byte for byte.
    pub fn annotated(self, annotations: &Annotations) -> Result<Self, Error> {
        match self.content {
            Content::Image { .. } if annotations.manifest.is_empty() => Ok(self),
            Content::Image { .. } => self.rewritten(|fields| add(fields, &annotations.manifest)),
            Content::Index(_) if *annotations == Annotations::default() => Ok(self),
            Content::Index(ref children) => {
                let children: Vec<Self> = children
                    .iter()
                    .map(|child| child.clone().annotated(&annotations.of_children()))
                    .collect::<Result<_, _>>()?;
                let former = self.children().iter().map(|child| child.digest.to_string());
                let renamed: BTreeMap<String, Self> =
                    former.zip(children.iter().cloned()).collect();
                let mut index = self.rewritten(|fields| {
                    rename_children(fields, &renamed);
                    add(fields, &annotations.index);
                })?;
                index.content = Content::Index(children);
                Ok(index)
            }
        }
    }

    fn rewritten(self, change: impl FnOnce(&mut Map<String, Value>)) -> Result<Self, Error> {
        let unreadable = |_| Error::ArtifactType(Error::quote(&self.media_type));
        let mut fields: Map<String, Value> =
            serde_json::from_slice(&self.body).map_err(unreadable)?;
        change(&mut fields);
        let body = Bytes::from(serde_json::to_vec(&fields).map_err(unreadable)?);
        Ok(Self { digest: Digest::of(&body), body, ..self })
    }
}

impl Annotations {
    /// An index within an index counts as a part: only its images are annotated.
    fn of_children(&self) -> Self {
        Self { index: BTreeMap::new(), manifest: self.manifest.clone() }
    }
}

fn add(fields: &mut Map<String, Value>, annotations: &BTreeMap<String, String>) {
    if annotations.is_empty() {
        return;
    }
    let known = fields.entry("annotations").or_insert(Value::Null);
    if !known.is_object() {
        *known = Value::Object(Map::new());
    }
    if let Value::Object(known) = known {
        known.extend(annotations.iter().map(|(key, value)| (key.clone(), value.clone().into())));
    }
}

/// Names the children by their new digests, also where one refers to another (as attestations do).
fn rename_children(fields: &mut Map<String, Value>, renamed: &BTreeMap<String, Artifact>) {
    let Some(Value::Array(entries)) = fields.get_mut("manifests") else { return };
    for entry in entries.iter_mut().filter_map(Value::as_object_mut) {
        let child = entry.get("digest").and_then(Value::as_str).and_then(|old| renamed.get(old));
        if let Some(child) = child {
            entry.insert("digest".into(), child.digest().into());
            entry.insert("size".into(), child.body.len().into());
        }
        let Some(Value::Object(annotations)) = entry.get_mut("annotations") else { continue };
        for value in annotations.values_mut() {
            if let Some(child) = value.as_str().and_then(|old| renamed.get(old)) {
                *value = child.digest().into();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::{
        artifact::Descriptor,
        manifest::{OCI_INDEX, OCI_MANIFEST},
    };

    fn descriptor() -> Descriptor {
        serde_json::from_value(json!({"mediaType": "x", "digest": Digest::of(b""), "size": 7}))
            .unwrap()
    }

    fn artifact(media_type: &str, body: &Value, content: Content) -> Artifact {
        let body = Bytes::from(body.to_string());
        Artifact { digest: Digest::of(&body), media_type: media_type.into(), body, content }
    }

    fn image(name: &str) -> Artifact {
        let body = json!({"config": descriptor(), "annotations": {"name": name, "kept": "1"}});
        artifact(
            OCI_MANIFEST,
            &body,
            Content::Image { config: descriptor(), layers: vec![descriptor()] },
        )
    }

    fn index() -> Artifact {
        let children = vec![image("a"), image("b")];
        let entry = |child: &Artifact| json!({"digest": child.digest(), "size": child.body.len(), "annotations": {"ref": children[0].digest()}});
        let body = json!({"manifests": [entry(&children[0]), entry(&children[1])]});
        artifact(OCI_INDEX, &body, Content::Index(children.clone()))
    }

    fn annotations(entries: &[(&str, &str)]) -> Annotations {
        Annotations::new(
            entries.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())),
        )
    }

    fn fields(artifact: &Artifact) -> Value {
        serde_json::from_slice(&artifact.body).unwrap()
    }

    #[test]
    fn an_image_takes_what_is_not_for_the_index_and_keeps_what_it_has() {
        let annotated = image("a")
            .annotated(&annotations(&[("manifest:name", "new"), ("team", "x"), ("index:no", "1")]))
            .unwrap();
        assert_eq!(
            fields(&annotated)["annotations"],
            json!({"name": "new", "team": "x", "kept": "1"})
        );
        assert_eq!(annotated.digest, Digest::of(&annotated.body));
    }

    #[test]
    fn without_annotations_nothing_changes() {
        for (artifact, added) in [
            (image("a"), annotations(&[])),
            (image("a"), annotations(&[("index:only", "1")])),
            (index(), annotations(&[])),
        ] {
            assert_eq!(artifact.clone().annotated(&added).unwrap().body, artifact.body);
        }
    }

    #[test]
    fn an_index_names_its_annotated_children_by_their_new_digests() {
        let annotated =
            index().annotated(&annotations(&[("index:i", "1"), ("manifest:m", "2")])).unwrap();
        let written = fields(&annotated);
        assert_eq!(written["annotations"], json!({"i": "1"}));
        for (child, entry) in
            annotated.children().iter().zip(written["manifests"].as_array().unwrap())
        {
            assert_eq!(entry["digest"], child.digest());
            assert_eq!(entry["size"], child.body.len());
            assert_eq!(entry["annotations"]["ref"], annotated.children()[0].digest());
            assert_eq!(fields(child)["annotations"]["m"], "2");
        }
        assert_eq!(annotated.size(), 28);
    }

    #[test]
    fn an_index_alone_may_be_annotated() {
        let annotated = index().annotated(&annotations(&[("index:i", "1")])).unwrap();
        assert_eq!(annotated.children()[0].digest(), index().children()[0].digest());
        assert_ne!(annotated.digest(), index().digest());
    }
}
