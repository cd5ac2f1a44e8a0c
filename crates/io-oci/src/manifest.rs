//! Manifests, indexes and image configurations: the parts that are read of them.

use std::collections::BTreeMap;

use jiff::Timestamp;
use serde::Deserialize;

use crate::{Error, digest::Digest};

pub(crate) const OCI_INDEX: &str = "application/vnd.oci.image.index.v1+json";
pub(crate) const DOCKER_LIST: &str = "application/vnd.docker.distribution.manifest.list.v2+json";
pub(crate) const OCI_MANIFEST: &str = "application/vnd.oci.image.manifest.v1+json";
pub(crate) const DOCKER_MANIFEST: &str = "application/vnd.docker.distribution.manifest.v2+json";
const DOCKER_SCHEMA_1: &str = "application/vnd.docker.distribution.manifest.v1+json";
const DOCKER_SCHEMA_1_SIGNED: &str = "application/vnd.docker.distribution.manifest.v1+prettyjws";

/// What is understood, the preferred first; the old formats are named so that their refusal is ours.
pub(crate) const ACCEPT: [&str; 6] = [
    OCI_INDEX,
    DOCKER_LIST,
    OCI_MANIFEST,
    DOCKER_MANIFEST,
    DOCKER_SCHEMA_1,
    DOCKER_SCHEMA_1_SIGNED,
];

/// Entries of an index that are looked at.
pub(crate) const MAX_ENTRIES: usize = 1_000;
/// Annotations end up in the status of a Warehouse, which has an end too.
const MAX_ANNOTATION_BYTES: usize = 64 * 1024;

/// Annotations or labels.
pub(crate) type Texts = BTreeMap<String, String>;

