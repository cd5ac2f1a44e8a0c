//! The objects behind a role, and what they amount to.

use std::collections::BTreeSet;

use api_kinds::{ObjectMeta, annotations, labels};
use k8s_openapi::api::{
    core::v1::ServiceAccount,
    rbac::v1::{ClusterRole, ClusterRoleBinding, PolicyRule, Role, RoleBinding},
};

use super::super::binding::{Bound, RoleReference};
use super::super::claim::{ClaimError, Claims};
use super::change::RoleError;
use super::model::{API_VERSION, KargoRole, RoleResources, from_claims};
use super::rules::{Star, normalize};
use crate::admission::metadata::{annotation, label, name, namespace};
use crate::fault::{Class, Fault};

/// There is no such role.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("Role.rbac.kargo.akuity.io {name:?} not found")]
pub struct RoleNotFound {
    /// The name.
    pub name: String,
}

impl Fault for RoleNotFound {
    fn class(&self) -> Class {
        Class::NotFound
    }
}

/// A binding refers to a role that is not there.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "ServiceAccount {account:?} in namespace {namespace:?} is bound to a role that does not \
     exist: {role:?}"
)]
pub struct MissingRole {
    /// The ServiceAccount.
    pub account: String,
    /// Its namespace.
    pub namespace: String,
    /// The role.
    pub role: String,
}

impl Fault for MissingRole {
    fn class(&self) -> Class {
        Class::Conflict
    }
}

/// Whether a ServiceAccount of the installation's namespace is a role of the system.
pub fn is_system_role(account: &ServiceAccount) -> bool {
    label(&account.metadata, labels::SYSTEM_ROLE) == Some(labels::TRUE)
}

/// The objects behind a role.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Parts {
    /// Whom people log in as.
    pub account: ServiceAccount,
    /// Roles of the namespace that it is bound to.
    pub roles: Vec<Role>,
    /// Roles of the cluster that it is bound to.
    pub cluster_roles: Vec<ClusterRole>,
    /// The bindings of the namespace.
    pub role_bindings: Vec<RoleBinding>,
    /// The bindings of the cluster; only roles of the system are looked up in those.
    pub cluster_role_bindings: Vec<ClusterRoleBinding>,
}

