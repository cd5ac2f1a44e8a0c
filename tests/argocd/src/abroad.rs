//! Argo CD in another cluster than the control plane.

use anyhow::{Result, ensure};
use dev_testkit::{Kargo, UpOptions};
use serde_json::json;

use crate::{
    pipeline::{GOOD, Pipeline, was_synced_by},
    world::World,
};

/// The control plane is a `kargo up` on the embedded engine, which has a kubeconfig for Argo CD's cluster.
pub(crate) async fn promotes(world: &World) -> Result<()> {
    let directory = tempfile::tempdir()?;
    let kubeconfig = world.kubeconfig().display().to_string();
    let environment = vec![("ARGOCD_KUBECONFIG".to_owned(), kubeconfig)];
    let options = UpOptions { environment, ..UpOptions::default() };
    let kargo = Kargo::up(directory.path(), &options).await?;
    let project = world.project_on(&kargo.client()?).await?;
    let apps = json!([{"name": "abroad"}]);
    let pipeline = Pipeline::create_in(&project, world, "abroad", GOOD, &apps).await?;
    pipeline.application("abroad", &json!({"annotations": pipeline.permission()})).await?;
    let promotion = pipeline.promote().await?;
    ensure!(promotion["status"]["phase"] == "Succeeded", "{}", promotion["status"]);
    ensure!(was_synced_by(&world.application("abroad").await?, &promotion), "another sync");
    pipeline.await_health("Healthy").await?;
    let code = kargo.stop().await?;
    ensure!(code == Some(0), "exit code {code:?} after SIGTERM");
    Ok(())
}
