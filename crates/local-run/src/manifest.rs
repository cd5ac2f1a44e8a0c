//! A file with Warehouses, and the Secrets that open their repositories.

use std::collections::BTreeSet;

use api_kinds::{API_VERSION, Warehouse};
use core_rules::admission::warehouse::warn_unknown_members;
use k8s_openapi::{ByteString, api::core::v1::Secret};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

/// Nobody writes more by hand; what is larger was not meant for us.
const MAX_BYTES: usize = 4 * 1024 * 1024;
/// The namespace of what names none, as `kubectl` has it.
const DEFAULT_NAMESPACE: &str = "default";
/// What the schema fills in where nothing is written.
const DEFAULT_INTERVAL: &str = "5m0s";

/// What is in a file.
#[derive(Clone, Debug, Default)]
pub struct Manifest {
    /// The Warehouses, in their order.
    pub warehouses: Vec<WrittenWarehouse>,
    /// The Secrets, each with the namespace that it counts in.
    pub secrets: Vec<Secret>,
}

/// A Warehouse as somebody wrote it.
#[derive(Clone, Debug)]
pub struct WrittenWarehouse {
    /// The Warehouse, with what the schema fills in.
    pub warehouse: Warehouse,
    /// Fields that nobody reads.
    pub warnings: Vec<String>,
}

/// Why a file cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum ManifestError {
    #[error("the file is larger than {} MiB", MAX_BYTES / 1024 / 1024)]
    TooLarge,
    #[error("the file is not YAML")]
    Yaml(#[source] Box<serde_saphyr::Error>),
    #[error("document {number} ({kind}) cannot be read")]
    Document {
        /// Counted from 1.
        number: usize,
        kind: &'static str,
        #[source]
        source: serde_json::Error,
    },
    #[error("there is no Warehouse in the file")]
    NoWarehouse,
}

impl Manifest {
    /// Reads all documents. Kinds other than Warehouses and Secrets, and Lists of them, are passed over.
    pub fn parse(text: &str) -> Result<Self, ManifestError> {
        if text.len() > MAX_BYTES {
            return Err(ManifestError::TooLarge);
        }
        let documents: Vec<Value> = serde_saphyr::from_multiple(text)
            .map_err(|error| ManifestError::Yaml(Box::new(error)))?;
        let mut manifest = Self::default();
        for (index, document) in documents.into_iter().enumerate() {
            for object in items(document) {
                manifest.take(object, index + 1)?;
            }
        }
        if manifest.warehouses.is_empty() {
            return Err(ManifestError::NoWarehouse);
        }
        manifest.spread_secrets();
        Ok(manifest)
    }

    fn take(&mut self, object: Value, number: usize) -> Result<(), ManifestError> {
        let text = |field: &str| object.get(field).and_then(Value::as_str).unwrap_or_default();
        match (text("apiVersion"), text("kind")) {
            (API_VERSION, "Warehouse") => {
                let warnings = warn_unknown_members(&object);
                let mut warehouse: Warehouse = read(complete(object), number, "Warehouse")?;
                let namespace = &mut warehouse.metadata.namespace;
                namespace.get_or_insert_with(|| DEFAULT_NAMESPACE.to_owned());
                self.warehouses.push(WrittenWarehouse { warehouse, warnings });
            }
            ("v1", "Secret") => self.secrets.push(merge(read(object, number, "Secret")?)),
            _ => {}
        }
        Ok(())
    }

    /// A Secret without a namespace counts wherever there is a Warehouse.
    fn spread_secrets(&mut self) {
        let namespaces: BTreeSet<String> = self
            .warehouses
            .iter()
            .filter_map(|written| written.warehouse.metadata.namespace.clone())
            .collect();
        let (placed, open): (Vec<Secret>, Vec<Secret>) =
            self.secrets.drain(..).partition(|secret| secret.metadata.namespace.is_some());
        self.secrets = placed;
        for namespace in namespaces {
            self.secrets.extend(open.iter().cloned().map(|mut secret| {
                secret.metadata.namespace = Some(namespace.clone());
                secret
            }));
        }
    }
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

fn read<T: DeserializeOwned>(
    object: Value,
    number: usize,
    kind: &'static str,
) -> Result<T, ManifestError> {
    serde_json::from_value(object).map_err(|source| ManifestError::Document {
        number,
        kind,
        source,
    })
}

/// What the API server fills in before admission sees it.
fn complete(mut object: Value) -> Value {
    if let Some(spec) = object.get_mut("spec").and_then(Value::as_object_mut) {
        spec.entry("interval").or_insert_with(|| json!(DEFAULT_INTERVAL));
    }
    object
}

/// Plain values count as if they were encoded, and before those that are.
fn merge(mut secret: Secret) -> Secret {
    let plain = secret.string_data.take().unwrap_or_default();
    let data = secret.data.get_or_insert_default();
    data.extend(plain.into_iter().map(|(key, text)| (key, ByteString(text.into_bytes()))));
    secret
}

#[cfg(test)]
mod tests {
    use super::*;

    const WAREHOUSE: &str = "\
apiVersion: kargo.akuity.io/v1alpha1
kind: Warehouse
metadata: {name: w, namespace: demo}
spec:
  subscriptions:
  - git: {repoURL: https://example.com/a, brunch: main}
";

    #[test]
    fn warehouses_are_read_among_other_documents() {
        let text = format!("{{kind: Project}}\n---\n{WAREHOUSE}---\n# nothing\n");
        let manifest = Manifest::parse(&text).unwrap();
        let written = &manifest.warehouses[0];
        assert_eq!(written.warehouse.spec.interval.to_string(), "5m0s");
        assert_eq!(written.warnings.len(), 1, "{:?}", written.warnings);
    }

    #[test]
    fn lists_are_opened() {
        let indented = WAREHOUSE.replace('\n', "\n  ");
        let manifest = Manifest::parse(&format!("kind: List\nitems:\n- {indented}")).unwrap();
        assert_eq!(manifest.warehouses.len(), 1);
    }

    #[test]
    fn a_secret_without_a_namespace_counts_for_every_warehouse() {
        let secret = "apiVersion: v1\nkind: Secret\nmetadata: {name: s}\n\
                      data: {username: dQ==, password: b2xk}\nstringData: {password: new}\n";
        let other = WAREHOUSE.replace("namespace: demo", "labels: {}");
        let manifest = Manifest::parse(&format!("{WAREHOUSE}---\n{other}---\n{secret}")).unwrap();
        let places: Vec<_> =
            manifest.secrets.iter().map(|secret| secret.metadata.namespace.as_deref()).collect();
        assert_eq!(places, [Some("default"), Some("demo")]);
        let data = manifest.secrets[0].data.as_ref().unwrap();
        assert_eq!((&*data["username"].0, &*data["password"].0), (&b"u"[..], &b"new"[..]));
    }

    #[test]
    fn what_cannot_be_read_is_named() {
        let error = |text: &str| Manifest::parse(text).unwrap_err().to_string();
        assert_eq!(error("kind: Project"), "there is no Warehouse in the file");
        assert_eq!(error("{"), "the file is not YAML");
        let broken = WAREHOUSE.replace("git:", "git: {}, image:");
        let broken = broken.replace(
            "- git: {}, image: {repoURL: https://example.com/a, brunch: main}",
            "- {git: {}, image: {}}",
        );
        assert_eq!(error(&broken), "document 1 (Warehouse) cannot be read");
        assert_eq!(error(&" ".repeat(MAX_BYTES + 1)), "the file is larger than 4 MiB");
    }
}
