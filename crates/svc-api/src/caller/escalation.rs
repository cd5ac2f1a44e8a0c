//! Nobody gives away what they do not hold: writes run as the server, so the caller is asked for
//! everything that a write would let others do.

use std::sync::Arc;

use core_rules::access::{
    attributes::Attributes,
    binding::{Bindings, RoleReference},
    escalation::{self, Concern, NotHeld},
};
use k8s_openapi::api::rbac::v1::{ClusterRole, ClusterRoleBinding, PolicyRule, Role, RoleBinding};

use super::Caller;
use crate::api_error::{ApiError, ApiResult};

impl Caller {
    /// Refuses who does not hold what writing an object would let others do.
    pub(crate) async fn require_concern(&self, concern: &Concern) -> ApiResult<()> {
        let asked = match concern {
            Concern::Nothing => return Ok(()),
            Concern::Rules { rules, namespace } => {
                escalation::permissions(rules, namespace).map_err(ApiError::refused)?
            }
            Concern::Role { role, namespace } => {
                escalation::permissions_of_role(role, namespace, |role| self.rules_of(role))
                    .map_err(ApiError::refused)?
            }
            Concern::Account { namespace, name } => self.rights_of_account(namespace, name)?,
        };
        self.require_held(&asked).await
    }

    /// Refuses who does not hold all of this.
    pub(crate) async fn require_held(&self, asked: &[Attributes]) -> ApiResult<()> {
        for attributes in asked {
            match self.ask(attributes).await {
                Err(error) if error.status() == http::StatusCode::FORBIDDEN => {
                    return Err(ApiError::refused(NotHeld::of(attributes)));
                }
                answered => answered?,
            }
        }
        Ok(())
    }

    fn rights_of_account(&self, namespace: &str, name: &str) -> ApiResult<Vec<Attributes>> {
        let mirrors = self.mirrors();
        let objects = mirrors.role_bindings.ready()?.list_all().objects;
        let bindings: Vec<Arc<RoleBinding>> =
            objects.iter().filter_map(|binding| binding.typed()).collect();
        let objects = mirrors.cluster_role_bindings.ready()?.list("").objects;
        let cluster_bindings: Vec<Arc<ClusterRoleBinding>> =
            objects.iter().filter_map(|binding| binding.typed()).collect();
        let bindings = Bindings::new(
            bindings.iter().map(AsRef::as_ref),
            cluster_bindings.iter().map(AsRef::as_ref),
        );
        let oidc = self.api().settings().oidc.as_ref();
        let is_global =
            oidc.is_some_and(|oidc| oidc.global_namespaces.iter().any(|one| one == namespace));
        let find = |role: &RoleReference| self.rules_of(role);
        escalation::permissions_of_account((namespace, name), is_global, &bindings, find)
            .map_err(ApiError::refused)
    }

    /// The rules of a role, if there is such a role.
    fn rules_of(&self, role: &RoleReference) -> Option<Vec<PolicyRule>> {
        let mirrors = self.mirrors();
        let rules = match role {
            RoleReference::Role { namespace, name } => {
                mirrors.roles.get(namespace, name)?.typed::<Role>()?.rules.clone()
            }
            RoleReference::ClusterRole { name } => {
                mirrors.cluster_roles.get("", name)?.typed::<ClusterRole>()?.rules.clone()
            }
        };
        Some(rules.unwrap_or_default())
    }
}
