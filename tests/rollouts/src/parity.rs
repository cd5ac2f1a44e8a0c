//! The same AnalysisRuns for Argo Rollouts and for our own executor: what they write must be the same.

use anyhow::{Context, Result, ensure};
use dev_testkit::eventually;
use serde_json::{Map, Value, json};

use crate::{
    executor::Executor,
    manifest::PROJECT,
    neighbour::INSTANCE_ID,
    world::{PATIENCE, World, argo},
};

const LABEL: &str = "argo-rollouts.argoproj.io/controller-instance-id";
/// The id of our executor.
const OURS: &str = "parity";
/// Of each run there is one for each.
const EXECUTORS: [&str; 2] = [INSTANCE_ID, OURS];
/// What says when something was, and therefore differs.
const TIMES: [&str; 4] = ["startedAt", "finishedAt", "completedAt", "resumeAt"];

/// Creates every run twice, waits for their ends, and compares.
pub(crate) async fn same(world: &World) -> Result<()> {
    let _executor = Executor::start(world.kubeconfig(), OURS)?;
    let specs = specs(&world.application.address());
    for (index, spec) in specs.iter().enumerate() {
        for executor in EXECUTORS {
            world.client.create(&argo("analysisruns"), &run(index, executor, spec)).await?;
        }
    }
    let mut differences = String::new();
    for (index, spec) in specs.iter().enumerate() {
        let [theirs, ours] = EXECUTORS.map(|executor| ended(world, index, executor));
        let (theirs, ours) = (theirs.await?, ours.await?);
        if theirs != ours {
            let both = format!("\n{spec}\n  Argo Rollouts made {theirs}\n  we made {ours}");
            differences.push_str(&both);
        }
    }
    ensure!(differences.is_empty(), "{differences}");
    Ok(())
}

/// The same for Jobs, which the test ends.
pub(crate) async fn same_jobs(world: &World) -> Result<()> {
    let _executor = Executor::start(world.kubeconfig(), OURS)?;
    for (index, end) in [(100, "Complete"), (101, "Failed")] {
        for executor in EXECUTORS {
            world.client.create(&argo("analysisruns"), &run(index, executor, &job())).await?;
        }
        let mut made = Vec::new();
        for executor in EXECUTORS {
            made.push(ended_job(world, index, executor, end).await?);
        }
        let [theirs, ours] = <[Value; 2]>::try_from(made).unwrap_or_default();
        ensure!(theirs == ours, "\nArgo Rollouts made {theirs}\nwe made {ours}");
    }
    Ok(())
}

fn job() -> Value {
    let container = json!({ "name": "test", "image": "registry.invalid/{{args.name}}" });
    let template = json!({ "spec": { "restartPolicy": "Never", "containers": [container] } });
    let job = json!({
        "metadata": { "labels": { "a": "b" } },
        "spec": { "backoffLimit": 0, "template": template },
    });
    json!({
        "metrics": [{ "name": "smoke", "provider": { "job": job } }],
        "args": [{ "name": "name", "value": "smoke-test" }],
    })
}

/// Ends the Job of a run, and says what the Job was and what became of the run.
async fn ended_job(world: &World, index: usize, executor: &str, end: &str) -> Result<Value> {
    let run = world.client.read(&argo(&format!("analysisruns/{}", name(index, executor)))).await?;
    let uid = run["metadata"]["uid"].as_str().context("a run without a uid")?.to_owned();
    let path = format!("/apis/batch/v1/namespaces/{PROJECT}/jobs/{uid}.smoke.1");
    let is_there = async || Ok(world.client.read(&path).await.is_ok());
    eventually(PATIENCE, "the Job is there", is_there).await?;
    let job = world.client.read(&path).await?;
    world.client.merge(&format!("{path}/status"), &job_status(end)).await?;
    let metadata = ["labels", "annotations"].map(|field| job["metadata"][field].clone());
    let owner = job["metadata"]["ownerReferences"][0]["controller"].clone();
    let image = job["spec"]["template"]["spec"]["containers"][0]["image"].clone();
    let status = ended(world, index, executor).await?;
    let mut both = json!([metadata, owner, image, status]).to_string();
    for (own, shared) in [(uid, "uid".to_owned()), (name(index, executor), "run".to_owned())] {
        both = both.replace(&own, &shared);
    }
    Ok(serde_json::from_str(&both)?)
}

/// What the controller of Jobs would write, as far as kube-apiserver insists on it.
fn job_status(end: &str) -> Value {
    let time = "2026-01-01T00:00:00Z";
    let before = if end == "Complete" { "SuccessCriteriaMet" } else { "FailureTarget" };
    let conditions = [before, end].map(|kind| {
        json!({ "type": kind, "status": "True", "lastTransitionTime": time, "lastProbeTime": time })
    });
    let mut status = json!({ "startTime": time, "conditions": conditions });
    if end == "Complete" {
        status["completionTime"] = json!(time);
    }
    json!({ "status": status })
}

fn name(index: usize, executor: &str) -> String {
    format!("parity-{index}-{executor}")
}

fn run(index: usize, executor: &str, spec: &Value) -> Value {
    json!({
        "apiVersion": "argoproj.io/v1alpha1", "kind": "AnalysisRun",
        "metadata": {
            "name": name(index, executor), "namespace": PROJECT, "labels": { LABEL: executor },
        },
        "spec": spec,
    })
}

