//! Making, replacing and removing roles.
//!
//! Rights come first and logins last, so that claims never lead to a role that is half made; when a
//! role goes, the role itself stays until everything else is gone, so that the call can be repeated.

use api_kinds::{ObjectMeta, annotations, labels};
use k8s_openapi::api::{
    core::v1::ServiceAccount,
    rbac::v1::{PolicyRule, Role, RoleBinding, RoleRef, Subject},
};

use super::super::claim::{ClaimError, Claims};
use super::model::{KargoRole, from_claims, to_claims};
use super::parts::Parts;
use super::rules::{Discovery, RuleError, Star, check_resources, normalize, resolve_groups};
use crate::admission::metadata::{annotation, name, set_annotation};
use crate::fault::{Class, Fault};
use crate::management::change::{Change, Update, Write};

const RBAC_GROUP: &str = "rbac.authorization.k8s.io";

/// A change of a role that is refused.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "the fields are what the texts name")]
pub enum RoleError {
    #[error("name should not be empty")]
    NameMissing,
    #[error("name in body does not match role name in URL")]
    NameMismatch,
    #[error("namespace in body does not match project in URL")]
    NamespaceMismatchOnCreate,
    #[error("namespace in body does not match project name in URL")]
    NamespaceMismatch,
    #[error("{resource} {name:?} already exists")]
    Exists { resource: &'static str, name: String },
    #[error(
        "ServiceAccount {account:?} in namespace {namespace:?} is bound to one or more ClusterRoles"
    )]
    BoundToClusterRole { account: String, namespace: String },
    #[error("{kind} {name:?} in namespace {namespace:?} is not annotated as Kargo-managed")]
    NotManaged { kind: &'static str, name: String, namespace: String },
    #[error(
        "multiple {kind} associated with ServiceAccount {account:?} in namespace {namespace:?}"
    )]
    Multiple { kind: &'static str, account: String, namespace: String },
    #[error("role is required")]
    RoleMissing,
    #[error("one of userClaims, serviceAccounts, or resourceDetails must be provided")]
    NothingToChange,
    #[error(transparent)]
    Rule(#[from] RuleError),
    #[error(transparent)]
    Claims(#[from] ClaimError),
}

impl Fault for RoleError {
    fn class(&self) -> Class {
        match self {
            Self::Exists { .. } | Self::NamespaceMismatchOnCreate | Self::Claims(_) => {
                Class::Conflict
            }
            _ => Class::BadRequest,
        }
    }
}

/// A change of a role.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    /// What it lets others do in the role's namespace: the caller must hold all of it.
    pub granted: Vec<PolicyRule>,
    /// What to write, in this order.
    pub writes: Vec<Write>,
    /// The role as it will be.
    pub role: KargoRole,
}

/// Which objects of a name are there already.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Existing {
    /// The ServiceAccount.
    pub account: bool,
    /// The Role.
    pub role: bool,
    /// The RoleBinding.
    pub role_binding: bool,
}

/// Makes a role.
pub fn create(
    wanted: &KargoRole,
    project: &str,
    existing: Existing,
    discovery: &Discovery,
) -> Result<Plan, RoleError> {
    let role_name = name(&wanted.metadata);
    if role_name.is_empty() {
        return Err(RoleError::NameMissing);
    }
    let namespace = wanted.metadata.namespace.as_deref().filter(|text| !text.is_empty());
    if namespace.is_some_and(|namespace| namespace != project) {
        return Err(RoleError::NamespaceMismatchOnCreate);
    }
    for (is_there, resource) in [
        (existing.account, "serviceaccounts"),
        (existing.role, "roles.rbac.authorization.k8s.io"),
        (existing.role_binding, "rolebindings.rbac.authorization.k8s.io"),
    ] {
        if is_there {
            return Err(RoleError::Exists { resource, name: role_name.to_owned() });
        }
    }
    let rules = writable(&wanted.rules, discovery)?;
    let claims = to_claims(&wanted.claims);
    let mut account =
        ServiceAccount { metadata: marked(role_name, project), ..ServiceAccount::default() };
    set_claims(&mut account.metadata, &claims);
    describe(&mut account.metadata, description(wanted));
    let writes = vec![
        Write::Role(Change::Create(Box::new(role(role_name, project, rules.clone())))),
        Write::RoleBinding(Change::Create(Box::new(role_binding(role_name, project)))),
        Write::ServiceAccount(Change::Create(Box::new(account))),
    ];
    let mut role = KargoRole { kargo_managed: true, rules: rules.clone(), ..wanted.clone() };
    role.metadata.namespace = Some(project.to_owned());
    role.claims = from_claims(&claims);
    Ok(Plan { granted: rules, writes, role })
}

