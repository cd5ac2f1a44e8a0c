//! Shared Secrets and ConfigMaps are copied into Projects; the two controllers are the same.

use std::{collections::BTreeSet, time::Duration};

use api_kinds::finalizer::FINALIZER;
use core_rules::management::{
    change::Change,
    namespace,
    replication::{self, Places, SourceStep},
};
use io_kube::{Failure, Next, ObjectKey, Pass, add_finalizer, remove_finalizer};
use k8s_openapi::api::core::v1::Namespace;
use kube::{Api, ResourceExt};

use crate::{
    cache::{Shared, SharedKind},
    context::{Context, failure, replan},
    write::{Written, apply},
};

/// When to look whether a name that somebody else uses is free.
const LOOK_AGAIN: Duration = Duration::from_mins(5);

/// One pass over the shared resource of this name.
pub(crate) async fn reconcile<T: SharedKind>(
    cx: &Context,
    shared: &Shared<T>,
    name: &str,
    pass: &Pass,
) -> Result<Next, Failure> {
    let copies = shared.copies_by_source.get(name);
    let (projects, project_namespaces) = observe_places(cx);
    let places = Places { projects: &projects, project_namespaces: &project_namespaces };
    let key = ObjectKey::new(&cx.settings.shared_resources_namespace, name);
    let Some(source) = shared.sources.get(&key) else {
        let withdrawn = replication::plan_withdrawal(name, &copies, &places);
        if !withdrawn.is_empty() {
            refuse_late_cache::<T>(cx, name).await?;
        }
        apply_all(cx, shared, &withdrawn, pass).await?;
        return Ok(Next::Done);
    };
    match replication::plan_replication(source.as_ref(), &copies, &places, cx.now()) {
        SourceStep::Hold => {
            let held = add_finalizer(&cx.client, &cx.ports, source.as_ref(), FINALIZER).await;
            if let Some(written) = held.map_err(failure)? {
                pass.wrote(&shared.sources, &written);
            }
            Ok(Next::Now)
        }
        SourceStep::Write(changes) => match apply_all(cx, shared, &changes, pass).await? {
            Written::AsPlanned => Ok(Next::Done),
            Written::Occupied => Ok(Next::After(LOOK_AGAIN)),
        },
        SourceStep::Withdraw(changes) => {
            apply_all(cx, shared, &changes, pass).await?;
            let released = remove_finalizer(&cx.client, &cx.ports, source.as_ref(), FINALIZER);
            if let Some(written) = released.await.map_err(failure)? {
                pass.wrote(&shared.sources, &written);
            }
            Ok(Next::Done)
        }
    }
}

/// The Projects that can take copies, and the namespaces in which copies are ours.
fn observe_places(cx: &Context) -> (BTreeSet<String>, BTreeSet<String>) {
    let namespaces = cx.caches.namespaces.list();
    let labeled: Vec<_> =
        namespaces.iter().filter(|found| namespace::is_project_namespace(found)).collect();
    let is_alive = |name: &str| {
        let project = cx.caches.project(name);
        project.is_some_and(|project| project.metadata.deletion_timestamp.is_none())
    };
    let projects = labeled
        .iter()
        .filter(|found| found.metadata.deletion_timestamp.is_none())
        .map(|found| found.name_any())
        .filter(|name| is_alive(name))
        .collect();
    (projects, labeled.iter().map(|found| found.name_any()).collect())
}

/// Fails when a source that the cache does not show exists after all.
async fn refuse_late_cache<T: SharedKind>(cx: &Context, name: &str) -> Result<(), Failure> {
    let api = Api::<T>::namespaced(cx.client.clone(), &cx.settings.shared_resources_namespace);
    match api.get_opt(name).await.map_err(failure)? {
        Some(_) => Err(replan("the source exists after all")),
        None => Ok(()),
    }
}

/// Fails when a namespace that the cache takes for a Project's is somebody else's by now: a copy there
/// would be nobody's to take back, and may be a secret.
async fn refuse_stranger(cx: &Context, name: &str) -> Result<(), Failure> {
    let namespaces = Api::<Namespace>::all(cx.client.clone());
    let found = namespaces.get_opt(name).await.map_err(failure)?;
    let is_ours = found.is_some_and(|found| namespace::is_project_namespace(&found));
    if is_ours { Ok(()) } else { Err(replan("the namespace is no longer a Project's")) }
}

/// Makes every change it can; one Project that refuses does not keep the others from theirs.
async fn apply_all<T: SharedKind>(
    cx: &Context,
    shared: &Shared<T>,
    changes: &[Change<T>],
    pass: &Pass,
) -> Result<Written, Failure> {
    let mut outcome = Written::AsPlanned;
    let mut first_error = None;
    for change in changes {
        let namespace = target(change).meta().namespace.as_deref().unwrap_or_default();
        match apply_one(cx, shared, change, namespace, pass).await {
            Ok(Written::AsPlanned) => {}
            Ok(Written::Occupied) => {
                let name = target(change).name_any();
                tracing::warn!(project = namespace, name, "not copied: somebody else's object");
                outcome = Written::Occupied;
            }
            Err(error) => {
                tracing::debug!(project = namespace, %error, "copy not written");
                first_error.get_or_insert(error);
            }
        }
    }
    first_error.map_or(Ok(outcome), Err)
}

async fn apply_one<T: SharedKind>(
    cx: &Context,
    shared: &Shared<T>,
    change: &Change<T>,
    namespace: &str,
    pass: &Pass,
) -> Result<Written, Failure> {
    if matches!(change, Change::Create(_)) {
        refuse_stranger(cx, namespace).await?;
    }
    let api = Api::<T>::namespaced(cx.client.clone(), namespace);
    apply(cx, pass, &api, &shared.copies, change).await.map_err(failure)
}

fn target<T>(change: &Change<T>) -> &T {
    match change {
        Change::Create(object) | Change::Replace(object) | Change::Delete(object) => object,
        Change::Update(update) => &update.to,
    }
}
