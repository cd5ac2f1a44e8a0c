//! What must be in the cluster before any component starts.

use std::time::Duration;

use core_clock::Clock;
use core_rules::access;
use futures::{StreamExt, TryStreamExt, stream};
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kube::{Api, Client};
use serde_json::Value;

use super::{
    apply::{Applied, apply},
    failure::request_failure,
};
use crate::{
    exit::{Exit, Failure},
    up::installation::Installation,
};

/// How many requests are under way at once.
const CONCURRENCY: usize = 8;
/// How long a new kind may take to be served.
const ESTABLISHING: Duration = Duration::from_secs(30);
const PAUSE: Duration = Duration::from_millis(100);

/// How many objects were put in place and brought into line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Summary {
    pub(super) created: usize,
    pub(super) changed: usize,
}

/// The namespaces of the installation.
pub(super) async fn namespaces(
    client: &Client,
    installation: &Installation,
) -> Result<Summary, Failure> {
    apply_all(client, access::namespaces(&installation.options)).await
}

/// Kinds, ServiceAccounts, roles and bindings.
pub(super) async fn objects(
    client: &Client,
    installation: &Installation,
    clock: &dyn Clock,
) -> Result<Summary, Failure> {
    // A binding is only allowed to those who have what the role allows, so the API server must know the role.
    let (bindings, others): (Vec<Value>, Vec<Value>) =
        access::objects(&installation.options).into_iter().partition(is_binding);
    let first = [api_kinds::crd::crds(), others].concat();
    let summaries = [apply_all(client, first).await?, apply_all(client, bindings).await?];
    await_kinds(client, clock).await?;
    Ok(summaries.into_iter().fold(Summary::default(), Summary::plus))
}

impl Summary {
    pub(super) fn plus(self, other: Self) -> Self {
        Self { created: self.created + other.created, changed: self.changed + other.changed }
    }

    fn count(applied: Applied) -> Self {
        match applied {
            Applied::Created => Self { created: 1, changed: 0 },
            Applied::Changed => Self { created: 0, changed: 1 },
            Applied::Unchanged => Self::default(),
        }
    }
}

fn is_binding(object: &Value) -> bool {
    object.get("kind").and_then(Value::as_str).is_some_and(|kind| kind.ends_with("Binding"))
}

async fn apply_all(client: &Client, objects: Vec<Value>) -> Result<Summary, Failure> {
    stream::iter(objects)
        .map(async |object| apply(client, &object).await.map(Summary::count))
        .buffer_unordered(CONCURRENCY)
        .try_fold(Summary::default(), async |sum, one| Ok(sum.plus(one)))
        .await
}

/// Waits until the API server serves every kind.
async fn await_kinds(client: &Client, clock: &dyn Clock) -> Result<(), Failure> {
    let api: Api<CustomResourceDefinition> = Api::all(client.clone());
    let deadline = clock.monotonic() + ESTABLISHING;
    for kind in api_kinds::crd::crds() {
        let name = kind.pointer("/metadata/name").and_then(Value::as_str).unwrap_or_default();
        loop {
            let found = api.get(name).await;
            if is_established(&found.map_err(|error| request_failure("read kinds", &error))?) {
                break;
            }
            if clock.monotonic() >= deadline {
                let late = format!("CustomResourceDefinition {name:?} is not established");
                return Err(Failure::new(Exit::Error, late)
                    .hint(format!("`kubectl describe crd {name}` shows why")));
            }
            clock.sleep(PAUSE).await;
        }
    }
    Ok(())
}

fn is_established(definition: &CustomResourceDefinition) -> bool {
    let conditions = definition.status.as_ref().and_then(|status| status.conditions.as_ref());
    conditions.into_iter().flatten().any(|one| one.type_ == "Established" && one.status == "True")
}
