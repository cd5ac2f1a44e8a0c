//! Nobody gives away what they do not have.
//!
//! Writes run as the API server, so that the guard of Kubernetes sees the server and not the caller.
//! Before roles, bindings, ServiceAccounts that people log in as, or tokens are written, the caller
//! is asked for everything that the write would let others do: [`concern`] says what an object is
//! about, [`permissions`] what to ask.
//!
//! A star is asked for as a star. It also means verbs such as `escalate` and `impersonate`, and a
//! list of the usual verbs, which is what upstream asks for, does not cover those.

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use api_kinds::API_VERSION;
use api_kinds::annotations::{PROMOTION_POD_SERVICE_ACCOUNT, RBAC_CLAIM_PREFIX, RBAC_CLAIMS};
use k8s_openapi::api::{
    core::v1::{Secret, ServiceAccount},
    rbac::v1::{ClusterRole, ClusterRoleBinding, PolicyRule, Role, RoleBinding, RoleRef},
};
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::attributes::Attributes;
use super::binding::{Bindings, RoleReference};
use super::claim::{ClaimError, Claims};
use super::role::{RuleError, Star, check_resources, verbs_by_subject};
use crate::admission::metadata::{annotation, name, namespace};
use crate::fault::{Class, Fault};

const RBAC_GROUP: &str = "rbac.authorization.k8s.io/";
const TOKEN_TYPE: &str = "kubernetes.io/service-account-token";
const ACCOUNT_ANNOTATION: &str = "kubernetes.io/service-account.name";

/// An object that could let others do more.
#[derive(Clone, Debug, PartialEq)]
pub enum Concern {
    /// It cannot.
    Nothing,
    /// These rules, in this namespace; empty for everywhere.
    Rules {
        /// The rules.
        rules: Vec<PolicyRule>,
        /// Where they hold.
        namespace: String,
    },
    /// The rules of this role, in this namespace; empty for everywhere.
    Role {
        /// The role.
        role: RoleReference,
        /// Where its rules will hold.
        namespace: String,
    },
    /// Whatever this ServiceAccount may do: others will act as it.
    Account {
        /// The namespace.
        namespace: String,
        /// The name.
        name: String,
    },
}

/// What an object would let others do cannot be told, or not be granted at all.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "the fields are what the texts name")]
pub enum EscalationError {
    #[error("cannot read the {kind}")]
    Malformed { kind: String, source: serde_json::Error },
    #[error("unsupported role reference kind {kind:?}")]
    Reference { kind: String },
    #[error("the role that is referred to does not exist: {role:?}")]
    Unresolved { role: String },
    #[error("permissions on URLs cannot be granted here: nonResourceURLs")]
    Urls,
    #[error("roles that are gathered from others cannot be granted here: aggregationRule")]
    Aggregation,
    #[error(transparent)]
    Rule(#[from] RuleError),
    #[error(transparent)]
    Claims(#[from] ClaimError),
}

impl Fault for EscalationError {
    fn class(&self) -> Class {
        Class::BadRequest
    }
}

/// The caller does not hold what they would give away.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "requester may not grant permissions it does not hold: verb {verb:?} on resource {resource:?}"
)]
pub struct NotHeld {
    /// The verb.
    pub verb: String,
    /// The resource.
    pub resource: String,
}

impl Fault for NotHeld {
    fn class(&self) -> Class {
        Class::Forbidden
    }
}

impl NotHeld {
    /// What was asked for and denied.
    pub fn of(asked: &Attributes) -> Self {
        let resource = match asked.subresource.as_str() {
            "" => asked.resource.clone(),
            subresource => format!("{}/{subresource}", asked.resource),
        };
        Self { verb: asked.verb.clone(), resource }
    }
}

/// What the caller must be allowed to do before these rules are granted in a namespace.
pub fn permissions(rules: &[PolicyRule], namespace: &str) -> Result<Vec<Attributes>, RuleError> {
    check_resources(rules)?;
    let mut asked = Vec::new();
    for (subject, verbs) in verbs_by_subject(rules, Star::Kept) {
        let (resource, subresource) =
            subject.resource.split_once('/').unwrap_or((&subject.resource, ""));
        for verb in verbs {
            asked.push(Attributes {
                verb,
                group: subject.group.clone(),
                resource: resource.to_owned(),
                subresource: subresource.to_owned(),
                namespace: namespace.to_owned(),
                name: subject.name.clone().unwrap_or_default(),
            });
        }
    }
    Ok(asked)
}

