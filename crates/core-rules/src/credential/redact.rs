//! Secrets as clients see them.

use std::collections::BTreeMap;

use api_kinds::{ObjectMeta, annotations};
use k8s_openapi::api::core::v1::Secret as StoredSecret;
use serde::Serialize;

use super::repository;

/// What is shown in place of a secret.
pub const REDACTED: &str = "*** REDACTED ***";

/// A Secret without its secrets: the keys are kept, and the values that are none.
///
/// There is no way to make one other than to leave the values out, so whatever returns this type
/// shows no secret.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct RedactedSecret {
    api_version: &'static str,
    kind: &'static str,
    metadata: ObjectMeta,
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    secret_type: Option<String>,
    string_data: BTreeMap<String, String>,
}

impl RedactedSecret {
    /// The credentials of a repository: which repository and which user are no secrets.
    pub fn of_repository(secret: &StoredSecret) -> Self {
        Self::of(secret, &repository::PUBLIC_KEYS, &[annotations::DESCRIPTION])
    }

    /// A Secret that steps read by name.
    pub fn of_generic(secret: &StoredSecret) -> Self {
        Self::of(secret, &[], &[annotations::DESCRIPTION, annotations::REPLICATE_TO])
    }

    fn of(secret: &StoredSecret, public_keys: &[&str], public_annotations: &[&str]) -> Self {
        let mut metadata = secret.metadata.clone();
        for (key, value) in metadata.annotations.iter_mut().flatten() {
            // Among them is the object as somebody once applied it, secrets included.
            if !public_annotations.contains(&key.as_str()) {
                REDACTED.clone_into(value);
            }
        }
        let show = |(key, value): (&String, &k8s_openapi::ByteString)| {
            let shown = if public_keys.contains(&key.as_str()) {
                String::from_utf8_lossy(&value.0).into_owned()
            } else {
                REDACTED.to_owned()
            };
            (key.clone(), shown)
        };
        Self {
            api_version: "v1",
            kind: "Secret",
            metadata,
            secret_type: secret.type_.clone(),
            string_data: secret.data.iter().flatten().map(show).collect(),
        }
    }
}
