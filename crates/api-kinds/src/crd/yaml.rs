//! The CustomResourceDefinitions as YAML.

use serde_json::Value;
use thiserror::Error;

use super::crds;

/// A document could not be written as YAML.
#[derive(Debug, Error)]
#[error("cannot write YAML")]
pub struct YamlError(#[from] serde_saphyr::ser::Error);

/// All CustomResourceDefinitions as one stream of YAML documents, ready for `kubectl apply -f -`.
pub fn crds_yaml() -> Result<String, YamlError> {
    let mut stream = String::new();
    for crd in crds() {
        stream.push_str("---\n");
        stream.push_str(&to_yaml(&crd)?);
    }
    Ok(stream)
}

/// One document as YAML in block style. Text that a YAML 1.1 reader, as `kubectl` is, would take
/// for something else is quoted.
pub fn to_yaml(document: &Value) -> Result<String, YamlError> {
    let options = serde_saphyr::ser_options! { prefer_block_scalars: false };
    Ok(serde_saphyr::to_string_with_options(document, options)?)
}
