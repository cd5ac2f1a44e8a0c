//! Whether the caller may write everything that a collection holds.

use futures::{StreamExt, TryStreamExt, stream};
use io_kube::{AccessRequest, may_i};
use kube::Client;

use crate::{
    Collection, Error, Resource,
    resource::{CONFIG_MAPS, DEFINITIONS, LEASES, NAMESPACES, WEBHOOK_CONFIGURATIONS},
};

const CONCURRENCY: usize = 8;
const WRITE: &[&str] = &["get", "create", "update", "patch"];

/// Fails with everything that is missing.
pub(super) async fn check(client: &Client, collection: &Collection) -> Result<(), Error> {
    let missing: Vec<Option<String>> = stream::iter(needs(collection))
        .map(async |request| {
            let verdict = may_i(client, &request).await;
            let verdict = verdict.map_err(Error::api("ask for permissions"))?;
            Ok::<_, Error>((!verdict.allowed).then(|| shown(&request)))
        })
        .buffered(CONCURRENCY)
        .try_collect()
        .await?;
    let missing: Vec<String> = missing.into_iter().flatten().collect();
    if missing.is_empty() { Ok(()) } else { Err(Error::Forbidden(missing)) }
}

fn needs(collection: &Collection) -> Vec<AccessRequest> {
    let filled = collection.by_resource().filter(|(_, objects)| !objects.is_empty());
    let mut needs: Vec<AccessRequest> = filled
        .flat_map(|(resource, _)| {
            let status = resource.is_ours().then(|| need(resource, "status", "update"));
            WRITE.iter().map(|verb| need(resource, "", verb)).chain(status)
        })
        .collect();
    let webhooks = WEBHOOK_CONFIGURATIONS
        .iter()
        .flat_map(|one| ["get", "create", "delete"].into_iter().map(|verb| need(one, "", verb)));
    needs.extend(webhooks);
    needs.extend(["get", "create"].map(|verb| need(&DEFINITIONS, "", verb)));
    needs.extend(["get", "create", "patch"].map(|verb| need(&CONFIG_MAPS, "", verb)));
    needs.extend([need(&NAMESPACES, "", "create"), need(&LEASES, "", "list")]);
    needs.sort();
    needs.dedup();
    needs
}

fn need(resource: &Resource, subresource: &str, verb: &str) -> AccessRequest {
    AccessRequest {
        verb: verb.to_owned(),
        group: resource.group.to_owned(),
        resource: resource.plural.to_owned(),
        subresource: subresource.to_owned(),
        ..AccessRequest::default()
    }
}

/// As `kubectl auth can-i` takes it.
fn shown(request: &AccessRequest) -> String {
    let AccessRequest { verb, group, resource, subresource, .. } = request;
    let slash = if subresource.is_empty() { "" } else { "/" };
    let dot = if group.is_empty() { "" } else { "." };
    format!("{verb} {resource}{slash}{subresource}{dot}{group}")
}
