//! Each component works under its own ServiceAccount, on tokens that are renewed.

use anyhow::{Context, Result, ensure};
use core_rules::access::{self, Options};
use dev_testkit::eventually;
use serde_json::{Value, json};

use crate::world::{PATIENCE, World, stop};

const ACCOUNTS: &str = "/api/v1/namespaces/kargo/serviceaccounts";
const MANAGEMENT: &str = "kargo-management-controller";
const BINDINGS: &str = "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings";

/// The management controller goes on when its token is due, and when its token is no longer taken.
pub(crate) async fn renewed(world: &World) -> Result<()> {
    let kargo = world.up(&["--token-renewal-seconds", "2"]).await?;
    let before = given(world).await?;
    // It renews its Lease every two seconds, each time with a token that is due.
    let is_renewed = async || Ok(given(world).await? >= before + 2);
    eventually(PATIENCE, "tokens are renewed", is_renewed).await?;
    stop(kargo).await?;
    let kargo = world.up(&[]).await?;
    world.ready_project("before-revocation").await?;
    let before = given(world).await?;
    let account = installed("ServiceAccount", MANAGEMENT)?;
    world.client.delete(&format!("{ACCOUNTS}/{MANAGEMENT}")).await?;
    world.client.create(ACCOUNTS, &account).await?;
    // kube-apiserver believes a token for up to ten seconds more.
    let is_replaced = async || Ok(given(world).await? > before);
    eventually(PATIENCE, "the revoked token is replaced", is_replaced).await?;
    world.ready_project("after-revocation").await?;
    stop(kargo).await
}

/// Without the binding of its own ServiceAccount the management controller can do nothing, whoever started it.
pub(crate) async fn own_identity(world: &World) -> Result<()> {
    let kargo = world.up(&[]).await?;
    world.client.delete(&format!("{BINDINGS}/{MANAGEMENT}")).await?;
    let reply = world.create_project("without-rights").await?;
    ensure!(reply.status.is_success(), "{}", reply.text());
    tokio::time::sleep(std::time::Duration::from_secs(2)).await;
    ensure!(!world.is_ready("without-rights").await?, "it works with the rights of somebody else");
    world.client.create(BINDINGS, &installed("ClusterRoleBinding", MANAGEMENT)?).await?;
    world.await_ready("without-rights").await?;
    stop(kargo).await
}

/// An object of the installation.
fn installed(kind: &str, name: &str) -> Result<Value> {
    let is_it = |object: &Value| object["kind"] == kind && object["metadata"]["name"] == name;
    let objects = access::objects(&Options::default());
    let mut object =
        objects.into_iter().find(is_it).with_context(|| format!("no {kind} {name}"))?;
    object["metadata"]["resourceVersion"] = json!(null);
    Ok(object)
}

/// How many tokens kube-apiserver has given out.
async fn given(world: &World) -> Result<u64> {
    let metrics = world.client.get("/metrics").await?.text();
    let is_token = |line: &&str| {
        line.starts_with("apiserver_request_total{")
            && line.contains(r#"resource="serviceaccounts""#)
            && line.contains(r#"subresource="token""#)
    };
    let value = |line: &str| line.rsplit_once(' ').and_then(|(_, value)| value.parse::<u64>().ok());
    Ok(metrics.lines().filter(is_token).filter_map(value).sum())
}
