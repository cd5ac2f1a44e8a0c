//! Who may do what in a Project's namespace: the roles, bindings and ServiceAccounts it should hold,
//! and the writes that get it there.

#[cfg(test)]
mod tests;

use std::{collections::BTreeMap, sync::Arc};

use api_kinds::{ObjectMeta, Project, annotations, labels};
use k8s_openapi::api::{
    core::v1::ServiceAccount,
    rbac::v1::{ClusterRole, ClusterRoleBinding, Role, RoleBinding, RoleRef, Subject},
};
use serde_json::json;

use super::{
    account::{self, ControllerAccount},
    change::{Change, Owned, Write, plan_change},
    default_role::{DefaultRole, rule},
    names,
    project::Phase,
};
use crate::shorten;

const RBAC_GROUP: &str = "rbac.authorization.k8s.io";

/// What a Project's namespace holds now, and the two objects outside of it.
#[derive(Clone, Debug, Default)]
pub struct Existing {
    /// The ServiceAccounts of the namespace.
    pub service_accounts: Vec<Arc<ServiceAccount>>,
    /// The Roles of the namespace.
    pub roles: Vec<Arc<Role>>,
    /// The RoleBindings of the namespace.
    pub role_bindings: Vec<Arc<RoleBinding>>,
    /// The role over the Project itself.
    pub cluster_role: Option<Arc<ClusterRole>>,
    /// Its binding.
    pub cluster_role_binding: Option<Arc<ClusterRoleBinding>>,
}

/// What decides the grants of a Project, apart from the Project.
#[derive(Clone, Copy, Debug)]
pub struct Granting<'a> {
    /// The namespace of the installation.
    pub installation: &'a str,
    /// The controllers that get to read Secrets; `None` when somebody else sees to that.
    pub controllers: Option<&'a [&'a ControllerAccount]>,
}

/// The writes of one phase.
#[derive(Clone, Debug, PartialEq)]
pub struct Step {
    /// The phase, which names the condition when a write fails.
    pub phase: Phase,
    /// The writes, in order.
    pub writes: Vec<Write>,
}

/// The writes that give a Project's namespace exactly the grants it should hold. Phases without
/// any are left out.
pub fn plan_grants(project: &Project, existing: &Existing, cfg: &Granting<'_>) -> Vec<Step> {
    let project_name = project.metadata.name.as_deref().unwrap_or_default();
    let mut steps = vec![Step {
        phase: Phase::SystemPermissions,
        writes: plan_system(project_name, existing, cfg.installation),
    }];
    if let Some(controllers) = cfg.controllers {
        let writes = plan_controllers(project_name, existing, cfg.installation, controllers);
        steps.push(Step { phase: Phase::ControllerPermissions, writes });
    }
    steps.push(Step { phase: Phase::DefaultRoles, writes: plan_default_roles(project, existing) });
    steps.retain(|step| !step.writes.is_empty());
    steps
}

/// The RoleBindings of the system in a namespace that is no Project's any more: they go, whatever
/// becomes of the namespace.
pub fn system_bindings(role_bindings: &[Arc<RoleBinding>]) -> Vec<&Arc<RoleBinding>> {
    role_bindings.iter().filter(|binding| is_system_binding(binding)).collect()
}

/// Whether the system, not a person, is granted something by a RoleBinding.
pub fn is_system_binding(binding: &RoleBinding) -> bool {
    let refers_to = |role: &str| {
        binding.role_ref.kind == names::CLUSTER_ROLE
            && binding.role_ref.name == role
            && binding.metadata.name.as_deref() == Some(role)
    };
    refers_to(names::PROJECT_ADMIN)
        || refers_to(names::PROJECT_SECRETS_READER)
        || refers_to(names::PROJECT_ANALYSIS)
        || account::is_controller_binding(binding)
}

