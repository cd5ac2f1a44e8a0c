//! Whom each component is.

use serde_json::{Value, json};

use crate::admission::shard::COMPONENT_LABEL;

use super::object::{Subject, service_account};
use super::options::Options;

/// Accounts that controllers outside this cluster may use, besides those with an id.
const REMOTE_CONTROLLER: &str = "kargo-remote-controller";

/// A part of the product that talks to Kubernetes under its own name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Component {
    /// AnalysisRuns, where Argo Rollouts does not take them.
    AnalysisController,
    /// REST and the web interface.
    Api,
    /// Warehouses, Stages and Promotions of a shard.
    Controller,
    /// Receivers of webhooks from outside.
    ExternalWebhooksServer,
    /// Retention.
    GarbageCollector,
    /// Admission.
    KubernetesWebhooksServer,
    /// Projects, namespaces and the permissions of the others.
    ManagementController,
}

impl Component {
    /// Every component.
    pub const ALL: [Self; 7] = [
        Self::AnalysisController,
        Self::Api,
        Self::Controller,
        Self::ExternalWebhooksServer,
        Self::GarbageCollector,
        Self::KubernetesWebhooksServer,
        Self::ManagementController,
    ];

    /// The value of the label `app.kubernetes.io/component`. That of a controller enrols its
    /// ServiceAccount for the Secrets of Projects.
    pub const fn label(self) -> &'static str {
        match self {
            Self::AnalysisController => "analysis-controller",
            Self::Api => "api",
            Self::Controller => "controller",
            Self::ExternalWebhooksServer => "external-webhooks-server",
            Self::GarbageCollector => "garbage-collector",
            Self::KubernetesWebhooksServer => "kubernetes-webhooks-server",
            Self::ManagementController => "management-controller",
        }
    }

    /// The name of the ServiceAccount; further controllers append their id.
    pub const fn service_account(self) -> &'static str {
        match self {
            Self::AnalysisController => "kargo-analysis-controller",
            Self::Api => "kargo-api",
            Self::Controller => "kargo-controller",
            Self::ExternalWebhooksServer => "kargo-external-webhooks-server",
            Self::GarbageCollector => "kargo-garbage-collector",
            Self::KubernetesWebhooksServer => "kargo-webhooks-server",
            Self::ManagementController => "kargo-management-controller",
        }
    }

    /// The ServiceAccount itself.
    pub(super) fn account(self, options: &Options) -> Value {
        account(self, options.subject(self.service_account()), Vec::new())
    }
}

/// A ServiceAccount of this component under any name, with further labels.
pub(super) fn account(
    component: Component,
    subject: Subject<'_>,
    labels: Vec<(&'static str, &str)>,
) -> Value {
    let labels = [(COMPONENT_LABEL, component.label())].into_iter().chain(labels);
    let labels = labels.map(|(key, value)| (key.to_owned(), json!(value))).collect();
    service_account(subject, Value::Object(labels), json!({}))
}

/// The user that Kubernetes takes a ServiceAccount for.
pub fn user_name(namespace: &str, service_account: &str) -> String {
    format!("system:serviceaccount:{namespace}:{service_account}")
}

/// The pattern of users that admission takes for the control plane. Controllers of every id are
/// among them: a forgotten one would be treated as a person, whose Promotions put holds.
pub fn control_plane_user_pattern(namespace: &str) -> String {
    let api = Component::Api.service_account();
    let controller = Component::Controller.service_account();
    let collector = Component::GarbageCollector.service_account();
    let management = Component::ManagementController.service_account();
    let accounts =
        format!("{api}|{controller}(-[a-z0-9.-]+)?|{collector}|{management}|{REMOTE_CONTROLLER}");
    format!("^{}$", user_name(namespace, &format!("({accounts})")))
}
