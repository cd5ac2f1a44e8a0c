//! The kinds of Argo Rollouts on the embedded engine, which has no Argo Rollouts.

use std::time::{Duration, Instant};

use dev_testkit::Client;
use http::Method;
use serde_json::{Value, json};

use super::{create, merge, up};

const RUNS: &str = "/apis/argoproj.io/v1alpha1/namespaces/default/analysisruns";
const DEFINITION: &str =
    "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/analysisruns.argoproj.io";
const PATIENCE: Duration = Duration::from_secs(20);

async fn get(client: &Client, path: &str) -> Value {
    let reply = client.get(path).await.unwrap();
    assert!(reply.status.is_success(), "{path}: {}", reply.text());
    reply.json()
}

#[tokio::test]
async fn analysis_runs_keep_their_status_and_go_with_their_owner() {
    let directory = tempfile::tempdir().unwrap();
    let kargo = up(directory.path()).await;
    let client = kargo.client().unwrap();
    create(&client, "owner").await;
    let owner = get(&client, "/api/v1/namespaces/default/configmaps/owner").await;
    let run = json!({
        "apiVersion": "argoproj.io/v1alpha1",
        "kind": "AnalysisRun",
        "metadata": { "name": "run", "ownerReferences": [{
            "apiVersion": "v1", "kind": "ConfigMap", "name": "owner", "uid": owner["metadata"]["uid"],
        }] },
        "spec": { "metrics": [{ "name": "m", "provider": { "datadog": { "query": "avg:x" } } }] },
    });
    let reply = client.json(Method::POST, RUNS, &run).await.unwrap();
    assert_eq!(reply.status, 201, "{}", reply.text());
    assert_eq!(reply.json()["spec"], run["spec"], "what is not known here is kept");
    let path = format!("{RUNS}/run");
    let written = merge(&client, &path, &json!({ "status": { "phase": "Running" } })).await;
    assert_eq!(written["status"]["phase"], "Running", "the status is no subresource");
    let owner = "/api/v1/namespaces/default/configmaps/owner";
    client.send(Method::DELETE, owner, &[], "").await.unwrap();
    let begin = Instant::now();
    while client.get(&path).await.unwrap().status != 404 {
        assert!(begin.elapsed() < PATIENCE, "the run is still there");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    kargo.stop().await.unwrap();
}

#[tokio::test]
async fn definitions_that_somebody_changed_stay_as_they_are() {
    let directory = tempfile::tempdir().unwrap();
    let kargo = up(directory.path()).await;
    let names = json!({ "spec": { "names": { "shortNames": ["ar", "run"] } } });
    merge(&kargo.client().unwrap(), DEFINITION, &names).await;
    kargo.stop().await.unwrap();
    let kargo = up(directory.path()).await;
    let definition = get(&kargo.client().unwrap(), DEFINITION).await;
    assert_eq!(definition["spec"]["names"]["shortNames"], json!(["ar", "run"]));
    kargo.stop().await.unwrap();
}
