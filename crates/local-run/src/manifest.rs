//! A file with Warehouses, and the Secrets that open their repositories.

use std::collections::BTreeSet;

use api_kinds::{API_VERSION, Warehouse};
use core_rules::admission::warehouse::warn_unknown_members;
use k8s_openapi::api::core::v1::Secret;
use serde_json::{Value, json};

use crate::document::{DEFAULT_NAMESPACE, Document, ManifestError};

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

impl Manifest {
    /// Reads all documents. Kinds other than Warehouses and Secrets, and Lists of them, are passed over.
    pub fn parse(text: &str) -> Result<Self, ManifestError> {
        let mut manifest = Self::default();
        for document in Document::all(text)? {
            manifest.take(document)?;
        }
        if manifest.warehouses.is_empty() {
            return Err(ManifestError::Missing("Warehouse"));
        }
        manifest.spread_secrets();
        Ok(manifest)
    }

    fn take(&mut self, mut document: Document) -> Result<(), ManifestError> {
        match document.kind() {
            (API_VERSION, "Warehouse") => {
                let warnings = warn_unknown_members(&document.object);
                complete(&mut document.object);
                let mut warehouse: Warehouse = document.read("Warehouse")?;
                let namespace = &mut warehouse.metadata.namespace;
                namespace.get_or_insert_with(|| DEFAULT_NAMESPACE.to_owned());
                self.warehouses.push(WrittenWarehouse { warehouse, warnings });
            }
            ("v1", "Secret") => self.secrets.push(document.read_secret()?),
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

/// What the API server fills in before admission sees it.
fn complete(object: &mut Value) {
    if let Some(spec) = object.get_mut("spec").and_then(Value::as_object_mut) {
        spec.entry("interval").or_insert_with(|| json!(DEFAULT_INTERVAL));
    }
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
        assert_eq!(error("{"), "the file is not YAML: line 1 column 1: unclosed bracket '{'");
        let broken = WAREHOUSE.replace("git:", "git: {}, image:");
        let broken = broken.replace(
            "- git: {}, image: {repoURL: https://example.com/a, brunch: main}",
            "- {git: {}, image: {}}",
        );
        assert_eq!(error(&broken), "document 1 (Warehouse) cannot be read");
        assert_eq!(
            error(&" ".repeat(crate::document::MAX_BYTES + 1)),
            "the file is larger than 4 MiB"
        );
    }
}
