//! The queues, and what puts keys into them.
//!
//! | what changes | who is looked at |
//! |---|---|
//! | Project: anything but its status | the Project; when it comes or goes, every shared resource |
//! | Namespace | itself, its Project; when it becomes or ceases to be a Project's, its ProjectConfig and every shared resource |
//! | default role, its ServiceAccount or binding, a binding of the system | the Project |
//! | a controller's binding | also the controller |
//! | a ServiceAccount of the installation | itself; when a controller comes, goes or changes, every Project |
//! | Stage, Warehouse: health or shard | the Project, within a second |
//! | ProjectConfig, ClusterConfig: anything but its status | itself |
//! | a shared resource that is or was replicated, a copy | the shared resource |

use std::time::Duration;

use api_kinds::Project;
use core_rules::management::{account, namespace, replication};
use io_kube::{Cache, ObjectKey, Ports, Queue};
use kube::{Resource, ResourceExt, api::ObjectMeta};

use crate::{
    cache::{Caches, Shared, SharedKind, project_of_role},
    settings::{ControllerGrants, Settings},
    summary::{Summarised, Summary},
};

/// Numbers about a Project are written at most this often.
const STATISTICS_PERIOD: Duration = Duration::from_secs(1);

/// The queues of all controllers.
#[derive(Clone)]
pub(crate) struct Queues {
    pub(crate) projects: Queue<String>,
    pub(crate) namespaces: Queue<String>,
    pub(crate) accounts: Queue<String>,
    pub(crate) project_configs: Queue<ObjectKey>,
    pub(crate) cluster_configs: Queue<ObjectKey>,
    pub(crate) secrets: Queue<String>,
    pub(crate) config_maps: Queue<String>,
}

impl Queues {
    pub(crate) fn new(ports: &Ports) -> Self {
        Self {
            projects: Queue::new("project-controller", ports),
            namespaces: Queue::new("namespace-controller", ports),
            accounts: Queue::new("serviceaccount-controller", ports),
            project_configs: Queue::new("projectconfig-controller", ports),
            cluster_configs: Queue::new("clusterconfig-controller", ports),
            secrets: Queue::new("shared-secrets-replication-controller", ports),
            config_maps: Queue::new("shared-configmaps-replication-controller", ports),
        }
    }

    /// Lets changes put keys into the queues; everything there is counts as a change at first.
    pub(crate) fn connect(&self, caches: &Caches, settings: &Settings) {
        self.connect_projects(caches);
        self.connect_namespaces(caches);
        self.connect_grants(caches, settings);
        self.connect_statistics(caches);
        self.connect_configs(caches);
        connect_shared(&self.secrets, &caches.secrets);
        connect_shared(&self.config_maps, &caches.config_maps);
    }

    fn connect_projects(&self, caches: &Caches) {
        let (queue, shared) = (self.projects.clone(), self.shared_waker(caches));
        caches.projects.on_change(move |old, new| {
            let Some(project) = new.or(old) else { return };
            let is_alive = |project: Option<&Project>| {
                project.is_some_and(|project| project.metadata.deletion_timestamp.is_none())
            };
            if is_alive(old) != is_alive(new) {
                shared();
            }
            if is_changed(old.map(Resource::meta), new.map(Resource::meta)) {
                queue.add(project.name_any());
            }
        });
    }

    fn connect_namespaces(&self, caches: &Caches) {
        let (queues, shared) = (self.clone(), self.shared_waker(caches));
        caches.namespaces.on_change(move |old, new| {
            let Some(changed) = new.or(old) else { return };
            queues.namespaces.add(changed.name_any());
            queues.projects.add(changed.name_any());
            let is_project = |ns: Option<&_>| ns.is_some_and(namespace::is_project_namespace);
            if is_project(old) != is_project(new) {
                let name = changed.name_any();
                queues.project_configs.add(ObjectKey::new(name.as_str(), name.as_str()));
                shared();
            }
        });
    }

