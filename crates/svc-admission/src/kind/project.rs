//! Projects, and the namespace that each one needs.

use api_kinds::{Project, finalizer::FINALIZER, labels};
use core_rules::access::{Component, PROJECT_ADMIN_ROLE, SystemRole};
use core_rules::admission::{
    Admitted, Refusal,
    project::{self, NamespacePlan},
};
use io_kube::is_already_exists;
use k8s_openapi::api::{core::v1::Namespace, rbac::v1::RoleBinding};
use kube::{Api, api::PostParams};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::{Admitter, Request, Verdict, admitter::changed};

pub(crate) fn mutate(admitter: &Admitter, request: &Request<'_>) -> Verdict {
    let sent: Project = request.object()?;
    let old: Option<Project> = request.old_object()?;
    let mut completed = sent.clone();
    let caller = admitter.settings.identities.caller(request.user);
    project::default(&mut completed, old.as_ref(), &caller);
    changed(&sent, &completed)
}

/// A new Project finds its namespace ready, with the API server let in, when its creation returns.
/// If the write fails after this, the next try finds both and goes on; so does the management
/// controller.
pub(crate) async fn validate(
    admitter: &Admitter,
    request: &Request<'_>,
) -> Result<Admitted, Refusal> {
    if !request.is_create() || request.dry_run {
        return Ok(Admitted::default());
    }
    let project: Project = request.object()?;
    let name = project.metadata.name.clone().unwrap_or_default();
    let namespace: Option<Namespace> = admitter.lookup.get_cluster(&name).await?;
    if project::plan_namespace(&project, namespace.as_ref())? == NamespacePlan::Create {
        create_namespace(admitter, &project, &name).await?;
    }
    create_binding(admitter, &name).await?;
    Ok(Admitted::default())
}

async fn create_namespace(
    admitter: &Admitter,
    project: &Project,
    name: &str,
) -> Result<(), Refusal> {
    let namespace: Namespace = object(json!({"metadata": {
        "name": name,
        "labels": {labels::PROJECT: labels::TRUE},
        "finalizers": [FINALIZER],
    }}))?;
    let api: Api<Namespace> = Api::all(admitter.lookup.client().clone());
    let parameters = PostParams::default();
    let create = async {
        match api.create(&parameters, &namespace).await {
            Err(error) if is_already_exists(&error) => api.get_opt(name).await,
            created => created.map(Some),
        }
    };
    let there = admitter.lookup.within(create).await?;
    project::plan_namespace(project, there.as_ref()).map(drop)
}

async fn create_binding(admitter: &Admitter, project: &str) -> Result<(), Refusal> {
    let home = &admitter.settings.namespace;
    let subject = |name: &str| json!({"kind": "ServiceAccount", "name": name, "namespace": home});
    let binding: RoleBinding = object(json!({
        "metadata": {"name": PROJECT_ADMIN_ROLE, "namespace": project},
        "roleRef": {
            "apiGroup": "rbac.authorization.k8s.io",
            "kind": "ClusterRole",
            "name": PROJECT_ADMIN_ROLE,
        },
        "subjects": [
            subject(Component::Api.service_account()),
            subject(SystemRole::Admin.name()),
        ],
    }))?;
    let api: Api<RoleBinding> = Api::namespaced(admitter.lookup.client().clone(), project);
    let parameters = PostParams::default();
    let create = async {
        match api.create(&parameters, &binding).await {
            Err(error) if is_already_exists(&error) => Ok(()),
            created => created.map(drop),
        }
    };
    admitter.lookup.within(create).await
}

fn object<K: DeserializeOwned>(value: Value) -> Result<K, Refusal> {
    serde_json::from_value(value).map_err(Refusal::internal)
}
