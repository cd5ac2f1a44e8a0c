//! Artifacts that a Warehouse found: the best one of each subscription.

use api_kinds::warehouse::DiscoveredArtifacts;
use core_pattern::{normalize_chart, normalize_git, normalize_image};

use crate::builtin::Arguments;
use crate::error::Trouble;
use crate::library::{HostFunction, object};
use crate::scope::Host;
use crate::value::Value;

pub(super) fn call(
    function: HostFunction,
    arguments: &Arguments<'_>,
    host: Host<'_>,
) -> Result<Value, Trouble> {
    let Host::Discovered(artifacts) = host else {
        return Err(Trouble::from("there are no discovered artifacts here"));
    };
    let address = arguments.text(0)?.to_str();
    let found = match function {
        HostFunction::DiscoveredCommit => commit(artifacts, &address),
        HostFunction::DiscoveredImage => image(artifacts, &address),
        HostFunction::DiscoveredChart => {
            let name = arguments.optional_text(1)?.map(|name| name.to_str().into_owned());
            chart(artifacts, &address, name.as_deref().unwrap_or_default())
        }
        _ => artifact(artifacts, &address),
    };
    Ok(found.unwrap_or(Value::NIL))
}

fn commit(artifacts: &DiscoveredArtifacts, address: &str) -> Option<Value> {
    let wanted = normalize_git(address);
    let results = artifacts.git.iter().filter(|result| normalize_git(&result.repo_url) == wanted);
    results.into_iter().find_map(|result| result.commits.first()).map(object::discovered_commit)
}

fn image(artifacts: &DiscoveredArtifacts, address: &str) -> Option<Value> {
    let wanted = normalize_image(address);
    let results =
        artifacts.images.iter().filter(|result| normalize_image(&result.repo_url) == wanted);
    results.into_iter().find_map(|result| result.references.first()).map(object::discovered_image)
}

fn chart(artifacts: &DiscoveredArtifacts, address: &str, name: &str) -> Option<Value> {
    let wanted = normalize_chart(address);
    let is_wanted = |result: &&api_kinds::warehouse::ChartDiscoveryResult| {
        normalize_chart(&result.repo_url) == wanted && (name.is_empty() || result.name == name)
    };
    artifacts.charts.iter().filter(is_wanted).find_map(|result| {
        let version = result.versions.first()?;
        Some(object::discovered_chart(&wanted, &result.name, version))
    })
}

/// Of several results under one name the last one counts.
fn artifact(artifacts: &DiscoveredArtifacts, name: &str) -> Option<Value> {
    let results = artifacts.results.iter().filter(|result| result.name == name);
    let first = results.filter_map(|result| result.artifact_references.first()).next_back();
    first.map(object::artifact)
}
