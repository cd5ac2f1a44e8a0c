//! The kinds that must be served before there can be objects of them.

use std::time::Duration;

use io_kube::{is_already_exists, status_code};
use kube::api::ListParams;
use serde_json::Value;

use crate::{
    Collection, Error, Resource, object,
    requests::{Requests, failure},
    resource::DEFINITIONS,
};

/// How long a new kind may take to be served.
const ESTABLISHING: Duration = Duration::from_secs(30);
const PAUSE: Duration = Duration::from_millis(100);

/// Why an object of a kind that is not served is lost.
pub(super) const NOT_SERVED: &str = "the target does not serve its kind: install Argo Rollouts there, or pass --install-analysis-kinds";

/// Which kinds are served.
pub(super) struct Served {
    missing: Vec<Resource>,
}

impl Served {
    pub(super) fn is_served(&self, resource: &Resource) -> bool {
        !self.missing.contains(resource)
    }
}

/// Installs the kinds that are missing. Those of analysis belong to Argo Rollouts, which may come later and bring its own:
/// they are installed on request only.
pub(super) async fn install(
    requests: &Requests<'_>,
    expected: &Collection,
    with_analysis: bool,
) -> Result<Served, Error> {
    for definition in api_kinds::crd::crds() {
        create(requests, &definition).await?;
    }
    let filled = expected.by_resource().filter(|(_, objects)| !objects.is_empty());
    let filled: Vec<&Resource> = filled.map(|(resource, _)| resource).collect();
    let mut missing = Vec::new();
    for resource in filled.iter().filter(|one| one.is_analysis()) {
        if !is_served(requests, resource).await? {
            missing.push(**resource);
        }
    }
    if with_analysis && !missing.is_empty() {
        missing.clear();
        for definition in api_analysis::crds() {
            create(requests, &definition).await?;
        }
    }
    for resource in filled.into_iter().filter(|one| !missing.contains(one)) {
        await_served(requests, resource).await?;
    }
    Ok(Served { missing })
}

async fn create(requests: &Requests<'_>, definition: &Value) -> Result<(), Error> {
    let name = object::name(definition);
    let there = requests.get(&DEFINITIONS, "", name).await;
    if there.map_err(Error::api(format!("read kind {name}")))?.is_some() {
        return Ok(());
    }
    match requests.create(&DEFINITIONS, definition).await {
        Err(error) if is_already_exists(&error) => Ok(()),
        created => {
            created.map(drop).map_err(|error| failure(format!("install kind {name}"), error))
        }
    }
}

async fn is_served(requests: &Requests<'_>, resource: &Resource) -> Result<bool, Error> {
    match requests.list(resource, "", &ListParams::default().limit(1)).await {
        Ok(_) => Ok(true),
        Err(error) if status_code(&error) == Some(404) => Ok(false),
        Err(error) => Err(Error::api(format!("list {}", resource.full_name()))(error)),
    }
}

async fn await_served(requests: &Requests<'_>, resource: &Resource) -> Result<(), Error> {
    let clock = requests.clock();
    let deadline = clock.monotonic() + ESTABLISHING;
    while !is_served(requests, resource).await? {
        if clock.monotonic() >= deadline {
            return Err(Error::NotServed(resource.full_name(), ESTABLISHING.as_secs()));
        }
        clock.sleep(PAUSE).await;
    }
    Ok(())
}