/// The status of a run when it has ended, without times.
async fn ended(world: &World, index: usize, executor: &str) -> Result<Value> {
    let name = name(index, executor);
    let path = argo(&format!("analysisruns/{name}"));
    let status = async || Ok::<_, anyhow::Error>(world.client.read(&path).await?["status"].clone());
    let has_ended = async || {
        let status = status().await?;
        Ok(!["", "Pending", "Running"].contains(&status["phase"].as_str().unwrap_or_default()))
    };
    eventually(PATIENCE, &format!("{name} ends"), has_ended)
        .await
        .with_context(|| executor.to_owned())?;
    let mut status = without_times(status().await?);
    // Metrics are measured at the same time, so that any may be the first.
    if let Some(results) = status["metricResults"].as_array_mut() {
        results.sort_by_key(|result| result["name"].to_string());
    }
    Ok(status)
}

fn without_times(value: Value) -> Value {
    match value {
        Value::Object(fields) => {
            let kept = fields.into_iter().filter(|(name, _)| !TIMES.contains(&name.as_str()));
            Value::Object(kept.map(|(name, field)| (name, without_times(field))).collect())
        }
        Value::Array(items) => items.into_iter().map(without_times).collect(),
        plain => plain,
    }
}

/// A metric that asks the application, which says where it was asked and that it is well.
fn metric(application: &str, name: &str, fields: Value) -> Value {
    let web = json!({ "url": format!("http://{application}/{name}"), "jsonPath": "{$.well}" });
    let mut metric = Map::from_iter([
        ("name".to_owned(), json!(name)),
        ("provider".to_owned(), json!({ "web": web })),
    ]);
    if let Value::Object(fields) = fields {
        metric.extend(fields);
    }
    Value::Object(metric)
}

fn specs(application: &str) -> Vec<Value> {
    let metric = |name, fields| metric(application, name, fields);
    let one = |fields| json!({ "metrics": [metric("m", fields)] });
    let url = |path: &str| format!("http://{application}{path}");
    let at = |path: &str, condition: &str| {
        let web = json!({ "url": url("/at"), "jsonPath": path });
        one(json!({ "provider": { "web": web }, "successCondition": condition }))
    };
    let bad = json!({ "successCondition": "result == false" });
    let prometheus = |query: &str, condition: &str| {
        let provider = json!({ "prometheus": { "address": url(""), "query": query } });
        one(json!({ "provider": provider, "successCondition": condition }))
    };
    vec![
        one(json!({})),
        one(json!({ "successCondition": "result == true" })),
        one(bad.clone()),
        one(json!({ "failureCondition": "result == true" })),
        one(json!({ "failureCondition": "result == false" })),
        one(json!({ "successCondition": "!result", "failureCondition": "!result" })),
        one(json!({ "interval": "1s", "count": 2 })),
        one(
            json!({ "interval": "1s", "count": "3", "failureLimit": 1, "successCondition": "!result" }),
        ),
        one(
            json!({ "interval": "1s", "count": 3, "failureLimit": 3, "successCondition": "!result" }),
        ),
        one(json!({ "interval": "1s", "count": 4, "consecutiveSuccessLimit": 2 })),
        one(json!({ "initialDelay": "1s" })),
        one(json!({ "count": 2 })),
        one(json!({ "failureLimit": -1 })),
        one(json!({ "successCondition": "result == {{args.none}}" })),
        one(json!({ "provider": {} })),
        one(json!({ "provider": { "web": { "url": url("/whole") } } })),
        one(json!({ "provider": { "web": { "url": url("/p"), "jsonPath": "{.path}" } } })),
        at("{$.list}", "len(result) == 3"),
        at("{$.list[1]}", "result == 2.5"),
        at("{.list[-1]}", "isInf(result)"),
        at("{$.list[0:2]}", "asInt(result) == 1"),
        at("{$.items[*].name}", "result == 'a'"),
        at("{$.items[?(@.name == \"b-c\")].n}", "result == 2"),
        at("{$.items[?(@.n>1.5)].name}", "result matches '^b'"),
        at("{$..n}", "default(result, 5) == 1"),
        at(r"{.a\.b}", "asFloat(result) > 2.5"),
        at("{$.text}", "result contains 'b'"),
        at("{$.nothing}", "default(result, 5) == 5"),
        prometheus("vector", "result[0] == 1.5 && len(result) == 2"),
        prometheus("vector", "result[1] < 0"),
        json!({ "metrics": [metric("good", json!({ "interval": "1s" })), metric("bad", bad.clone())] }),
        json!({ "metrics": [metric("good", json!({})), metric("bad", bad.clone())],
                "dryRun": [{ "metricName": "ba.*" }] }),
        json!({ "metrics": [metric("bad", bad)], "dryRun": [{ "metricName": "other" }] }),
        json!({ "metrics": [metric("m", json!({ "interval": "1s", "count": 3 }))],
                "measurementRetention": [{ "metricName": "m", "limit": 2 }] }),
        json!({ "metrics": [metric("m", json!({ "interval": "1s" }))], "terminate": true }),
        json!({ "metrics": [metric("m", json!({ "successCondition": "result == {{args.want}}" }))],
                "args": [{ "name": "want", "value": "true" }] }),
    ]
}
