//! ConfigMaps. Nothing in them is secret.

use std::collections::BTreeMap;

use api_rest::body::{CreateConfigMap, PatchConfigMap, UpdateConfigMap};
use k8s_openapi::api::core::v1::ConfigMap;

use super::data::{describe, named, replicate};
use super::error::{CredentialError, require};

/// Makes the ConfigMap.
pub fn create(sent: &CreateConfigMap, namespace: &str) -> Result<ConfigMap, CredentialError> {
    require("name", &sent.name)?;
    let config_map = ConfigMap { metadata: named(namespace, &sent.name), ..ConfigMap::default() };
    fill(config_map, &sent.description, sent.replicate, &sent.data)
}

/// Replaces the values; binary ones stay.
pub fn put(stored: &ConfigMap, sent: &UpdateConfigMap) -> Result<ConfigMap, CredentialError> {
    fill(stored.clone(), &sent.description, sent.replicate, &sent.data)
}

/// Changes what is named.
pub fn patch(stored: &ConfigMap, sent: &PatchConfigMap) -> Result<ConfigMap, CredentialError> {
    let mut config_map = stored.clone();
    let data = config_map.data.get_or_insert_default();
    for key in &sent.remove_keys {
        data.remove(key);
    }
    data.extend(sent.data.clone());
    if data.is_empty() {
        return Err(CredentialError::ConfigMapEmptyAfterPatch);
    }
    if let Some(description) = &sent.description {
        describe(&mut config_map.metadata, description);
    }
    Ok(config_map)
}

fn fill(
    mut config_map: ConfigMap,
    description: &str,
    is_replicated: bool,
    data: &BTreeMap<String, String>,
) -> Result<ConfigMap, CredentialError> {
    if data.is_empty() {
        return Err(CredentialError::ConfigMapEmpty);
    }
    describe(&mut config_map.metadata, description);
    replicate(&mut config_map.metadata, is_replicated);
    config_map.data = Some(data.clone());
    Ok(config_map)
}
