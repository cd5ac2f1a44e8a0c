//! ServiceAccounts of controllers. What they are granted is decided Project by Project; here only
//! their own life is seen to.

use std::time::Duration;

use api_kinds::finalizer::FINALIZER;
use core_rules::management::account::{AccountStep, plan_account};
use io_kube::{Failure, Next, ObjectKey, Pass, add_finalizer, remove_finalizer};
use kube::ResourceExt;

use crate::context::{Cx, failure};

/// The Projects tell when a grant is gone; this is for the case that one of them keeps failing.
const LOOK_AGAIN: Duration = Duration::from_secs(5);

/// One pass over the ServiceAccount of this name in the installation's namespace.
pub(crate) async fn reconcile(cx: Cx, name: String, pass: Pass) -> Result<Next, Failure> {
    let key = ObjectKey::new(&cx.settings.kargo_namespace, &name);
    let Some(account) = cx.caches.service_accounts.get(&key) else { return Ok(Next::Done) };
    let mut remaining = cx.caches.bindings_by_controller.get(&name);
    let in_project = |ns: Option<String>| ns.is_some_and(|ns| cx.caches.is_project_namespace(&ns));
    remaining.retain(|binding| in_project(binding.namespace()));
    let written = match plan_account(&account, remaining.len()) {
        AccountStep::Nothing => return Ok(Next::Done),
        AccountStep::AwaitGrants => {
            for binding in remaining {
                cx.queues.projects.add(binding.namespace().unwrap_or_default());
            }
            return Ok(Next::After(LOOK_AGAIN));
        }
        AccountStep::Enrol => {
            tracing::info!(account = name, "controller enrolled");
            add_finalizer(&cx.client, &cx.ports, &*account, FINALIZER).await
        }
        AccountStep::Release => {
            tracing::info!(account = name, "controller dismissed");
            remove_finalizer(&cx.client, &cx.ports, &*account, FINALIZER).await
        }
    };
    if let Some(written) = written.map_err(failure)? {
        pass.wrote(&cx.caches.service_accounts, &written);
    }
    Ok(Next::Done)
}
