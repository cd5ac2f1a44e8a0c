//! Secrets that steps read by name.
//!
//! Clients send back what they were shown: a value that is empty, or is what stands in place of a
//! secret, means the value that is stored.

use std::collections::BTreeMap;

use api_kinds::labels::{CREDENTIALS_GENERIC, CREDENTIALS_TYPE};
use api_rest::body::{CreateGenericCredentials, PatchGenericCredentials, UpdateGenericCredentials};
use k8s_openapi::{ByteString, api::core::v1::Secret as StoredSecret};

use super::data::{bytes, describe, named, replicate};
use super::error::{CredentialError, require};
use super::redact::REDACTED;
use crate::admission::metadata::{label, name, namespace, set_label};

/// Makes the Secret.
pub fn create(
    sent: &CreateGenericCredentials,
    namespace: &str,
) -> Result<StoredSecret, CredentialError> {
    require("name", &sent.name)?;
    if sent.data.is_empty() {
        return Err(CredentialError::CreateEmpty);
    }
    if let Some((key, _)) = sent.data.iter().find(|(_, value)| value.as_str() == REDACTED) {
        return Err(CredentialError::Redacted { key: key.clone() });
    }
    let mut metadata = named(namespace, &sent.name);
    set_label(&mut metadata, CREDENTIALS_TYPE, CREDENTIALS_GENERIC);
    describe(&mut metadata, &sent.description);
    replicate(&mut metadata, sent.replicate);
    let data = sent.data.iter().map(|(key, value)| (key.clone(), bytes(value))).collect();
    let secret_type = Some(sent.type_.as_str()).filter(|text| !text.is_empty());
    Ok(StoredSecret {
        metadata,
        type_: Some(secret_type.unwrap_or("Opaque").to_owned()),
        data: Some(data),
        ..StoredSecret::default()
    })
}

/// Replaces the values. Keys that are not sent go.
pub fn put(
    stored: &StoredSecret,
    sent: &UpdateGenericCredentials,
) -> Result<StoredSecret, CredentialError> {
    check_stored(stored)?;
    let kept = |key: &String| stored.data.as_ref()?.get(key).cloned();
    let data: BTreeMap<String, ByteString> = sent
        .data
        .iter()
        .filter_map(|(key, value)| {
            let value = if is_placeholder(value) { kept(key)? } else { bytes(value) };
            Some((key.clone(), value))
        })
        .collect();
    if data.is_empty() {
        return Err(CredentialError::UpdateEmpty);
    }
    let mut secret = StoredSecret { data: Some(data), ..stored.clone() };
    describe(&mut secret.metadata, &sent.description);
    replicate(&mut secret.metadata, sent.replicate);
    Ok(secret)
}

/// Changes what is named. Here an empty value is one.
pub fn patch(
    stored: &StoredSecret,
    sent: &PatchGenericCredentials,
) -> Result<StoredSecret, CredentialError> {
    check_stored(stored)?;
    let mut secret = stored.clone();
    let data = secret.data.get_or_insert_default();
    for key in &sent.remove_keys {
        data.remove(key);
    }
    let changed = sent.data.iter().filter(|(_, value)| value.as_str() != REDACTED);
    data.extend(changed.map(|(key, value)| (key.clone(), bytes(value))));
    if data.is_empty() {
        return Err(CredentialError::PatchEmpty);
    }
    if let Some(description) = &sent.description {
        describe(&mut secret.metadata, description);
    }
    Ok(secret)
}

/// Whether a Secret is one that steps read by name.
pub fn check_stored(stored: &StoredSecret) -> Result<(), CredentialError> {
    let metadata = &stored.metadata;
    if label(metadata, CREDENTIALS_TYPE) == Some(CREDENTIALS_GENERIC) {
        return Ok(());
    }
    let namespace = namespace(metadata).to_owned();
    Err(CredentialError::NotGeneric { namespace, name: name(metadata).to_owned() })
}

fn is_placeholder(value: &str) -> bool {
    value.is_empty() || value == REDACTED
}
