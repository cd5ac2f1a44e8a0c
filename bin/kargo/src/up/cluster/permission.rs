//! Whether the user of the kubeconfig may do what an installation needs, asked before anything is changed.

use futures::{StreamExt, TryStreamExt, stream};
use io_kube::{AccessRequest, may_i};
use kube::Client;

use super::failure::request_failure;
use crate::exit::{Exit, Failure};

const CONCURRENCY: usize = 8;
const INSTALL: &[&str] = &["get", "create", "patch"];
const ADMISSION: &str = "admissionregistration.k8s.io";
const RBAC: &str = "rbac.authorization.k8s.io";

/// Verbs on a resource.
struct Need {
    group: &'static str,
    resource: &'static str,
    subresource: &'static str,
    verbs: &'static [&'static str],
}

const fn need(group: &'static str, resource: &'static str, verbs: &'static [&'static str]) -> Need {
    Need { group, resource, subresource: "", verbs }
}

const NEEDS: &[Need] = &[
    need("apiextensions.k8s.io", "customresourcedefinitions", INSTALL),
    need("", "namespaces", INSTALL),
    need("", "serviceaccounts", INSTALL),
    Need { subresource: "token", ..need("", "serviceaccounts", &["create"]) },
    need(RBAC, "clusterroles", INSTALL),
    need(RBAC, "clusterrolebindings", INSTALL),
    need(RBAC, "roles", INSTALL),
    need(RBAC, "rolebindings", INSTALL),
    need(ADMISSION, "mutatingwebhookconfigurations", &["get", "create", "patch", "delete"]),
    need(ADMISSION, "validatingwebhookconfigurations", &["get", "create", "patch", "delete"]),
    need("coordination.k8s.io", "leases", &["get", "create", "update"]),
];

/// Fails with everything that is missing.
pub(super) async fn check(client: &Client) -> Result<(), Failure> {
    let requests = NEEDS.iter().flat_map(|need| {
        need.verbs.iter().map(|verb| AccessRequest {
            verb: (*verb).to_owned(),
            group: need.group.to_owned(),
            resource: need.resource.to_owned(),
            subresource: need.subresource.to_owned(),
            ..AccessRequest::default()
        })
    });
    let missing: Vec<Option<String>> = stream::iter(requests)
        .map(async |request| {
            let verdict = may_i(client, &request).await;
            let verdict =
                verdict.map_err(|error| request_failure("ask for permissions", &error))?;
            Ok::<_, Failure>((!verdict.allowed).then(|| shown(&request)))
        })
        .buffered(CONCURRENCY)
        .try_collect()
        .await?;
    let missing: Vec<String> = missing.into_iter().flatten().collect();
    if missing.is_empty() {
        return Ok(());
    }
    let told = format!("the user of the kubeconfig may not {}", missing.join(", "));
    Err(Failure::new(Exit::ClusterForbids, told)
        .hint("use the kubeconfig of a cluster administrator, or have these permissions granted"))
}

/// As `kubectl auth can-i` takes it.
fn shown(request: &AccessRequest) -> String {
    let AccessRequest { verb, group, resource, subresource, .. } = request;
    let slash = if subresource.is_empty() { "" } else { "/" };
    let dot = if group.is_empty() { "" } else { "." };
    format!("{verb} {resource}{slash}{subresource}{dot}{group}")
}
