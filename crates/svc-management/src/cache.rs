//! What the management controller watches. Secrets and ConfigMaps only where it must: among the
//! shared resources, and copies of those.

use std::sync::Arc;

use api_kinds::{ClusterConfig, Project, ProjectConfig, Stage, Warehouse, labels};
use core_rules::management::{
    account,
    default_role::DefaultRole,
    names, namespace,
    replication::{self, Replicable},
};
use futures::future::join_all;
use io_kube::{Cache, Index, ObjectKey, Ports};
use k8s_openapi::{
    NamespaceResourceScope,
    api::{
        core::v1::{ConfigMap, Namespace, Secret, ServiceAccount},
        rbac::v1::{ClusterRole, ClusterRoleBinding, Role, RoleBinding},
    },
};
use kube::{Client, Resource, ResourceExt};
use serde::de::DeserializeOwned;

use crate::{settings::Settings, summary::Summary};

/// Everything that is watched all the time.
pub(crate) struct Caches {
    pub(crate) projects: Cache<Project>,
    pub(crate) namespaces: Cache<Namespace>,
    pub(crate) service_accounts: Cache<ServiceAccount>,
    pub(crate) roles: Cache<Role>,
    pub(crate) role_bindings: Cache<RoleBinding>,
    /// RoleBindings that let a controller read Secrets, by the controller's ServiceAccount.
    pub(crate) bindings_by_controller: Index<RoleBinding, String>,
    pub(crate) cluster_roles: Cache<ClusterRole>,
    pub(crate) cluster_role_bindings: Cache<ClusterRoleBinding>,
    pub(crate) stages: Cache<Summary<Stage>>,
    pub(crate) warehouses: Cache<Summary<Warehouse>>,
    pub(crate) project_configs: Cache<ProjectConfig>,
    pub(crate) cluster_configs: Cache<ClusterConfig>,
    pub(crate) secrets: Shared<Secret>,
    pub(crate) config_maps: Shared<ConfigMap>,
}

/// Shared resources of one kind and their copies.
pub(crate) struct Shared<T> {
    pub(crate) sources: Cache<T>,
    pub(crate) copies: Cache<T>,
    /// Copies by the name of their source.
    pub(crate) copies_by_source: Index<T, String>,
}

impl<T> Clone for Shared<T> {
    fn clone(&self) -> Self {
        Self {
            sources: self.sources.clone(),
            copies: self.copies.clone(),
            copies_by_source: self.copies_by_source.clone(),
        }
    }
}

/// A kind that can be replicated, as clients see it.
pub(crate) trait SharedKind:
    Replicable
    + Resource<DynamicType = (), Scope = NamespaceResourceScope>
    + DeserializeOwned
    + serde::Serialize
    + std::fmt::Debug
    + Send
    + Sync
    + 'static
{
}

impl SharedKind for Secret {}
impl SharedKind for ConfigMap {}

impl Caches {
    pub(crate) fn start(client: &Client, settings: &Settings, ports: &Ports) -> Self {
        let bindings_by_controller = Index::new(|binding: &RoleBinding| {
            let is_ours = account::is_controller_binding(binding);
            let owner = account::binding_owner(binding).filter(|_| is_ours);
            owner.map(ToOwned::to_owned).into_iter().collect()
        });
        let installation = settings.kargo_namespace.clone();
        let is_watched_account = move |account: &ServiceAccount| {
            account.namespace().as_ref() == Some(&installation) || is_default_role(account)
        };
        Self {
            projects: Cache::builder(client.clone()).start(ports),
            namespaces: Cache::builder(client.clone()).start(ports),
            service_accounts: Cache::builder(client.clone())
                .filter(is_watched_account)
                .start(ports),
            roles: Cache::builder(client.clone()).filter(is_default_role).start(ports),
            role_bindings: Cache::builder(client.clone())
                .filter(is_watched_binding)
                .index(&bindings_by_controller)
                .start(ports),
            bindings_by_controller,
            cluster_roles: Cache::builder(client.clone()).filter(is_project_role).start(ports),
            cluster_role_bindings: Cache::builder(client.clone())
                .filter(is_project_role)
                .start(ports),
            stages: Cache::builder(client.clone()).start(ports),
            warehouses: Cache::builder(client.clone()).start(ports),
            project_configs: Cache::builder(client.clone()).start(ports),
            cluster_configs: Cache::builder(client.clone()).start(ports),
            secrets: Shared::start(client, settings, ports),
            config_maps: Shared::start(client, settings, ports),
        }
    }

