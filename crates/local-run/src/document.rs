//! Objects in a file, as people write them for `kubectl`.

use k8s_openapi::{ByteString, api::core::v1::Secret};
use serde::de::DeserializeOwned;
use serde_json::Value;

/// Nobody writes more by hand; what is larger was not meant for us.
pub(crate) const MAX_BYTES: usize = 4 * 1024 * 1024;
/// The namespace of what names none, as `kubectl` has it.
pub(crate) const DEFAULT_NAMESPACE: &str = "default";

/// Why a file cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum ManifestError {
    #[error("the file is larger than {} MiB", MAX_BYTES / 1024 / 1024)]
    TooLarge,
    #[error("the file is not YAML: {0}")]
    Yaml(String),
    #[error("document {number} ({kind}) cannot be read")]
    Document {
        /// Counted from 1.
        number: usize,
        kind: &'static str,
        #[source]
        source: serde_json::Error,
    },
    #[error("there is no {0} in the file")]
    Missing(&'static str),
    #[error("there is more than one {0} in the file")]
    Several(&'static str),
}

/// One object of a file.
#[derive(Clone, Debug)]
pub(crate) struct Document {
    /// Of the document it is in, counted from 1.
    number: usize,
    pub(crate) object: Value,
}

impl Document {
    /// All objects of a file; Lists are opened.
    pub(crate) fn all(text: &str) -> Result<Vec<Self>, ManifestError> {
        if text.len() > MAX_BYTES {
            return Err(ManifestError::TooLarge);
        }
        let documents: Vec<Value> = serde_saphyr::from_multiple(text)
            .map_err(|error| ManifestError::Yaml(in_one_line(&error)))?;
        let numbered = documents.into_iter().enumerate();
        let objects = numbered.flat_map(|(index, document)| {
            items(document).into_iter().map(move |object| Self { number: index + 1, object })
        });
        Ok(objects.collect())
    }

    /// apiVersion and kind.
    pub(crate) fn kind(&self) -> (&str, &str) {
        let text = |field: &str| self.object.get(field).and_then(Value::as_str).unwrap_or_default();
        (text("apiVersion"), text("kind"))
    }

    /// The object as the type of its kind.
    pub(crate) fn read<T: DeserializeOwned>(self, kind: &'static str) -> Result<T, ManifestError> {
        let Self { number, object } = self;
        let read = serde_json::from_value(object);
        read.map_err(|source| ManifestError::Document { number, kind, source })
    }

    /// A Secret; plain values count as if they were encoded, and before those that are.
    pub(crate) fn read_secret(self) -> Result<Secret, ManifestError> {
        let mut secret: Secret = self.read("Secret")?;
        let plain = secret.string_data.take().unwrap_or_default();
        let data = secret.data.get_or_insert_default();
        data.extend(plain.into_iter().map(|(key, text)| (key, ByteString(text.into_bytes()))));
        Ok(secret)
    }
}

/// The parser draws a picture below its sentence.
fn in_one_line(error: &serde_saphyr::Error) -> String {
    let text = error.to_string();
    let sentence = text.lines().next().unwrap_or_default();
    sentence.trim_start_matches("error: ").to_owned()
}

fn items(document: Value) -> Vec<Value> {
    match document {
        Value::Object(mut list) if list.get("kind").is_some_and(|kind| kind == "List") => {
            match list.remove("items") {
                Some(Value::Array(items)) => items,
                _ => Vec::new(),
            }
        }
        document => vec![document],
    }
}
