//! Namespaces: one that is deleted takes its Project along.

use api_kinds::{Project, finalizer::FINALIZER};
use core_rules::management::namespace::{NamespaceDuty, plan_duty};
use io_kube::{Failure, Next, Pass, Precondition, is_not_found, patch_object, remove_finalizer};
use k8s_openapi::api::core::v1::Namespace;
use kube::{Api, ResourceExt, api::DeleteParams};

use crate::context::{Context, Cx, failure};

/// One pass over the namespace of this name.
pub(crate) async fn reconcile(cx: Cx, name: String, pass: Pass) -> Result<Next, Failure> {
    let Some(existing) = cx.caches.namespace(&name) else { return Ok(Next::Done) };
    match plan_duty(&existing) {
        NamespaceDuty::None => {}
        NamespaceDuty::Disown(owners) => {
            let mut new = Namespace::clone(&existing);
            new.metadata.owner_references = Some(owners).filter(|owners| !owners.is_empty());
            let patched = patch_object(&cx.client, &*existing, &new, Precondition::Version).await;
            if let Some(written) = patched.map_err(failure)? {
                pass.wrote(&cx.caches.namespaces, &written);
            }
        }
        NamespaceDuty::DeleteProject => follow(&cx, &existing).await.map_err(failure)?,
    }
    Ok(Next::Done)
}

/// Deletes the Project of a namespace that is being deleted. Whether it still is, the server says:
/// a new Project of the same name must not go with the namespace of an old one.
async fn follow(cx: &Context, seen: &Namespace) -> Result<(), kube::Error> {
    let name = seen.name_any();
    let current = Api::<Namespace>::all(cx.client.clone()).get_opt(&name).await?;
    let is_leaving = |current: &Namespace| {
        let is_same = current.metadata.uid == seen.metadata.uid;
        is_same && plan_duty(current) == NamespaceDuty::DeleteProject
    };
    let Some(current) = current.filter(is_leaving) else { return Ok(()) };
    delete_project(cx, &name).await?;
    remove_finalizer(&cx.client, &cx.ports, &current, FINALIZER).await?;
    Ok(())
}

async fn delete_project(cx: &Context, name: &str) -> Result<(), kube::Error> {
    let projects = Api::<Project>::all(cx.client.clone());
    match projects.delete(name, &DeleteParams::default()).await {
        Ok(_) => {
            tracing::info!(project = name, "deleted with its namespace");
            Ok(())
        }
        Err(error) if is_not_found(&error) => Ok(()),
        Err(error) => Err(error),
    }
}