/// What a tag or digest points to.
#[derive(Debug)]
pub(crate) enum Document {
    Index(Index),
    Image(Manifest),
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Index {
    #[serde(default)]
    pub(crate) manifests: Vec<Entry>,
    #[serde(default)]
    pub(crate) annotations: Annotations,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Manifest {
    pub(crate) config: Descriptor,
    #[serde(default)]
    pub(crate) annotations: Annotations,
}

#[derive(Debug, Deserialize)]
pub(crate) struct Descriptor {
    pub(crate) digest: Digest,
}

#[derive(Debug, Deserialize)]
pub(crate) struct Entry {
    pub(crate) digest: String,
    #[serde(default)]
    pub(crate) platform: Option<EntryPlatform>,
    #[serde(default)]
    pub(crate) annotations: Annotations,
}

#[derive(Clone, Debug, Default, Deserialize)]
pub(crate) struct EntryPlatform {
    #[serde(default)]
    pub(crate) os: String,
    #[serde(default)]
    pub(crate) architecture: String,
    #[serde(default)]
    pub(crate) variant: String,
}

/// The configuration of an image.
#[derive(Debug, Default, Deserialize)]
pub(crate) struct Configuration {
    #[serde(default)]
    created: Option<String>,
    #[serde(default)]
    config: Option<Runtime>,
    #[serde(flatten)]
    pub(crate) platform: EntryPlatform,
}

#[derive(Debug, Default, Deserialize)]
struct Runtime {
    #[serde(default, rename = "Labels")]
    labels: Annotations,
}

/// A map of texts in which `null` stands for nothing, as some builders write it.
#[derive(Clone, Debug, Default, Deserialize)]
pub(crate) struct Annotations(Option<BTreeMap<String, Option<String>>>);

impl Annotations {
    pub(crate) fn into_texts(self) -> Texts {
        let texts = self.0.unwrap_or_default().into_iter();
        texts.map(|(key, value)| (key, value.unwrap_or_default())).collect()
    }
}

impl Configuration {
    pub(crate) fn created(&self) -> Option<Timestamp> {
        self.created.as_deref()?.parse().ok()
    }

    pub(crate) fn labels(&self) -> Texts {
        self.config.as_ref().map(|config| config.labels.clone().into_texts()).unwrap_or_default()
    }
}

impl Document {
    /// Reads what came with `content_type`; a general type is settled by the document's own word.
    pub(crate) fn parse(content_type: Option<&str>, body: &[u8]) -> Result<Self, Problem> {
        let document = match &*media_type(content_type, body)? {
            OCI_INDEX | DOCKER_LIST => Self::Index(serde_json::from_slice(body)?),
            OCI_MANIFEST | DOCKER_MANIFEST => Self::Image(serde_json::from_slice(body)?),
            other => return Err(Problem::ArtifactType(other.to_owned())),
        };
        document.check_size()?;
        Ok(document)
    }

    fn check_size(&self) -> Result<(), Problem> {
        let (entries, annotations): (&[Entry], _) = match self {
            Self::Index(index) => (&index.manifests, &index.annotations),
            Self::Image(manifest) => (&[], &manifest.annotations),
        };
        if entries.len() > MAX_ENTRIES {
            return Err(Problem::Text(format!("it has more than {MAX_ENTRIES} entries")));
        }
        let maps = entries.iter().map(|entry| &entry.annotations).chain([annotations]);
        let texts = maps.filter_map(|annotations| annotations.0.as_ref()).flatten();
        let bytes: usize =
            texts.map(|(key, value)| key.len() + value.as_ref().map_or(0, String::len)).sum();
        if bytes > MAX_ANNOTATION_BYTES {
            return Err(Problem::Text(format!(
                "it has more than {MAX_ANNOTATION_BYTES} bytes of annotations"
            )));
        }
        Ok(())
    }
}

/// Why a document cannot be used.
#[derive(Debug)]
pub(crate) enum Problem {
    ArtifactType(String),
    Text(String),
}

impl From<serde_json::Error> for Problem {
    fn from(error: serde_json::Error) -> Self {
        Self::Text(error.to_string())
    }
}

impl Problem {
    pub(crate) fn of(self, host: &str, what: &str) -> Error {
        match self {
            Self::ArtifactType(media_type) => Error::ArtifactType(Error::quote(&media_type)),
            Self::Text(problem) => Error::Malformed {
                host: host.to_owned(),
                what: what.to_owned(),
                problem: Error::quote(&problem),
            },
        }
    }
}

/// The type of what came with `content_type`; a general one is settled by the document's own word.
pub(crate) fn media_type(
    content_type: Option<&str>,
    body: &[u8],
) -> Result<String, serde_json::Error> {
    let stated = content_type.unwrap_or_default();
    let stated = stated.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    if matches!(&*stated, "" | "application/json" | "text/plain") {
        return Ok(own_media_type(body)?.unwrap_or(stated));
    }
    Ok(stated)
}

fn own_media_type(body: &[u8]) -> Result<Option<String>, serde_json::Error> {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Stated {
        #[serde(default)]
        media_type: Option<String>,
    }
    Ok(serde_json::from_slice::<Stated>(body)?.media_type)
}

#[cfg(test)]
mod tests {
    use super::*;

    const CONFIG: &str = r#"{"config":{"digest":"sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"}}"#;

    #[test]
    fn the_content_type_decides_and_a_general_one_asks_the_document() {
        assert!(matches!(
            Document::parse(
                Some("application/vnd.oci.image.manifest.v1+json; charset=utf-8"),
                CONFIG.as_bytes()
            ),
            Ok(Document::Image(_))
        ));
        let index = format!(r#"{{"mediaType":"{OCI_INDEX}","manifests":[]}}"#);
        assert!(matches!(Document::parse(None, index.as_bytes()), Ok(Document::Index(_))));
        assert!(matches!(
            Document::parse(Some(DOCKER_SCHEMA_1_SIGNED), b"{}"),
            Err(Problem::ArtifactType(media_type)) if media_type == DOCKER_SCHEMA_1_SIGNED
        ));
    }

    #[test]
    fn null_annotations_and_labels_are_none() {
        let configuration: Configuration =
            serde_json::from_str(r#"{"os":"linux","architecture":"arm64","config":{"Labels":null},"created":"2023-01-01T00:00:00Z"}"#).unwrap();
        assert!(configuration.labels().is_empty());
        assert_eq!(configuration.platform.os, "linux");
        assert!(configuration.created().is_some());
    }

    #[test]
    fn floods_of_entries_and_annotations_are_refused() {
        let entry = r#"{"digest":"sha256:00"}"#;
        let many = vec![entry; MAX_ENTRIES + 1].join(",");
        let index = format!(r#"{{"manifests":[{many}]}}"#);
        assert!(matches!(
            Document::parse(Some(OCI_INDEX), index.as_bytes()),
            Err(Problem::Text(_))
        ));
        let large = format!(r#"{{"manifests":[],"annotations":{{"a":"{}"}}}}"#, "x".repeat(70_000));
        assert!(matches!(
            Document::parse(Some(OCI_INDEX), large.as_bytes()),
            Err(Problem::Text(_))
        ));
    }
}
