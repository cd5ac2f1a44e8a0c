//! What is there without a Project: namespaces made for one that was never stored, grants left
//! behind by one that is gone.

use api_kinds::Project;
use core_rules::management::{
    grant,
    project::{self, Orphan},
};
use io_kube::{Failure, Next, ObjectKey};
use kube::Api;

use super::ending::{delete_namespace, delete_project_role, release_namespace};
use crate::context::{Context, failure, replan};

pub(super) async fn reconcile(cx: &Context, name: &str) -> Result<Next, Failure> {
    let has_role = has_project_role(cx, name);
    let existing = cx.caches.namespace(name);
    let orphan = existing.as_ref().map_or(Orphan::None, |existing| {
        let bindings = cx.caches.role_bindings.in_namespace(name);
        project::plan_orphan(existing, &bindings, is_used(cx, name), cx.now())
    });
    if let Orphan::Wait(rest) = orphan {
        return Ok(Next::After(rest));
    }
    if !has_role && orphan == Orphan::None {
        return Ok(Next::Done);
    }
    // Nothing is taken away because a cache is late.
    let projects = Api::<Project>::all(cx.client.clone());
    if projects.get_opt(name).await.map_err(failure)?.is_some() {
        return Err(replan("the Project exists after all"));
    }
    if has_role {
        delete_project_role(cx, name).await.map_err(failure)?;
    }
    match (orphan, existing) {
        (Orphan::Release(grants), Some(existing)) => {
            tracing::info!(project = name, "taking back the grants of a Project that is gone");
            release_namespace(cx, &existing, &grants).await.map_err(failure)?;
        }
        (Orphan::Remove, Some(existing)) => {
            tracing::info!(project = name, "deleting the namespace of a Project that never was");
            delete_namespace(cx, &existing).await.map_err(failure)?;
        }
        _ => {}
    }
    Ok(Next::Done)
}

fn has_project_role(cx: &Context, name: &str) -> bool {
    let role = ObjectKey::cluster(grant::project_role_name(name));
    cx.caches.cluster_roles.get(&role).is_some()
        || cx.caches.cluster_role_bindings.get(&role).is_some()
}

/// Whether people put anything of theirs into a namespace.
fn is_used(cx: &Context, name: &str) -> bool {
    !cx.caches.stages.in_namespace(name).is_empty()
        || !cx.caches.warehouses.in_namespace(name).is_empty()
        || !cx.caches.project_configs.in_namespace(name).is_empty()
}
