//! A living Project gets its namespace, its grants and its numbers.

use api_kinds::{Project, finalizer::FINALIZER};
use core_rules::management::{
    account::{self, ControllerAccount},
    grant::{self, Existing, Granting, Step},
    namespace::{self, NamespaceStep},
    project::{self, Outcome, Phase},
    statistics,
};
use io_kube::{
    Failure, Next, ObjectKey, Pass, Precondition, add_finalizer, is_already_exists, is_conflict,
    patch_status,
};
use kube::{Api, ResourceExt, api::PostParams};

use crate::{
    context::{Context, failure, replan},
    settings::ControllerGrants,
    summary::marks,
    write::{Written, apply_grant},
};

pub(super) async fn reconcile(
    cx: &Context,
    project: &Project,
    pass: &Pass,
) -> Result<Next, Failure> {
    let held = add_finalizer(&cx.client, &cx.ports, project, FINALIZER).await.map_err(failure)?;
    let Some(project) = held else { return Ok(Next::Done) };
    pass.wrote(&cx.caches.projects, &project);
    let outcome = match ensure_namespace(cx, &project, pass).await? {
        None => ensure_grants(cx, &project, pass).await?,
        Some(failed) => failed,
    };
    write_status(cx, &project, &outcome, pass).await?;
    match outcome {
        Outcome::Synced => Ok(Next::Done),
        Outcome::Unlabeled => {
            Err(Failure::Stalled { reason: project::unlabeled_message(&project.name_any()) })
        }
        Outcome::Failed(_, message) => Err(Failure::transient(message)),
    }
}

/// Sees to the namespace; says why the rest cannot be done, if so.
async fn ensure_namespace(
    cx: &Context,
    project: &Project,
    pass: &Pass,
) -> Result<Option<Outcome>, Failure> {
    let name = project.name_any();
    let existing = cx.caches.namespace(&name);
    let written = match namespace::plan_namespace(&name, existing.as_deref()) {
        NamespaceStep::Keep => return Ok(None),
        NamespaceStep::Unlabeled => return Ok(Some(Outcome::Unlabeled)),
        NamespaceStep::Terminating => {
            let message = format!("namespace {name:?} is still being terminated");
            return Ok(Some(Outcome::Failed(Phase::Namespace, message)));
        }
        NamespaceStep::Adopt => {
            let Some(existing) = existing else { return Err(replan("namespace is gone")) };
            let held = add_finalizer(&cx.client, &cx.ports, existing.as_ref(), FINALIZER).await;
            held.transpose().ok_or_else(|| replan("namespace is gone"))?
        }
        NamespaceStep::Create(new) => {
            Api::all(cx.client.clone()).create(&PostParams::default(), new.as_ref()).await
        }
    };
    match written {
        Ok(written) => {
            pass.wrote(&cx.caches.namespaces, &written);
            Ok(None)
        }
        Err(error) if is_already_exists(&error) => Err(replan("namespace appeared")),
        Err(error) => failed(Phase::Namespace, error).map(Some),
    }
}

/// Makes the grants what they should be. The first phase that fails ends the pass, as those after
/// it would be of no use.
async fn ensure_grants(cx: &Context, project: &Project, pass: &Pass) -> Result<Outcome, Failure> {
    let name = project.name_any();
    for Step { phase, writes } in plan(cx, project) {
        for write in &writes {
            match apply_grant(cx, pass, &name, write).await {
                Ok(Written::AsPlanned) => {}
                // The cache is behind: it will show the object and wake this Project.
                Ok(Written::Occupied) => tracing::debug!(project = name, "grant was there"),
                Err(error) => return failed(phase, error),
            }
        }
    }
    Ok(Outcome::Synced)
}

fn plan(cx: &Context, project: &Project) -> Vec<Step> {
    let accounts = cx.caches.service_accounts.in_namespace(&cx.settings.kargo_namespace);
    let accounts: Vec<ControllerAccount> =
        accounts.iter().filter_map(|found| account::controller_account(found)).collect();
    let name = project.name_any();
    let selected = match cx.settings.controller_grants {
        ControllerGrants::Unmanaged => None,
        ControllerGrants::EveryProject => Some(account::select_controllers(&accounts, None)),
        ControllerGrants::PerShard => {
            let warehouses = marks(&cx.caches.warehouses, &name);
            let shards = statistics::shards(&warehouses, &marks(&cx.caches.stages, &name));
            Some(account::select_controllers(&accounts, Some(&shards)))
        }
    };
    let installation = &cx.settings.kargo_namespace;
    let cfg = Granting { installation, controllers: selected.as_deref() };
    grant::plan_grants(project, &observe(cx, &name), &cfg)
}

fn observe(cx: &Context, project: &str) -> Existing {
    let role = ObjectKey::cluster(grant::project_role_name(project));
    Existing {
        service_accounts: cx.caches.service_accounts.in_namespace(project),
        roles: cx.caches.roles.in_namespace(project),
        role_bindings: cx.caches.role_bindings.in_namespace(project),
        cluster_role: cx.caches.cluster_roles.get(&role),
        cluster_role_binding: cx.caches.cluster_role_bindings.get(&role),
    }
}

async fn write_status(
    cx: &Context,
    project: &Project,
    outcome: &Outcome,
    pass: &Pass,
) -> Result<(), Failure> {
    let name = project.name_any();
    let warehouses = marks(&cx.caches.warehouses, &name);
    let stats = statistics::count(&warehouses, &marks(&cx.caches.stages, &name));
    let status = project::plan_status(project, outcome, stats, cx.now());
    let new = Project { status, ..project.clone() };
    let written = patch_status(&cx.client, project, &new, Precondition::Version).await;
    if let Some(written) = written.map_err(failure)? {
        pass.wrote(&cx.caches.projects, &written);
    }
    Ok(())
}

/// A failed request as the outcome of its phase; a conflict only means to plan again.
fn failed(phase: Phase, error: kube::Error) -> Result<Outcome, Failure> {
    if is_conflict(&error) {
        return Err(failure(error));
    }
    Ok(Outcome::Failed(phase, error.to_string()))
}
