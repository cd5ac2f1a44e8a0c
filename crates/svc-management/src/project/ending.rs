//! A Project that is being deleted: what was made for it goes, unless it is to be kept.

use std::sync::Arc;

use api_kinds::{Project, finalizer::FINALIZER};
use core_rules::management::{
    grant, namespace,
    project::{self, Ending},
};
use io_kube::{Failure, Next, is_not_found, remove_finalizer};
use k8s_openapi::api::{
    core::v1::Namespace,
    rbac::v1::{ClusterRole, ClusterRoleBinding, RoleBinding},
};
use kube::{
    Api, Resource, ResourceExt,
    api::{DeleteParams, ListParams},
};
use serde::de::DeserializeOwned;

use crate::{
    context::{Context, failure},
    write::delete,
};

pub(super) async fn reconcile(cx: &Context, project: &Project) -> Result<Next, Failure> {
    if !namespace::has_finalizer(&project.metadata) {
        return Ok(Next::Done);
    }
    end(cx, project).await.map_err(failure)?;
    tracing::info!(project = project.name_any(), "deleted");
    Ok(Next::Done)
}

/// Reads what it decides about from the server: the last pass over a Project must not miss anything
/// because a cache is late, nor take a new Project of the same name for the one that is gone.
async fn end(cx: &Context, project: &Project) -> Result<(), kube::Error> {
    let name = project.name_any();
    let current = Api::<Project>::all(cx.client.clone()).get_opt(&name).await?;
    let is_same = |current: &Project| current.metadata.uid == project.metadata.uid;
    let Some(project) = current.filter(is_same) else { return Ok(()) };
    if !namespace::has_finalizer(&project.metadata) {
        return Ok(());
    }
    delete_project_role(cx, &name).await?;
    let existing = Api::<Namespace>::all(cx.client.clone()).get_opt(&name).await?;
    let bindings = observe_bindings(cx, &name, existing.as_ref()).await?;
    match (project::plan_ending(&project, existing.as_ref(), &bindings), existing) {
        (Ending::Delete, Some(existing)) => delete_namespace(cx, &existing).await?,
        (Ending::Keep(grants), Some(existing)) => {
            release_namespace(cx, &existing, &grants).await?;
        }
        (Ending::Gone | Ending::Foreign, _) | (_, None) => {}
    }
    remove_finalizer(&cx.client, &cx.ports, &project, FINALIZER).await?;
    Ok(())
}

/// The RoleBindings of a namespace that can stay.
async fn observe_bindings(
    cx: &Context,
    name: &str,
    existing: Option<&Namespace>,
) -> Result<Vec<Arc<RoleBinding>>, kube::Error> {
    if existing.is_none_or(|existing| existing.metadata.deletion_timestamp.is_some()) {
        return Ok(vec![]);
    }
    let api = Api::<RoleBinding>::namespaced(cx.client.clone(), name);
    let list = api.list(&ListParams::default()).await?;
    Ok(list.items.into_iter().map(Arc::new).collect())
}

/// Deletes the role over the Project itself and its binding.
pub(super) async fn delete_project_role(cx: &Context, project: &str) -> Result<(), kube::Error> {
    let name = grant::project_role_name(project);
    delete_named(&Api::<ClusterRoleBinding>::all(cx.client.clone()), &name).await?;
    delete_named(&Api::<ClusterRole>::all(cx.client.clone()), &name).await
}

/// Takes the grants of the system away from a namespace and ceases to hold back its deletion.
pub(super) async fn release_namespace(
    cx: &Context,
    existing: &Namespace,
    grants: &[Arc<RoleBinding>],
) -> Result<(), kube::Error> {
    let api = Api::namespaced(cx.client.clone(), &existing.name_any());
    for grant in grants {
        delete(&api, grant.as_ref()).await?;
    }
    remove_finalizer(&cx.client, &cx.ports, existing, FINALIZER).await?;
    Ok(())
}

/// Deletes a namespace with everything in it.
pub(super) async fn delete_namespace(
    cx: &Context,
    existing: &Namespace,
) -> Result<(), kube::Error> {
    let released = remove_finalizer(&cx.client, &cx.ports, existing, FINALIZER).await?;
    match released {
        Some(left) if left.metadata.deletion_timestamp.is_none() => {
            delete(&Api::all(cx.client.clone()), &left).await
        }
        _ => Ok(()),
    }
}

async fn delete_named<K>(api: &Api<K>, name: &str) -> Result<(), kube::Error>
where
    K: Resource + Clone + std::fmt::Debug + DeserializeOwned,
{
    match api.delete(name, &DeleteParams::default()).await {
        Ok(_) => Ok(()),
        Err(error) if is_not_found(&error) => Ok(()),
        Err(error) => Err(error),
    }
}