/// What writing this object is about.
pub fn concern(object: &Value) -> Result<Concern, EscalationError> {
    let text = |key: &str| object.get(key).and_then(Value::as_str).unwrap_or_default();
    let (api_version, kind) = (text("apiVersion"), text("kind"));
    if api_version == "v1" {
        return match kind {
            "ServiceAccount" => concern_of_account(&read(object, kind)?),
            "Secret" => Ok(concern_of_secret(&read(object, kind)?)),
            _ => Ok(Concern::Nothing),
        };
    }
    if api_version == API_VERSION && kind == "Stage" {
        return Ok(concern_of_stage(object));
    }
    if !api_version.starts_with(RBAC_GROUP) {
        return Ok(Concern::Nothing);
    }
    match kind {
        "Role" => {
            let role: Role = read(object, kind)?;
            let namespace = namespace(&role.metadata).to_owned();
            concern_of_rules(role.rules.unwrap_or_default(), namespace)
        }
        "ClusterRole" => {
            let role: ClusterRole = read(object, kind)?;
            if role.aggregation_rule.is_some() {
                return Err(EscalationError::Aggregation);
            }
            concern_of_rules(role.rules.unwrap_or_default(), String::new())
        }
        "RoleBinding" => {
            let binding: RoleBinding = read(object, kind)?;
            concern_of_reference(&binding.role_ref, namespace(&binding.metadata))
        }
        "ClusterRoleBinding" => {
            let binding: ClusterRoleBinding = read(object, kind)?;
            concern_of_reference(&binding.role_ref, "")
        }
        _ => Ok(Concern::Nothing),
    }
}

/// What the caller must be allowed to do before somebody acts as a ServiceAccount: everything that
/// bindings give it. Those of other namespaces count for ServiceAccounts of global namespaces only,
/// because through others a login reaches its own Project alone.
pub fn permissions_of_account(
    account: (&str, &str),
    is_global: bool,
    bindings: &Bindings<'_>,
    find: impl Fn(&RoleReference) -> Option<Vec<PolicyRule>>,
) -> Result<Vec<Attributes>, EscalationError> {
    let (home, account) = account;
    let mut bound = bindings.of(home, account);
    bound.role_bindings.retain(|binding| is_global || namespace(&binding.metadata) == home);
    let mut asked = Vec::new();
    for (role, namespace) in bound.references() {
        asked.extend(permissions_of_role(&role, &namespace, &find)?);
    }
    Ok(asked)
}

/// What the caller must be allowed to do before a role is bound in a namespace.
pub fn permissions_of_role(
    role: &RoleReference,
    namespace: &str,
    find: impl Fn(&RoleReference) -> Option<Vec<PolicyRule>>,
) -> Result<Vec<Attributes>, EscalationError> {
    let rules = find(role).ok_or_else(|| {
        let (RoleReference::Role { name, .. } | RoleReference::ClusterRole { name }) = role;
        EscalationError::Unresolved { role: name.clone() }
    })?;
    Ok(permissions(&rules, namespace)?)
}

fn concern_of_rules(rules: Vec<PolicyRule>, namespace: String) -> Result<Concern, EscalationError> {
    let has_urls =
        |rule: &PolicyRule| rule.non_resource_urls.as_ref().is_some_and(|urls| !urls.is_empty());
    if rules.iter().any(has_urls) {
        return Err(EscalationError::Urls);
    }
    Ok(Concern::Rules { rules, namespace })
}

fn concern_of_reference(role: &RoleRef, namespace: &str) -> Result<Concern, EscalationError> {
    let reference = RoleReference::read(role, namespace)
        .ok_or_else(|| EscalationError::Reference { kind: role.kind.clone() })?;
    Ok(Concern::Role { role: reference, namespace: namespace.to_owned() })
}

/// A ServiceAccount that no claim leads to lets nobody in.
fn concern_of_account(account: &ServiceAccount) -> Result<Concern, EscalationError> {
    let none = BTreeMap::new();
    let annotations = account.metadata.annotations.as_ref().unwrap_or(&none);
    let is_claim = |key: &String| key == RBAC_CLAIMS || key.starts_with(RBAC_CLAIM_PREFIX);
    if !annotations.keys().any(is_claim) || Claims::from_annotations(annotations)?.is_empty() {
        return Ok(Concern::Nothing);
    }
    Ok(Concern::Account {
        namespace: namespace(&account.metadata).to_owned(),
        name: name(&account.metadata).to_owned(),
    })
}

/// Promotions to the Stage run as the ServiceAccount that an annotation names.
fn concern_of_stage(stage: &Value) -> Concern {
    let text = |path: &str| stage.pointer(path).and_then(Value::as_str).unwrap_or_default();
    let annotations = stage.pointer("/metadata/annotations");
    let account = annotations.and_then(|all| all.get(PROMOTION_POD_SERVICE_ACCOUNT)?.as_str());
    match account.filter(|account| !account.is_empty()) {
        None => Concern::Nothing,
        Some(account) => Concern::Account {
            namespace: text("/metadata/namespace").to_owned(),
            name: account.to_owned(),
        },
    }
}

/// Kubernetes puts a token of the ServiceAccount into a Secret of this type.
fn concern_of_secret(secret: &Secret) -> Concern {
    let account = annotation(&secret.metadata, ACCOUNT_ANNOTATION);
    match account.filter(|_| secret.type_.as_deref() == Some(TOKEN_TYPE)) {
        None => Concern::Nothing,
        Some(account) => Concern::Account {
            namespace: namespace(&secret.metadata).to_owned(),
            name: account.to_owned(),
        },
    }
}

fn read<T: DeserializeOwned>(object: &Value, kind: &str) -> Result<T, EscalationError> {
    T::deserialize(object)
        .map_err(|source| EscalationError::Malformed { kind: kind.to_owned(), source })
}
