//! cert-manager's controller, limited to issuers and certificates.

use std::path::Path;

use anyhow::{Context, Result, ensure};
use dev_testkit::{Client, Kubeconfig, eventually};
use serde_json::{Value, json};
use tokio::process::Command;

use crate::{
    PATIENCE,
    program::{Program, tool},
    server::{Server, create_kind},
};

const NAMESPACE: &str = "certificates";
const GROUP: &str = "cert-manager.io/v1";
const CONTROLLERS: &str = "issuers,certificaterequests-approver,certificaterequests-issuer-selfsigned,\
    certificaterequests-issuer-ca,certificates-trigger,certificates-issuing,certificates-key-manager,\
    certificates-request-manager,certificates-readiness,certificates-revision-manager";

/// An authority that signs itself, and after a crash of the server a certificate that the authority signs.
pub(crate) async fn issues() -> Result<()> {
    let server = Server::start(&[]).await?;
    let client = server.client()?;
    let program = tool("cert-manager").await?;
    install(&client, program.parent().context("a tool lies in a folder")?).await?;
    let kubeconfig = server.kubeconfig()?;
    let mut controller = start(&program, &kubeconfig, server.directory())?;

    let outcome = async {
        issue(&client, "root", &json!({"selfSigned": {}}), &json!({"isCA": true})).await?;
        let server = server.kill_and_start().await?;
        issue(&client, "leaf", &json!({"ca": {"secretName": "root"}}), &json!({})).await?;
        is_signed_by_root(&client).await?;
        says_so_in_events(&client).await?;
        anyhow::Ok(server)
    };
    let server = outcome.await.with_context(|| controller.last_words())?;
    // It must not have given up: a cluster would restart it, which would hide that.
    controller.is_alive()?;
    controller.kill().await?;
    drop(server);
    Ok(())
}

async fn install(client: &Client, folder: &Path) -> Result<()> {
    for file in std::fs::read_dir(folder.join("crds"))? {
        create_kind(client, std::fs::read_to_string(file?.path())?).await?;
    }
    let namespace =
        json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": NAMESPACE}});
    client.create("/api/v1/namespaces", &namespace).await.map(drop)
}

fn start(program: &Path, kubeconfig: &Kubeconfig, directory: &Path) -> Result<Program> {
    let mut command = Command::new(program);
    command.arg("--kubeconfig").arg(&kubeconfig.path);
    command.args(["--namespace", NAMESPACE, "--cluster-resource-namespace", NAMESPACE]);
    command.args(["--leader-election-namespace", NAMESPACE, "--controllers", CONTROLLERS]);
    command.args(["--metrics-listen-address", "127.0.0.1:0"]);
    Program::start("cert-manager", command, directory)
}

/// Creates an Issuer and a Certificate of it, both with this name, and waits until the Certificate is ready.
async fn issue(client: &Client, name: &str, issuer: &Value, more: &Value) -> Result<()> {
    let issuer =
        json!({"apiVersion": GROUP, "kind": "Issuer", "metadata": {"name": name}, "spec": issuer});
    client.create(&path("issuers"), &issuer).await?;
    let mut certificate = json!({
        "apiVersion": GROUP, "kind": "Certificate", "metadata": {"name": name},
        "spec": {
            "secretName": name, "commonName": format!("{name}.example.com"), "dnsNames": [format!("{name}.example.com")],
            "issuerRef": {"name": name, "kind": "Issuer"}, "privateKey": {"algorithm": "ECDSA"},
        },
    });
    if let (Some(spec), Some(more)) = (certificate["spec"].as_object_mut(), more.as_object()) {
        spec.extend(more.clone());
    }
    client.create(&path("certificates"), &certificate).await?;
    let own = path(&format!("certificates/{name}"));
    let is_ready = async || Ok(ready(&client.read(&own).await?));
    let waited = eventually(PATIENCE, &format!("Certificate {name} is ready"), is_ready).await;
    waited.with_context(|| format!("Certificate {name}"))
}

fn ready(object: &Value) -> bool {
    let conditions = object["status"]["conditions"].as_array();
    let is_it = |one: &Value| one["type"] == "Ready" && one["status"] == "True";
    conditions.is_some_and(|conditions| conditions.iter().any(is_it))
}

/// The Secret of the leaf carries the certificate of the root as its authority.
async fn is_signed_by_root(client: &Client) -> Result<()> {
    let secret = |name: &str| format!("/api/v1/namespaces/{NAMESPACE}/secrets/{name}");
    let root = client.read(&secret("root")).await?;
    let leaf = client.read(&secret("leaf")).await?;
    ensure!(leaf["type"] == "kubernetes.io/tls", "the Secret has type {}", leaf["type"]);
    let authority = &root["data"]["tls.crt"];
    ensure!(
        authority.is_string() && leaf["data"]["ca.crt"] == *authority,
        "another authority signed"
    );
    ensure!(leaf["data"]["tls.key"].is_string(), "the Secret has no key");
    Ok(())
}

async fn says_so_in_events(client: &Client) -> Result<()> {
    let path =
        format!("/api/v1/namespaces/{NAMESPACE}/events?fieldSelector=involvedObject.name%3Dleaf");
    let is_said = async || {
        let events = client.read(&path).await?;
        let items = events["items"].as_array().cloned().unwrap_or_default();
        Ok(items.iter().any(|event| event["reason"] == "Issuing"))
    };
    eventually(PATIENCE, "an Event tells of the certificate", is_said).await
}

fn path(resources: &str) -> String {
    format!("/apis/{GROUP}/namespaces/{NAMESPACE}/{resources}")
}
