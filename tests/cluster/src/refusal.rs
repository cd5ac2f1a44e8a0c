//! When `kargo up` must not start: each way has its exit code, its reason and its remedy.

use anyhow::{Context, Result, ensure};
use serde_json::json;

use crate::world::{ADMISSION, World, ensure_refused};

const DEFINITION: &str =
    "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/projects.kargo.akuity.io";

/// The user of the kubeconfig may do nothing: nothing is changed.
pub(crate) async fn forbidden(world: &World) -> Result<()> {
    let accounts = "/api/v1/namespaces/default/serviceaccounts";
    let account = json!({"metadata": {"name": "somebody"}});
    world.client.create(accounts, &account).await?;
    let request =
        json!({"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest", "spec": {}});
    let given = world.client.create(&format!("{accounts}/somebody/token"), &request).await?;
    let token = given["status"]["token"].as_str().context("no token")?.to_owned();
    let kubeconfig =
        world.write_kubeconfig("somebody", |text| text.replace(world.token(), &token))?;
    let output = world.up_with(&kubeconfig, &[]).await?;
    let missing =
        ["create customresourcedefinitions.apiextensions.k8s.io", "create serviceaccounts/token"];
    ensure_refused(&output, 26, &missing)?;
    ensure!(!world.exists(DEFINITION).await?, "kinds were installed");
    ensure!(!world.exists("/api/v1/namespaces/kargo").await?, "a namespace was created");
    Ok(())
}

/// Nobody is at the address that the cluster was given.
pub(crate) async fn unreachable(world: &World) -> Result<()> {
    let output = world.up_to_end(&["--webhook-host", "192.0.2.1"]).await?;
    ensure_refused(&output, 28, &["https://192.0.2.1:", "--webhook-host"])?;
    ensure!(world.exists(DEFINITION).await?, "the installation stays");
    world.ensure_no_webhooks().await
}

/// The kubeconfig leads nowhere.
pub(crate) async fn no_cluster(world: &World) -> Result<()> {
    let change = |text: String| {
        let lines = text.lines().map(|line| match line.split_once("server: ") {
            Some((indent, _)) => format!("{indent}server: https://127.0.0.1:1"),
            None => line.to_owned(),
        });
        lines.collect::<Vec<_>>().join("\n")
    };
    let kubeconfig = world.write_kubeconfig("nowhere", change)?;
    let output = world.up_with(&kubeconfig, &[]).await?;
    let errors = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.code() == Some(25), "{:?}: {errors}", output.status);
    ensure!(errors.contains("https://127.0.0.1:1"), "the address is missing in: {errors}");
    Ok(())
}

/// A chart has registered webhooks of the same name.
pub(crate) async fn foreign(world: &World) -> Result<()> {
    let path = format!("{ADMISSION}/validatingwebhookconfigurations");
    let theirs = json!({"metadata": {
        "name": "kargo", "labels": {"app.kubernetes.io/managed-by": "Helm"},
    }});
    let created = world.client.create(&path, &theirs).await?;
    let output = world.up_to_end(&[]).await?;
    ensure_refused(&output, 27, &["another installation"])?;
    let output = world.up_to_end(&["--uninstall-webhooks"]).await?;
    ensure_refused(&output, 27, &["another installation"])?;
    let kept = world.client.read(&format!("{path}/kargo")).await?;
    ensure!(
        kept["metadata"]["resourceVersion"] == created["metadata"]["resourceVersion"],
        "changed"
    );
    world.client.delete(&format!("{path}/kargo")).await
}

/// The kubeconfig takes anybody for the cluster.
pub(crate) async fn insecure(world: &World) -> Result<()> {
    let change = |text: String| {
        let lines = text.lines().map(|line| match line.split_once("certificate-authority-data:") {
            Some((indent, _)) => format!("{indent}insecure-skip-tls-verify: true"),
            None => line.to_owned(),
        });
        lines.collect::<Vec<_>>().join("\n")
    };
    let kubeconfig = world.write_kubeconfig("insecure", change)?;
    let output = world.up_with(&kubeconfig, &[]).await?;
    ensure_refused(&output, 2, &["insecure-skip-tls-verify"])?;
    ensure_refused(&output, 2, &["ALLOW_INSECURE_KUBECONFIG"])
}
