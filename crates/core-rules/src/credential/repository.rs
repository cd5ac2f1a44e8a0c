//! Credentials of repositories, one Secret each.

use std::collections::BTreeMap;

use api_kinds::labels::{
    CREDENTIALS_GIT, CREDENTIALS_HELM, CREDENTIALS_IMAGE, CREDENTIALS_TYPE, TRUE,
};
use api_rest::body::{CreateRepoCredentials, PatchRepoCredentials, UpdateRepoCredentials};
use k8s_openapi::{ByteString, api::core::v1::Secret as StoredSecret};

use super::data::{bytes, describe, named};
use super::error::{CredentialError, require};
use crate::admission::metadata::{label, name, namespace, set_label};

/// The types of repositories, as labels name them.
pub const TYPES: [&str; 3] = [CREDENTIALS_GIT, CREDENTIALS_HELM, CREDENTIALS_IMAGE];

/// What is no secret.
pub(super) const PUBLIC_KEYS: [&str; 3] = [REPOSITORY_URL, IS_PATTERN, USERNAME];

const REPOSITORY_URL: &str = "repoURL";
const IS_PATTERN: &str = "repoURLIsRegex";
const USERNAME: &str = "username";
const PASSWORD: &str = "password";

/// What new and replaced credentials have in common.
struct Whole<'a> {
    credential_type: &'a str,
    url: &'a str,
    is_pattern: bool,
    username: &'a str,
    password: &'a str,
    description: &'a str,
}

/// Makes the Secret.
pub fn create(
    sent: &CreateRepoCredentials,
    namespace: &str,
) -> Result<StoredSecret, CredentialError> {
    require("name", &sent.name)?;
    let whole = Whole {
        credential_type: &sent.type_,
        url: &sent.repo_url,
        is_pattern: sent.repo_url_is_regex,
        username: &sent.username,
        password: &sent.password,
        description: &sent.description,
    };
    whole.check("repoURL")?;
    let mut secret =
        StoredSecret { metadata: named(namespace, &sent.name), ..StoredSecret::default() };
    whole.fill(&mut secret);
    Ok(secret)
}

/// Replaces everything in the Secret.
pub fn put(
    stored: &StoredSecret,
    sent: &UpdateRepoCredentials,
) -> Result<StoredSecret, CredentialError> {
    let whole = Whole {
        credential_type: &sent.type_,
        url: &sent.repo_url,
        is_pattern: sent.repo_url_is_regex,
        username: &sent.username,
        password: &sent.password,
        description: &sent.description,
    };
    whole.check("repoUrl")?;
    check_stored(stored)?;
    let mut secret = stored.clone();
    whole.fill(&mut secret);
    Ok(secret)
}

/// Changes what is named.
pub fn patch(
    stored: &StoredSecret,
    sent: &PatchRepoCredentials,
) -> Result<StoredSecret, CredentialError> {
    if !sent.type_.is_empty() {
        check_type(&sent.type_)?;
    }
    check_stored(stored)?;
    let mut secret = stored.clone();
    if !sent.type_.is_empty() {
        set_label(&mut secret.metadata, CREDENTIALS_TYPE, &sent.type_);
    }
    if let Some(description) = &sent.description {
        describe(&mut secret.metadata, description);
    }
    let data = secret.data.get_or_insert_default();
    if !sent.repo_url.is_empty() {
        set_repository(data, &sent.repo_url, sent.repo_url_is_regex);
    }
    for (key, value) in [(USERNAME, &sent.username), (PASSWORD, &sent.password)] {
        if !value.is_empty() {
            data.insert(key.to_owned(), bytes(value));
        }
    }
    Ok(secret)
}

/// Whether a Secret holds credentials of a repository.
pub fn check_stored(stored: &StoredSecret) -> Result<(), CredentialError> {
    let metadata = &stored.metadata;
    let identity = || (namespace(metadata).to_owned(), name(metadata).to_owned());
    match label(metadata, CREDENTIALS_TYPE) {
        Some(known) if TYPES.contains(&known) => Ok(()),
        None => {
            let (namespace, name) = identity();
            Err(CredentialError::NotLabeled { namespace, name })
        }
        Some(found) => {
            let (namespace, name) = identity();
            Err(CredentialError::OtherType { namespace, name, found: found.to_owned() })
        }
    }
}

impl Whole<'_> {
    fn check(&self, url_field: &'static str) -> Result<(), CredentialError> {
        require("type", self.credential_type)?;
        check_type(self.credential_type)?;
        require(url_field, self.url)?;
        require("username", self.username)?;
        require("password", self.password)
    }

    fn fill(&self, secret: &mut StoredSecret) {
        set_label(&mut secret.metadata, CREDENTIALS_TYPE, self.credential_type);
        describe(&mut secret.metadata, self.description);
        let mut data = BTreeMap::new();
        set_repository(&mut data, self.url, self.is_pattern);
        data.insert(USERNAME.to_owned(), bytes(self.username));
        data.insert(PASSWORD.to_owned(), bytes(self.password));
        secret.data = Some(data);
    }
}

fn check_type(text: &str) -> Result<(), CredentialError> {
    if TYPES.contains(&text) { Ok(()) } else { Err(CredentialError::UnknownType) }
}

fn set_repository(data: &mut BTreeMap<String, ByteString>, url: &str, is_pattern: bool) {
    data.insert(REPOSITORY_URL.to_owned(), bytes(url));
    if is_pattern {
        data.insert(IS_PATTERN.to_owned(), bytes(TRUE));
    } else {
        data.remove(IS_PATTERN);
    }
}
