//! Values of arguments that are in Secrets of the Project.

use std::collections::BTreeMap;

use api_analysis::{Argument, SecretKeyReference};
use api_kinds::labels;
use core_rules::analysis::secret_of;
use io_kube::is_not_found;
use k8s_openapi::api::core::v1::Secret;
use kube::{Api, Client};

/// What stands where the value of a Secret stood.
const BLANK: &str = "*****";
/// Secrets of people, which are theirs to use where they want.
const GENERIC: &str = "generic";

/// Why the arguments of a metric are not known.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Unresolved {
    /// Waiting does not help.
    #[error("{0}")]
    Lasting(String),
    /// Asking again may help.
    #[error("{0}")]
    Temporary(String),
}

/// The values that one measurement may use, and nobody may see.
#[derive(Default)]
pub(crate) struct Secrets {
    values: BTreeMap<(String, String), String>,
}

impl Secrets {
    /// Reads what the arguments name.
    pub(crate) async fn read(
        client: &Client,
        namespace: &str,
        arguments: &[Argument],
    ) -> Result<Self, Unresolved> {
        let api: Api<Secret> = Api::namespaced(client.clone(), namespace);
        let mut read: BTreeMap<&str, Secret> = BTreeMap::new();
        let mut values = BTreeMap::new();
        for reference in arguments.iter().filter_map(secret_of) {
            let name = reference.name.as_str();
            if !read.contains_key(name) {
                read.insert(name, get(&api, name).await?);
            }
            let value = read.get(name).and_then(|secret| value(secret, &reference.key));
            let value = value.ok_or_else(|| {
                let SecretKeyReference { name, key } = reference;
                Unresolved::Lasting(format!("key '{key}' does not exist in secret '{name}'"))
            })?;
            values.insert((reference.name.clone(), reference.key.clone()), value);
        }
        Ok(Self { values })
    }

    /// The value that an argument is read from.
    pub(crate) fn value(&self, reference: &SecretKeyReference) -> Option<String> {
        self.values.get(&(reference.name.clone(), reference.key.clone())).cloned()
    }

    /// The text without any of the values.
    pub(crate) fn blank(&self, text: &str) -> String {
        let mut values: Vec<&String> = self.values.values().filter(|v| !v.is_empty()).collect();
        // The longest first, so that one which contains another leaves nothing behind.
        values.sort_by_key(|value| std::cmp::Reverse(value.len()));
        values.into_iter().fold(text.to_owned(), |text, value| text.replace(value.as_str(), BLANK))
    }

    /// The values, for those that must not show them.
    pub(crate) fn values(&self) -> impl Iterator<Item = &String> {
        self.values.values()
    }
}

async fn get(api: &Api<Secret>, name: &str) -> Result<Secret, Unresolved> {
    let secret = api.get(name).await.map_err(|source| {
        if is_not_found(&source) {
            return Unresolved::Lasting(format!("secrets \"{name}\" not found"));
        }
        Unresolved::Temporary(format!("secret \"{name}\" could not be read: {source}"))
    })?;
    // Who writes templates need not be one who may see how repositories are opened.
    let kind = secret.metadata.labels.as_ref().and_then(|all| all.get(labels::CREDENTIALS_TYPE));
    if kind.is_some_and(|kind| kind != GENERIC) {
        return Err(Unresolved::Lasting(format!(
            "secret \"{name}\" holds the credentials of a repository, which arguments may not read"
        )));
    }
    Ok(secret)
}

fn value(secret: &Secret, key: &str) -> Option<String> {
    let bytes = secret.data.as_ref()?.get(key)?;
    Some(String::from_utf8_lossy(&bytes.0).into_owned())
}