/// The name of the ClusterRole and ClusterRoleBinding over a Project itself.
pub fn project_role_name(project: &str) -> String {
    shorten::resource_name(&format!("{}-{project}", names::PROJECT_ADMIN))
}

/// The RoleBinding of the API server and the administrators, which admission makes together with
/// the namespace.
pub fn project_admin_binding(project: &str, installation: &str) -> RoleBinding {
    let accounts = [names::API_ACCOUNT, names::ADMIN_ACCOUNT];
    let subjects = accounts.map(|account| account_subject(account, installation));
    system_binding(project, names::PROJECT_ADMIN.to_owned(), names::PROJECT_ADMIN, subjects.into())
}

fn plan_system(project: &str, existing: &Existing, installation: &str) -> Vec<Write> {
    let binding = |role: &str, account: &str| {
        let subjects = vec![account_subject(account, installation)];
        system_binding(project, role.to_owned(), role, subjects)
    };
    let desired = [
        project_admin_binding(project, installation),
        binding(names::PROJECT_SECRETS_READER, names::EXTERNAL_WEBHOOKS_ACCOUNT),
        binding(names::PROJECT_ANALYSIS, names::ANALYSIS_ACCOUNT),
    ];
    desired.into_iter().filter_map(|binding| plan_binding(existing, binding)).collect()
}

/// The bindings of controllers grow and shrink: one for each controller, none for anybody else.
fn plan_controllers(
    project: &str,
    existing: &Existing,
    installation: &str,
    controllers: &[&ControllerAccount],
) -> Vec<Write> {
    let desired: Vec<_> = controllers
        .iter()
        .map(|controller| controller_binding(project, installation, controller))
        .collect();
    let is_desired =
        |binding: &RoleBinding| desired.iter().any(|d| d.metadata.name == binding.metadata.name);
    let surplus = existing.role_bindings.iter().filter(|b| account::is_controller_binding(b));
    let deletes = surplus
        .filter(|binding| !is_desired(binding))
        .map(|binding| Write::RoleBinding(Change::Delete(Box::new(RoleBinding::clone(binding)))));
    let mut writes: Vec<_> = deletes.collect();
    writes.extend(desired.into_iter().filter_map(|binding| plan_binding(existing, binding)));
    writes
}

fn plan_default_roles(project: &Project, existing: &Existing) -> Vec<Write> {
    let project_name = project.metadata.name.as_deref().unwrap_or_default();
    let mut writes = vec![];
    for role in DefaultRole::EVERY {
        let account = default_account(project, role);
        let found = named(&existing.service_accounts, role.name());
        writes.extend(plan_change(found, account).map(Write::ServiceAccount));
        let found = named(&existing.roles, role.name());
        writes.extend(plan_change(found, default_role(project_name, role)).map(Write::Role));
        writes.extend(plan_binding(existing, default_binding(project_name, role)));
    }
    let role = plan_change(existing.cluster_role.as_deref(), project_role(project_name));
    writes.extend(role.map(Write::ClusterRole));
    let binding = project_role_binding(project_name);
    let binding = plan_change(existing.cluster_role_binding.as_deref(), binding);
    writes.extend(binding.map(Write::ClusterRoleBinding));
    writes
}

fn plan_binding(existing: &Existing, desired: RoleBinding) -> Option<Write> {
    let name = desired.metadata.name.clone().unwrap_or_default();
    plan_change(named(&existing.role_bindings, &name), desired).map(Write::RoleBinding)
}

/// Finds an object by name.
fn named<'a, T: Owned + k8s_openapi::Metadata<Ty = ObjectMeta>>(
    objects: &'a [Arc<T>],
    name: &str,
) -> Option<&'a T> {
    objects.iter().map(AsRef::as_ref).find(|o| o.metadata().name.as_deref() == Some(name))
}