impl Parts {
    /// Puts together what belongs to the ServiceAccount. Of bindings only those of its own namespace
    /// and of the cluster count.
    pub fn gather<'a>(
        account: &ServiceAccount,
        bound: &Bound<'_>,
        find_role: impl Fn(&str) -> Option<&'a Role>,
        find_cluster_role: impl Fn(&str) -> Option<&'a ClusterRole>,
    ) -> Result<Self, MissingRole> {
        let home = account.metadata.namespace.as_ref();
        let own = bound.role_bindings.iter().filter(|b| b.metadata.namespace.as_ref() == home);
        let bound = Bound {
            role_bindings: own.copied().collect(),
            cluster_role_bindings: bound.cluster_role_bindings.clone(),
        };
        let missing = |role: &str| MissingRole {
            account: name(&account.metadata).to_owned(),
            namespace: namespace(&account.metadata).to_owned(),
            role: role.to_owned(),
        };
        let mut parts = Self { account: account.clone(), ..Self::default() };
        let references = bound.references().into_iter().map(|(reference, _)| reference);
        for reference in references.collect::<BTreeSet<_>>() {
            match reference {
                RoleReference::Role { name, .. } => {
                    parts.roles.push(find_role(&name).ok_or_else(|| missing(&name))?.clone());
                }
                RoleReference::ClusterRole { name } => {
                    let role = find_cluster_role(&name).ok_or_else(|| missing(&name))?;
                    parts.cluster_roles.push(role.clone());
                }
            }
        }
        parts.role_bindings = bound.role_bindings.into_iter().cloned().collect();
        parts.cluster_role_bindings = bound.cluster_role_bindings.into_iter().cloned().collect();
        Ok(parts)
    }

    /// The name of the role.
    pub fn name(&self) -> &str {
        name(&self.account.metadata)
    }

    /// The namespace of the role.
    pub fn namespace(&self) -> &str {
        namespace(&self.account.metadata)
    }

    /// Who has the role.
    pub fn claims(&self) -> Result<Claims, ClaimError> {
        let none = std::collections::BTreeMap::new();
        Claims::from_annotations(self.account.metadata.annotations.as_ref().unwrap_or(&none))
    }

    /// What the role may do, as its objects say it.
    pub fn rules(&self) -> Vec<PolicyRule> {
        let roles = self.roles.iter().flat_map(|role| role.rules.iter().flatten());
        let cluster_roles = self.cluster_roles.iter().flat_map(|role| role.rules.iter().flatten());
        roles.chain(cluster_roles).cloned().collect()
    }

    /// Whether all objects are marked as ours.
    pub fn is_managed(&self) -> bool {
        let roles = self.roles.iter().map(|role| &role.metadata);
        let bindings = self.role_bindings.iter().map(|binding| &binding.metadata);
        self.cluster_roles.is_empty()
            && self.roles.len() <= 1
            && self.role_bindings.len() <= 1
            && roles.chain(bindings).chain([&self.account.metadata]).all(is_marked)
    }

    /// What clients see.
    pub fn to_role(&self) -> Result<KargoRole, ClaimError> {
        let is_managed = self.is_managed();
        let rules = self.rules();
        let rules = if is_managed { normalize(&rules, Star::Standard) } else { rules };
        let description = annotation(&self.account.metadata, annotations::DESCRIPTION);
        let described =
            description.map(|text| [(annotations::DESCRIPTION.to_owned(), text.to_owned())].into());
        let metadata = ObjectMeta {
            creation_timestamp: self.account.metadata.creation_timestamp.clone(),
            annotations: described,
            ..self.identity()
        };
        let claims = from_claims(&self.claims()?);
        Ok(KargoRole { metadata, kargo_managed: is_managed, claims, rules, ..KargoRole::default() })
    }

    /// What clients see who ask for the objects.
    pub fn to_resources(&self) -> RoleResources {
        RoleResources {
            api_version: API_VERSION.to_owned(),
            kind: "RoleResources".to_owned(),
            metadata: self.identity(),
            service_account: self.account.clone(),
            roles: self.roles.clone(),
            cluster_roles: self.cluster_roles.clone(),
            role_bindings: self.role_bindings.clone(),
            cluster_role_bindings: self.cluster_role_bindings.clone(),
        }
    }

    /// Whether the role is ours to change.
    pub fn check_manageable(&self) -> Result<(), RoleError> {
        let account = || self.name().to_owned();
        let namespace = || self.namespace().to_owned();
        if !self.cluster_roles.is_empty() {
            return Err(RoleError::BoundToClusterRole {
                account: account(),
                namespace: namespace(),
            });
        }
        self.check_marked("ServiceAccount", &self.account.metadata)?;
        if self.roles.len() > 1 {
            let kind = "Roles";
            return Err(RoleError::Multiple { kind, account: account(), namespace: namespace() });
        }
        self.roles.iter().try_for_each(|role| self.check_marked("Role", &role.metadata))?;
        if self.role_bindings.len() > 1 {
            let kind = "RoleBindings";
            return Err(RoleError::Multiple { kind, account: account(), namespace: namespace() });
        }
        let mut bindings = self.role_bindings.iter();
        bindings.try_for_each(|binding| self.check_marked("RoleBinding", &binding.metadata))
    }

    fn check_marked(&self, kind: &'static str, metadata: &ObjectMeta) -> Result<(), RoleError> {
        if is_marked(metadata) {
            return Ok(());
        }
        let name = name(metadata).to_owned();
        Err(RoleError::NotManaged { kind, name, namespace: self.namespace().to_owned() })
    }

    fn identity(&self) -> ObjectMeta {
        ObjectMeta {
            name: self.account.metadata.name.clone(),
            namespace: self.account.metadata.namespace.clone(),
            ..ObjectMeta::default()
        }
    }
}

fn is_marked(metadata: &ObjectMeta) -> bool {
    annotation(metadata, annotations::RBAC_MANAGED) == Some(labels::TRUE)
}
