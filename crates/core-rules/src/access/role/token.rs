//! Tokens for programs: Secrets from which Kubernetes makes tokens of a role's ServiceAccount.

use std::collections::BTreeMap;

use api_kinds::{ObjectMeta, annotations, labels};
use api_rest::body::CreateApiToken;
use k8s_openapi::{
    ByteString,
    api::core::v1::{Secret, ServiceAccount},
    apimachinery::pkg::apis::meta::v1::OwnerReference,
};
use serde::Serialize;

use crate::admission::metadata::{annotation, label, name, namespace};
use crate::credential::REDACTED;
use crate::fault::{Class, Fault};

/// The key of the token in its Secret.
pub const TOKEN_KEY: &str = "token";

const TOKEN_TYPE: &str = "kubernetes.io/service-account-token";
const ACCOUNT_ANNOTATION: &str = "kubernetes.io/service-account.name";
/// What a token's Secret holds that is no secret.
const PUBLIC_KEYS: [&str; 2] = ["ca.crt", "namespace"];

/// A token that cannot be made, shown or deleted.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[expect(missing_docs, reason = "the fields are what the texts name")]
pub enum TokenError {
    #[error("name should not be empty")]
    NameMissing,
    #[error("Secret {name:?} in namespace {namespace:?} is not labeled as a Kargo API token")]
    NotAToken { name: String, namespace: String },
    #[error("Secret {name:?} in namespace {namespace:?} cannot be deleted: {reason}")]
    NotDeletable { name: String, namespace: String, reason: &'static str },
}

impl Fault for TokenError {
    fn class(&self) -> Class {
        match self {
            Self::NameMissing | Self::NotAToken { .. } => Class::BadRequest,
            Self::NotDeletable { .. } => Class::Conflict,
        }
    }
}

/// The Secret of a new token. It goes with the ServiceAccount.
pub fn token(account: &ServiceAccount, request: &CreateApiToken) -> Result<Secret, TokenError> {
    if request.name.is_empty() {
        return Err(TokenError::NameMissing);
    }
    let role = name(&account.metadata).to_owned();
    let owner = OwnerReference {
        api_version: "v1".to_owned(),
        kind: "ServiceAccount".to_owned(),
        name: role.clone(),
        uid: account.metadata.uid.clone().unwrap_or_default(),
        ..OwnerReference::default()
    };
    let metadata = ObjectMeta {
        name: Some(request.name.clone()),
        namespace: account.metadata.namespace.clone(),
        labels: Some([(labels::API_TOKEN.to_owned(), labels::TRUE.to_owned())].into()),
        annotations: Some(BTreeMap::from([
            (ACCOUNT_ANNOTATION.to_owned(), role),
            (annotations::RBAC_MANAGED.to_owned(), labels::TRUE.to_owned()),
        ])),
        owner_references: Some(vec![owner]),
        ..ObjectMeta::default()
    };
    Ok(Secret { metadata, type_: Some(TOKEN_TYPE.to_owned()), ..Secret::default() })
}

/// Whether Kubernetes has put the token into its Secret.
pub fn is_populated(secret: &Secret) -> bool {
    let token = secret.data.as_ref().and_then(|data| data.get(TOKEN_KEY));
    token.is_some_and(|token| !token.0.is_empty())
}

/// Whether a read that failed with this status is repeated while a token is waited for.
pub fn is_worth_another_try(status: u16) -> bool {
    matches!(status, 408 | 409 | 429 | 500 | 503 | 504)
}

/// A token as it is shown later: without the token. It cannot hold one.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(transparent)]
pub struct RedactedToken(Secret);

impl RedactedToken {
    fn of(secret: &Secret) -> Self {
        let known = secret.data.as_ref();
        let public = |key: &str| Some((key.to_owned(), known?.get(key)?.clone()));
        let hidden = (TOKEN_KEY.to_owned(), ByteString(REDACTED.as_bytes().to_vec()));
        let data = PUBLIC_KEYS.iter().filter_map(|key| public(key)).chain([hidden]).collect();
        Self(Secret {
            metadata: secret.metadata.clone(),
            type_: secret.type_.clone(),
            data: Some(data),
            ..Secret::default()
        })
    }

    /// The name of the token.
    pub fn name(&self) -> &str {
        name(&self.0.metadata)
    }
}

/// Shows a Secret that is a token.
pub fn check_token(secret: &Secret) -> Result<RedactedToken, TokenError> {
    if is_token(secret) {
        return Ok(RedactedToken::of(secret));
    }
    let (name, namespace) = identity(secret);
    Err(TokenError::NotAToken { name, namespace })
}

/// The tokens among the Secrets, by name; with a role only those of that role.
pub fn tokens_of<'a>(
    secrets: impl IntoIterator<Item = &'a Secret>,
    role: Option<&str>,
) -> Vec<RedactedToken> {
    let is_of_role = |secret: &Secret| {
        role.is_none_or(|role| annotation(&secret.metadata, ACCOUNT_ANNOTATION) == Some(role))
    };
    let tokens = secrets.into_iter().filter(|secret| is_token(secret) && is_of_role(secret));
    let mut tokens: Vec<RedactedToken> = tokens.map(RedactedToken::of).collect();
    tokens.sort_by(|a, b| a.name().cmp(b.name()));
    tokens
}

/// Whether a Secret is a token of ours, and may be deleted as one.
pub fn check_deletable(secret: &Secret) -> Result<(), TokenError> {
    let metadata = &secret.metadata;
    let account = annotation(metadata, ACCOUNT_ANNOTATION).unwrap_or_default();
    let reason = if secret.type_.as_deref() != Some(TOKEN_TYPE) {
        "it is not a ServiceAccount token"
    } else if account.is_empty() {
        "it is not annotated with a ServiceAccount"
    } else if !is_labeled(secret) {
        "it is not labeled as a Kargo API token"
    } else if annotation(metadata, annotations::RBAC_MANAGED) != Some(labels::TRUE) {
        "it is not annotated as Kargo-managed"
    } else {
        return Ok(());
    };
    let (name, namespace) = identity(secret);
    Err(TokenError::NotDeletable { name, namespace, reason })
}

fn is_token(secret: &Secret) -> bool {
    secret.type_.as_deref() == Some(TOKEN_TYPE) && is_labeled(secret)
}

fn is_labeled(secret: &Secret) -> bool {
    label(&secret.metadata, labels::API_TOKEN) == Some(labels::TRUE)
}

fn identity(secret: &Secret) -> (String, String) {
    (name(&secret.metadata).to_owned(), namespace(&secret.metadata).to_owned())
}