/// Replaces claims, description and rules of a role.
pub fn update(parts: &Parts, wanted: &KargoRole, discovery: &Discovery) -> Result<Plan, RoleError> {
    let wanted_name = name(&wanted.metadata);
    if wanted_name != parts.name() {
        return Err(RoleError::NameMismatch);
    }
    let namespace = wanted.metadata.namespace.as_deref().filter(|text| !text.is_empty());
    if namespace.is_some_and(|namespace| namespace != parts.namespace()) {
        return Err(RoleError::NamespaceMismatch);
    }
    parts.check_manageable()?;
    let rules = writable(&wanted.rules, discovery)?;
    let mut account = parts.account.clone();
    set_claims(&mut account.metadata, &to_claims(&wanted.claims));
    describe(&mut account.metadata, description(wanted));
    plan(parts, rules.clone(), Some(rules), account)
}

/// Removes a role.
pub fn delete(parts: &Parts) -> Result<Vec<Write>, RoleError> {
    parts.check_manageable()?;
    let bindings = parts.role_bindings.iter().cloned();
    let roles = parts.roles.iter().cloned();
    let mut writes: Vec<Write> = bindings
        .map(|binding| Write::RoleBinding(Change::Delete(Box::new(binding))))
        .chain(roles.map(|role| Write::Role(Change::Delete(Box::new(role)))))
        .collect();
    writes.push(Write::ServiceAccount(Change::Delete(Box::new(parts.account.clone()))));
    Ok(writes)
}

/// The plan by which a role gets these rules, or keeps its own, and this ServiceAccount.
pub(super) fn plan(
    parts: &Parts,
    granted: Vec<PolicyRule>,
    rules: Option<Vec<PolicyRule>>,
    account: ServiceAccount,
) -> Result<Plan, RoleError> {
    let mut after = parts.clone();
    let mut writes = Vec::new();
    if let Some(rules) = rules {
        let (name, namespace) = (parts.name(), parts.namespace());
        let to = match parts.roles.first() {
            Some(role) => Role { rules: Some(rules), ..role.clone() },
            None => role(name, namespace, rules),
        };
        writes.extend(change(parts.roles.first(), &to).map(Write::Role));
        if parts.role_bindings.is_empty() {
            let binding = role_binding(name, namespace);
            writes.push(Write::RoleBinding(Change::Create(Box::new(binding.clone()))));
            after.role_bindings = vec![binding];
        }
        after.roles = vec![to];
    }
    writes.extend(change(Some(&parts.account), &account).map(Write::ServiceAccount));
    after.account = account;
    Ok(Plan { granted, writes, role: after.to_role()? })
}

fn change<T: Clone + PartialEq>(from: Option<&T>, to: &T) -> Option<Change<T>> {
    match from {
        None => Some(Change::Create(Box::new(to.clone()))),
        Some(from) if from == to => None,
        Some(from) => Some(Change::Update(Box::new(Update { from: from.clone(), to: to.clone() }))),
    }
}

/// Rules as they are written: with their groups, in normal form, stars spelled out.
pub(super) fn writable(
    rules: &[PolicyRule],
    discovery: &Discovery,
) -> Result<Vec<PolicyRule>, RuleError> {
    check_resources(rules)?;
    Ok(normalize(&resolve_groups(rules, discovery)?, Star::WithCustom))
}

/// Writes claims in their one form and removes the older one.
pub(super) fn set_claims(metadata: &mut ObjectMeta, claims: &Claims) {
    if let Some(annotations) = &mut metadata.annotations {
        annotations.retain(|key, _| !key.starts_with(annotations::RBAC_CLAIM_PREFIX));
    }
    let value = Some(claims.to_annotation()).filter(|_| !claims.is_empty());
    set_annotation(metadata, annotations::RBAC_CLAIMS, value);
}

fn describe(metadata: &mut ObjectMeta, description: Option<&str>) {
    set_annotation(metadata, annotations::DESCRIPTION, description.map(str::to_owned));
}

fn description(role: &KargoRole) -> Option<&str> {
    annotation(&role.metadata, annotations::DESCRIPTION).filter(|text| !text.is_empty())
}

fn marked(name: &str, namespace: &str) -> ObjectMeta {
    let mut metadata = ObjectMeta {
        name: Some(name.to_owned()),
        namespace: Some(namespace.to_owned()),
        ..ObjectMeta::default()
    };
    set_annotation(&mut metadata, annotations::RBAC_MANAGED, Some(labels::TRUE.to_owned()));
    metadata
}

fn role(name: &str, namespace: &str, rules: Vec<PolicyRule>) -> Role {
    Role { metadata: marked(name, namespace), rules: Some(rules) }
}

fn role_binding(name: &str, namespace: &str) -> RoleBinding {
    RoleBinding {
        metadata: marked(name, namespace),
        role_ref: RoleRef {
            api_group: Some(RBAC_GROUP.to_owned()),
            kind: "Role".to_owned(),
            name: name.to_owned(),
        },
        subjects: Some(vec![Subject {
            kind: "ServiceAccount".to_owned(),
            name: name.to_owned(),
            namespace: Some(namespace.to_owned()),
            ..Subject::default()
        }]),
    }
}
