//! Which kinds the Kubernetes API serves, and how they are reached.

use std::{sync::Arc, time::Duration};

use core_rules::access::role;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::APIResource;
use kube::Client;

use crate::{
    api_error::{ApiError, ApiResult},
    caller::is_segment,
    expiring::Expiring,
};

/// How long an answer counts; a kind that was just installed is served at once where it was not known.
const KNOWN: Duration = Duration::from_mins(1);
const MAX_KNOWN: usize = 1_000;

/// What is known of the kinds of the cluster.
pub(crate) struct Discovery {
    client: Client,
    known: Expiring<String, Arc<Vec<APIResource>>>,
}

/// How a kind is reached.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Served {
    pub(crate) plural: String,
    pub(crate) is_namespaced: bool,
}

impl Discovery {
    pub(crate) fn new(client: Client) -> Self {
        Self { client, known: Expiring::new(MAX_KNOWN) }
    }

    /// How a kind is reached; refused when nobody serves it.
    pub(crate) async fn find(
        &self,
        api_version: &str,
        kind: &str,
        now: Duration,
    ) -> ApiResult<Served> {
        let known = self.known.get(&api_version.to_owned(), now);
        if let Some(served) = known.and_then(|resources| named(&resources, kind)) {
            return Ok(served);
        }
        let resources = Arc::new(self.fetch(api_version).await?);
        self.known.put(api_version.to_owned(), resources.clone(), now + KNOWN);
        named(&resources, kind).ok_or_else(|| unknown(api_version, kind))
    }

    /// The groups that serve each resource, by its plural.
    pub(crate) async fn resources(&self) -> ApiResult<role::Discovery> {
        let mut served = role::Discovery::new();
        let mut add = |group: &str, resources: &[APIResource]| {
            for resource in resources.iter().filter(|resource| !resource.name.contains('/')) {
                served.entry(resource.name.clone()).or_default().insert(group.to_owned());
            }
        };
        add("", &self.fetch("v1").await?);
        for group in self.client.list_api_groups().await?.groups {
            let version = group.preferred_version.or_else(|| group.versions.into_iter().next());
            if let Some(version) = version {
                add(&group.name, &self.fetch(&version.group_version).await?);
            }
        }
        Ok(served)
    }

    async fn fetch(&self, api_version: &str) -> ApiResult<Vec<APIResource>> {
        if !is_api_version(api_version) {
            return Ok(Vec::new());
        }
        let listed = match api_version.split_once('/') {
            None => self.client.list_core_api_resources(api_version).await,
            Some(_) => self.client.list_api_group_resources(api_version).await,
        };
        match listed {
            Ok(list) => Ok(list.resources),
            Err(error) if io_kube::status_code(&error) == Some(404) => Ok(Vec::new()),
            Err(error) => Err(error.into()),
        }
    }
}

/// Whether it is a version, perhaps behind a group, and leads nowhere else.
fn is_api_version(text: &str) -> bool {
    text.split('/').count() <= 2 && text.split('/').all(is_segment)
}

fn named(resources: &[APIResource], kind: &str) -> Option<Served> {
    let found = resources.iter().find(|one| one.kind == kind && !one.name.contains('/'))?;
    Some(Served { plural: found.name.clone(), is_namespaced: found.namespaced })
}

fn unknown(api_version: &str, kind: &str) -> ApiError {
    ApiError::bad_request(format!("no matches for kind {kind:?} in version {api_version:?}"))
}

#[cfg(test)]
mod tests {
    use super::is_api_version;

    #[test]
    fn what_is_no_version_is_not_asked_for() {
        for version in ["v1", "kargo.akuity.io/v1alpha1"] {
            assert!(is_api_version(version), "{version}");
        }
        for text in ["", "/", "a/", "/v1", "a/b/c", "../v1", "v1?x", "a/..", "é"] {
            assert!(!is_api_version(text), "{text}");
        }
    }
}