fn controller_binding(
    project: &str,
    installation: &str,
    controller: &ControllerAccount,
) -> RoleBinding {
    let mut subjects = vec![account_subject(&controller.name, installation)];
    subjects.extend(controller.additional_subjects.iter().cloned());
    let name = account::binding_name(&controller.name);
    system_binding(project, name, names::CONTROLLER_READ_SECRETS, subjects)
}

fn system_binding(
    project: &str,
    name: String,
    cluster_role: &str,
    subjects: Vec<Subject>,
) -> RoleBinding {
    RoleBinding {
        metadata: ObjectMeta {
            name: Some(name),
            namespace: Some(project.to_owned()),
            ..ObjectMeta::default()
        },
        role_ref: role_ref(names::CLUSTER_ROLE, cluster_role),
        subjects: Some(subjects),
    }
}

fn default_account(project: &Project, role: DefaultRole) -> ServiceAccount {
    let project_name = project.metadata.name.as_deref().unwrap_or_default();
    let mut metadata = managed_metadata(project_name, role);
    if let (Some(claims), Some(annotations)) = (creator_claims(project), &mut metadata.annotations)
    {
        annotations.insert(annotations::RBAC_CLAIMS.to_owned(), claims);
    }
    ServiceAccount { metadata, ..ServiceAccount::default() }
}

fn default_role(project: &str, role: DefaultRole) -> Role {
    Role { metadata: managed_metadata(project, role), rules: Some(role.rules()) }
}

fn default_binding(project: &str, role: DefaultRole) -> RoleBinding {
    RoleBinding {
        metadata: managed_metadata(project, role),
        role_ref: role_ref(names::ROLE, role.name()),
        subjects: Some(vec![account_subject(role.name(), project)]),
    }
}

fn project_role(project: &str) -> ClusterRole {
    let mut rule = rule(api_kinds::GROUP, &["projects"], &["delete", "update"]);
    rule.resource_names = Some(vec![project.to_owned()]);
    ClusterRole {
        metadata: ObjectMeta { name: Some(project_role_name(project)), ..ObjectMeta::default() },
        rules: Some(vec![rule]),
        aggregation_rule: None,
    }
}

fn project_role_binding(project: &str) -> ClusterRoleBinding {
    let name = project_role_name(project);
    ClusterRoleBinding {
        role_ref: role_ref(names::CLUSTER_ROLE, &name),
        subjects: Some(vec![account_subject(DefaultRole::Admin.name(), project)]),
        metadata: ObjectMeta { name: Some(name), ..ObjectMeta::default() },
    }
}

fn managed_metadata(project: &str, role: DefaultRole) -> ObjectMeta {
    let managed = (annotations::RBAC_MANAGED.to_owned(), labels::TRUE.to_owned());
    ObjectMeta {
        name: Some(role.name().to_owned()),
        namespace: Some(project.to_owned()),
        annotations: Some(BTreeMap::from([managed])),
        ..ObjectMeta::default()
    }
}

fn role_ref(kind: &str, name: &str) -> RoleRef {
    RoleRef { api_group: Some(RBAC_GROUP.to_owned()), kind: kind.to_owned(), name: name.to_owned() }
}

fn account_subject(name: &str, namespace: &str) -> Subject {
    Subject {
        api_group: None,
        kind: "ServiceAccount".to_owned(),
        name: name.to_owned(),
        namespace: Some(namespace.to_owned()),
    }
}

/// The claims by which whoever created a Project gets its default roles.
///
/// Actors that Kubernetes or a controller vouches for have no claims. Tokens call the subject
/// `sub`, whatever the actor is called.
fn creator_claims(project: &Project) -> Option<String> {
    let actor = project.metadata.annotations.as_ref()?.get(annotations::CREATE_ACTOR)?;
    let (claim, value) = actor.split_once(':')?;
    let claim = match claim {
        "" | "kubernetes" | "controller" => return None,
        "subject" => "sub",
        other => other,
    };
    (!value.is_empty()).then(|| json!({ claim: [value] }).to_string())
}
