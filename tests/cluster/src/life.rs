//! What a user does with an installation that works.

use std::time::Duration;

use anyhow::{Result, ensure};
use dev_testkit::eventually;
use serde_json::{Value, json};

use crate::world::{ADMISSION, KARGO, PATIENCE, World, ensure_refused, stop};

const LEASE: &str = "/apis/coordination.k8s.io/v1/namespaces/kargo/leases/kargo-up";
/// That the objects of no shard are served, and who serves them.
const HEARTBEAT: &str =
    "/apis/coordination.k8s.io/v1/namespaces/kargo/leases/kargo-controller-unnamed";
const LEADER: &str =
    "/apis/coordination.k8s.io/v1/namespaces/kargo/leases/kargo-controller-unnamed-leader";

/// From an empty cluster to a Project with its namespace, its roles and its admission.
pub(crate) async fn projects(world: &World) -> Result<()> {
    let kargo = world.up(&[]).await?;
    world.ready_project("first").await?;
    let project = world.client.read(&format!("{KARGO}/projects/first")).await?;
    let creator = &project["metadata"]["annotations"]["kargo.akuity.io/create-actor"];
    ensure!(creator == "kubernetes:admin", "the creator is {creator}");
    let namespace = world.client.read("/api/v1/namespaces/first").await?;
    ensure!(namespace["metadata"]["labels"]["kargo.akuity.io/project"] == "true", "{namespace}");
    let rbac = "/apis/rbac.authorization.k8s.io/v1/namespaces/first";
    for name in ["kargo-admin", "kargo-viewer", "kargo-promoter"] {
        world.client.read(&format!("{rbac}/roles/{name}")).await?;
    }
    world.client.read(&format!("{rbac}/rolebindings/kargo-controller-read-secrets")).await?;
    let refused = world.create(&format!("{KARGO}/namespaces/first/stages"), &bad_stage()).await?;
    let said = refused.text();
    ensure!(refused.status == 422, "{}: {said}", refused.status);
    ensure!(
        said.contains("stage.kargo.akuity.io") && said.contains("denied the request"),
        "{said}"
    );
    let beats = async || Ok(world.client.read(HEARTBEAT).await.is_ok());
    eventually(PATIENCE, "the controller beats", beats).await?;
    stop(kargo).await?;
    world.ensure_no_webhooks().await?;
    for path in [LEASE, LEADER] {
        let lease = world.client.read(path).await?;
        ensure!(lease["spec"]["holderIdentity"].as_str().unwrap_or_default().is_empty(), "{lease}");
    }
    ensure!(
        world.client.read(HEARTBEAT).await.is_err(),
        "a controller that stopped counts as alive"
    );
    Ok(())
}

/// The same origin twice, which the schema cannot know.
fn bad_stage() -> Value {
    let request =
        json!({"origin": {"kind": "Warehouse", "name": "w"}, "sources": {"direct": true}});
    json!({
        "apiVersion": "kargo.akuity.io/v1alpha1", "kind": "Stage", "metadata": {"name": "bad"},
        "spec": {"requestedFreight": [request.clone(), request]},
    })
}

/// Two processes would take the webhooks from each other.
pub(crate) async fn second(world: &World) -> Result<()> {
    let kargo = world.up(&[]).await?;
    let path = format!("{ADMISSION}/mutatingwebhookconfigurations/kargo");
    let before = world.client.read(&path).await?;
    let output = world.up_to_end(&[]).await?;
    ensure_refused(&output, 27, &["another kargo up works on this cluster: "])?;
    let after = world.client.read(&path).await?;
    ensure!(before["webhooks"] == after["webhooks"], "the registration changed");
    world.ready_project("second").await?;
    stop(kargo).await
}

/// Another process has the Lease and renews it, as after a long sleep of this machine.
pub(crate) async fn taken_over(world: &World) -> Result<()> {
    let mut kargo = world.up(&[]).await?;
    let mut seconds = 0;
    let code = loop {
        let renewed = format!("2030-01-01T00:00:{seconds:02}.000000Z");
        let theirs = json!({"spec": {"holderIdentity": "another", "renewTime": renewed}});
        world.client.merge(LEASE, &theirs).await?;
        tokio::time::sleep(Duration::from_secs(1)).await;
        if let Some(code) = kargo.has_ended()? {
            break code;
        }
        seconds += 1;
        ensure!(seconds < 20, "it goes on without the Lease");
    };
    ensure!(code == Some(27), "exit code {code:?}");
    world.client.read(&format!("{ADMISSION}/mutatingwebhookconfigurations/kargo")).await?;
    world.client.merge(LEASE, &json!({"spec": {"holderIdentity": ""}})).await?;
    let output = world.up_to_end(&["--uninstall-webhooks"]).await?;
    ensure!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    Ok(())
}
