//! Our webhooks, out of the way for the time of a restore: they rename Promotions, and ask who may promote.

use std::time::Duration;

use core_rules::access::WEBHOOK_CONFIGURATION;
use io_kube::is_already_exists;
use serde_json::Value;

use super::marker::Marker;
use crate::{
    Error, Resource, content, object,
    requests::{Requests, failure},
    resource::WEBHOOK_CONFIGURATIONS,
};

/// How long an API server may go on asking.
const ECHO: Duration = Duration::from_secs(1);

/// Takes the configurations out, after the marker has them.
pub(super) async fn take_out(requests: &Requests<'_>, marker: &mut Marker) -> Result<(), Error> {
    let mut found = Vec::new();
    for resource in &WEBHOOK_CONFIGURATIONS {
        let there = requests.get(resource, "", WEBHOOK_CONFIGURATION).await;
        if let Some(there) = there.map_err(Error::api("read webhook configurations"))? {
            found.push((resource, named(resource, content::portable(resource, &there))));
        }
    }
    if found.is_empty() {
        return Ok(());
    }
    let mut kept: Vec<Value> =
        found.iter().map(|(_, configuration)| configuration.clone()).collect();
    // Those of a restore that was killed before it had taken both out.
    let is_new = |one: &Value| {
        kept.iter().all(|kept| object::text(kept, "/kind") != object::text(one, "/kind"))
    };
    let earlier: Vec<Value> =
        marker.told.webhooks.iter().filter(|one| is_new(one)).cloned().collect();
    kept.extend(earlier);
    marker.keep(requests, kept).await?;
    for (resource, _) in found {
        let deleted = requests.delete(resource, "", WEBHOOK_CONFIGURATION).await;
        deleted.map_err(|error| failure("take webhook configurations out", error))?;
    }
    requests.clock().sleep(ECHO).await;
    Ok(())
}

/// Puts back what was taken out; whether there was something.
pub(super) async fn put_back(requests: &Requests<'_>, marker: &Marker) -> Result<bool, Error> {
    for configuration in &marker.told.webhooks {
        let kind = object::text(configuration, "/kind");
        let Some(resource) = WEBHOOK_CONFIGURATIONS.iter().find(|one| one.kind == kind) else {
            continue;
        };
        match requests.create(resource, configuration).await {
            Err(error) if !is_already_exists(&error) => {
                return Err(failure("put webhook configurations back", error));
            }
            _ => {}
        }
    }
    Ok(!marker.told.webhooks.is_empty())
}

fn named(resource: &Resource, mut configuration: Value) -> Value {
    if let Value::Object(members) = &mut configuration {
        members.insert("apiVersion".to_owned(), resource.api_version().into());
        members.insert("kind".to_owned(), resource.kind.into());
    }
    configuration
}