    /// Completes when every cache has its first list.
    pub(crate) async fn synced(&self) {
        let all: [futures::future::BoxFuture<'static, ()>; 15] = [
            Box::pin(self.projects.synced()),
            Box::pin(self.namespaces.synced()),
            Box::pin(self.service_accounts.synced()),
            Box::pin(self.roles.synced()),
            Box::pin(self.role_bindings.synced()),
            Box::pin(self.cluster_roles.synced()),
            Box::pin(self.cluster_role_bindings.synced()),
            Box::pin(self.stages.synced()),
            Box::pin(self.warehouses.synced()),
            Box::pin(self.project_configs.synced()),
            Box::pin(self.cluster_configs.synced()),
            Box::pin(self.secrets.sources.synced()),
            Box::pin(self.secrets.copies.synced()),
            Box::pin(self.config_maps.sources.synced()),
            Box::pin(self.config_maps.copies.synced()),
        ];
        join_all(all).await;
    }

    /// The Project of this name.
    pub(crate) fn project(&self, name: &str) -> Option<Arc<Project>> {
        self.projects.get(&ObjectKey::cluster(name))
    }

    /// The namespace of this name.
    pub(crate) fn namespace(&self, name: &str) -> Option<Arc<Namespace>> {
        self.namespaces.get(&ObjectKey::cluster(name))
    }

    /// Whether a namespace is labeled as a Project's.
    pub(crate) fn is_project_namespace(&self, name: &str) -> bool {
        self.namespace(name).is_some_and(|found| namespace::is_project_namespace(&found))
    }
}

impl<T: SharedKind> Shared<T> {
    fn start(client: &Client, settings: &Settings, ports: &Ports) -> Self {
        let copies_by_source = Index::new(|copy: &T| {
            let source = replication::source_name(copy.meta());
            source.map(ToOwned::to_owned).into_iter().collect()
        });
        Self {
            sources: Cache::builder(client.clone())
                .namespace(&settings.shared_resources_namespace)
                .start(ports),
            copies: Cache::builder(client.clone())
                .labels(labels::REPLICATED_FROM)
                .index(&copies_by_source)
                .start(ports),
            copies_by_source,
        }
    }

    /// The names of all sources, also of those that are gone while copies remain.
    pub(crate) fn source_names(&self) -> Vec<String> {
        let sources = self.sources.list();
        let concerned = sources.iter().filter(|source| replication::is_concerned(source.as_ref()));
        let mut names: Vec<_> = concerned.map(|source| source.name_any()).collect();
        names.extend(self.copies_by_source.values());
        names
    }
}

fn is_default_role(object: &impl Resource) -> bool {
    let name = object.meta().name.as_deref().unwrap_or_default();
    DefaultRole::EVERY.iter().any(|role| role.name() == name)
}

/// Bindings that we make, whatever became of them.
fn is_watched_binding(binding: &RoleBinding) -> bool {
    let name = binding.metadata.name.as_deref().unwrap_or_default();
    let is_system = matches!(
        name,
        names::PROJECT_ADMIN | names::PROJECT_SECRETS_READER | names::PROJECT_ANALYSIS
    );
    let is_controllers = name.ends_with(names::READ_SECRETS_SUFFIX)
        || binding.role_ref.name == names::CONTROLLER_READ_SECRETS;
    is_system || is_controllers || is_default_role(binding)
}

fn is_project_role(object: &impl Resource) -> bool {
    project_of_role(object).is_some()
}

/// The Project that a ClusterRole or ClusterRoleBinding is about. Names of Projects are short
/// enough never to be shortened.
pub(crate) fn project_of_role(object: &impl Resource) -> Option<&str> {
    let name = object.meta().name.as_deref()?;
    name.strip_prefix(names::PROJECT_ADMIN)?.strip_prefix('-').filter(|name| !name.is_empty())
}