    fn connect_grants(&self, caches: &Caches, settings: &Settings) {
        let queues = self.clone();
        caches.role_bindings.on_change(move |old, new| {
            let Some(changed) = new.or(old) else { return };
            queues.projects.add(changed.namespace().unwrap_or_default());
            if let Some(owner) = old.and_then(account::binding_owner) {
                queues.accounts.add(owner.to_owned());
            }
        });
        let queue = self.projects.clone();
        caches.roles.on_change(move |old, new| {
            if let Some(changed) = new.or(old) {
                queue.add(changed.namespace().unwrap_or_default());
            }
        });
        let queue = self.projects.clone();
        caches.cluster_roles.on_change(move |old, new| {
            if let Some(project) = new.or(old).and_then(project_of_role) {
                queue.add(project.to_owned());
            }
        });
        let queue = self.projects.clone();
        caches.cluster_role_bindings.on_change(move |old, new| {
            if let Some(project) = new.or(old).and_then(project_of_role) {
                queue.add(project.to_owned());
            }
        });
        self.connect_accounts(caches, settings);
    }

    fn connect_accounts(&self, caches: &Caches, settings: &Settings) {
        let (queues, projects) = (self.clone(), caches.projects.clone());
        let installation = settings.kargo_namespace.clone();
        let is_managed = settings.controller_grants != ControllerGrants::Unmanaged;
        caches.service_accounts.on_change(move |old, new| {
            let Some(changed) = new.or(old) else { return };
            if changed.namespace().as_ref() != Some(&installation) {
                queues.projects.add(changed.namespace().unwrap_or_default());
                return;
            }
            queues.accounts.add(changed.name_any());
            let controller = |account: Option<&_>| account.and_then(account::controller_account);
            if is_managed && controller(old) != controller(new) {
                add_all(&queues.projects, &projects);
            }
        });
    }

    fn connect_statistics(&self, caches: &Caches) {
        let queue = self.projects.clone();
        caches.stages.on_change(move |old, new| {
            wake_by_mark(&queue, old, new);
        });
        let queue = self.projects.clone();
        caches.warehouses.on_change(move |old, new| {
            wake_by_mark(&queue, old, new);
        });
    }

    fn connect_configs(&self, caches: &Caches) {
        let queue = self.project_configs.clone();
        caches.project_configs.on_change(move |old, new| {
            if is_changed(old.map(Resource::meta), new.map(Resource::meta)) {
                queue.add(new.or(old).map(ObjectKey::of).unwrap_or_default());
            }
        });
        let queue = self.cluster_configs.clone();
        caches.cluster_configs.on_change(move |old, new| {
            if is_changed(old.map(Resource::meta), new.map(Resource::meta)) {
                queue.add(new.or(old).map(ObjectKey::of).unwrap_or_default());
            }
        });
    }

    /// What makes every shared resource be looked at.
    fn shared_waker(&self, caches: &Caches) -> impl Fn() + Send + Sync + 'static {
        let secrets = (self.secrets.clone(), caches.secrets.clone());
        let config_maps = (self.config_maps.clone(), caches.config_maps.clone());
        move || {
            secrets.1.source_names().into_iter().for_each(|name| secrets.0.add(name));
            config_maps.1.source_names().into_iter().for_each(|name| config_maps.0.add(name));
        }
    }
}

/// Lets a Project be looked at soon when what concerns it differs.
fn wake_by_mark<K: Summarised>(
    queue: &Queue<String>,
    old: Option<&Summary<K>>,
    new: Option<&Summary<K>>,
) {
    if old.map(|old| &old.mark) != new.map(|new| &new.mark) {
        let project = new.or(old).and_then(ResourceExt::namespace).unwrap_or_default();
        queue.add_after(project, STATISTICS_PERIOD);
    }
}

fn connect_shared<T: SharedKind>(queue: &Queue<String>, shared: &Shared<T>) {
    let sources = queue.clone();
    shared.sources.on_change(move |old, new| {
        if old.is_some_and(replication::is_concerned) || new.is_some_and(replication::is_concerned)
        {
            sources.add(new.or(old).map(ResourceExt::name_any).unwrap_or_default());
        }
    });
    let copies = queue.clone();
    shared.copies.on_change(move |old, new| {
        for copy in [old, new].into_iter().flatten() {
            if let Some(source) = replication::source_name(copy.meta()) {
                copies.add(source.to_owned());
            }
        }
    });
}

fn add_all(queue: &Queue<String>, projects: &Cache<Project>) {
    for project in projects.list() {
        queue.add(project.name_any());
    }
}

/// Whether an object came, went, or changed in more than its status.
fn is_changed(old: Option<&ObjectMeta>, new: Option<&ObjectMeta>) -> bool {
    let (Some(old), Some(new)) = (old, new) else { return true };
    old.uid != new.uid
        || old.generation != new.generation
        || old.annotations != new.annotations
        || old.finalizers != new.finalizers
        || old.deletion_timestamp != new.deletion_timestamp
}
