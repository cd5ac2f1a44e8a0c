//! What an installation decides about access.

use std::collections::BTreeMap;

use serde_json::Value;

use super::claim::Claims;
use super::object::Subject;
use super::system_role::SystemRole;

/// The choices that permissions follow from. The defaults are those of the chart.
#[derive(Clone, Debug)]
pub struct Options {
    /// Where the components run and the ServiceAccounts live.
    pub namespace: String,
    /// Where Secrets of the whole installation live.
    pub system_namespace: String,
    /// Where Secrets and ConfigMaps that all Projects share live.
    pub shared_namespace: String,
    /// The predecessor of the system namespace, where one is still in use.
    pub cluster_secrets_namespace: Option<String>,
    /// Whether the API server manages Secrets for people.
    pub secret_management: bool,
    /// Whether AnalysisTemplates and AnalysisRuns are used.
    pub rollouts: bool,
    /// How controllers reach Argo CD.
    pub argocd: ArgoCd,
    /// The controllers, one or more per shard.
    pub controllers: Vec<Controller>,
    /// How controllers come to the Secrets of Projects.
    pub secret_reading: SecretReading,
    /// Which claims of a login give a role in the whole installation.
    pub claims: BTreeMap<SystemRole, Claims>,
    /// Rules that the operator adds to a role.
    pub additional_rules: BTreeMap<SystemRole, Vec<Value>>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            namespace: "kargo".to_owned(),
            system_namespace: "kargo-system-resources".to_owned(),
            shared_namespace: "kargo-shared-resources".to_owned(),
            cluster_secrets_namespace: None,
            secret_management: true,
            rollouts: true,
            argocd: ArgoCd::AllNamespaces,
            controllers: vec![Controller::main()],
            secret_reading: SecretReading::PerProject,
            claims: BTreeMap::new(),
            additional_rules: BTreeMap::new(),
        }
    }
}

impl Options {
    /// The ServiceAccount of this name beside the components.
    pub(super) fn subject<'a>(&'a self, name: &'a str) -> Subject<'a> {
        Subject { namespace: &self.namespace, name }
    }

    /// The ServiceAccounts of all controllers.
    pub(super) fn controller_subjects(&self) -> Vec<Subject<'_>> {
        self.controllers.iter().map(|one| self.controller_subject(one)).collect()
    }

    /// The ServiceAccount of a controller.
    pub(super) fn controller_subject<'a>(&'a self, controller: &'a Controller) -> Subject<'a> {
        self.subject(&controller.service_account)
    }
}

/// Where controllers look for Applications.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ArgoCd {
    /// There is no Argo CD in this cluster.
    Absent,
    /// In every namespace.
    AllNamespaces,
    /// In Argo CD's own namespace.
    OneNamespace(String),
}

/// How controllers come to the Secrets of Projects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SecretReading {
    /// By a binding in each Project, kept by the management controller.
    PerProject,
    /// By a rule for the whole cluster.
    ClusterWide,
}

/// One controller.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Controller {
    /// Its ServiceAccount.
    pub service_account: String,
    /// The shard whose objects it may write, and no others; absent: it is held to none.
    pub shard: Option<Shard>,
}

/// What a controller is responsible for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shard {
    /// Its name; never empty.
    pub name: String,
    /// Whether objects of no shard belong to it too.
    pub takes_unlabeled: bool,
}

impl Controller {
    /// The controller beside the other components.
    pub fn main() -> Self {
        Self::named(super::Component::Controller.service_account().to_owned())
    }

    /// A further controller, told from others by an id.
    pub fn with_id(id: &str) -> Self {
        Self::named(format!("{}-{id}", super::Component::Controller.service_account()))
    }

    /// The same controller, held to the shard of this name.
    #[must_use]
    pub fn of_shard(self, name: &str) -> Self {
        self.held_to(name, false)
    }

    /// The same controller, held to the shard of this name and to objects of no shard.
    #[must_use]
    pub fn of_default_shard(self, name: &str) -> Self {
        self.held_to(name, true)
    }

    fn named(service_account: String) -> Self {
        Self { service_account, shard: None }
    }

    fn held_to(self, name: &str, takes_unlabeled: bool) -> Self {
        // Without a name there is nothing to hold it to.
        let shard = (!name.is_empty()).then(|| Shard { name: name.to_owned(), takes_unlabeled });
        Self { shard, ..self }
    }
}
