//! Whose runs are taken.

use api_analysis::INSTANCE_ID_LABEL;
use serde_json::{Value, json};

use crate::{
    server::Server,
    world::{World, verdict},
};

/// Argo Rollouts, as far as an API server shows that it is there.
fn rollouts() -> Value {
    json!({
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": {"name": "rollouts.argoproj.io"},
        "spec": {
            "group": "argoproj.io", "scope": "Namespaced",
            "names": {
                "kind": "Rollout", "listKind": "RolloutList", "plural": "rollouts",
                "singular": "rollout",
            },
            "versions": [{
                "name": "v1alpha1", "served": true, "storage": true,
                "schema": {"openAPIV3Schema": {
                    "type": "object", "x-kubernetes-preserve-unknown-fields": true,
                }},
            }],
        },
    })
}

#[tokio::test]
async fn an_executor_takes_only_the_runs_that_are_labeled_for_it() {
    let kinds = [api_analysis::crds(), vec![rollouts()]].concat();
    let (mut world, server) = (World::idle(kinds).await, Server::start().await);
    world.start_executor(&[("ANALYSIS_CONTROLLER_INSTANCE_ID", "ours")]);
    server.answer("/", &[(200, "1")]);
    let metric = json!({"name": "m", "provider": {"web": {"url": server.url("/")}}});
    let spec = json!({"metrics": [metric]});
    for (name, labels) in [
        ("unlabeled", json!({})),
        ("of-another", json!({(INSTANCE_ID_LABEL): "theirs"})),
        ("ours", json!({(INSTANCE_ID_LABEL): "ours"})),
    ] {
        world.create_labeled(name, spec.clone(), labels).await;
    }
    assert_eq!(verdict(&world.ended("ours").await), ("Successful", ""));
    for name in ["unlabeled", "of-another"] {
        assert_eq!(world.runs().get(name).await.unwrap().status.phase.as_str(), "", "{name}");
    }
    assert_eq!(server.seen().len(), 1);
}

#[tokio::test]
async fn without_an_id_an_executor_keeps_out_of_the_way_of_argo_rollouts() {
    let kinds = [api_analysis::crds(), vec![rollouts()]].concat();
    let mut world = World::idle(kinds).await;
    let refusal = world.refusal(&[]).await.to_string();
    assert!(refusal.contains("set ANALYSIS_CONTROLLER_INSTANCE_ID here"), "{refusal}");
}

#[tokio::test]
async fn where_there_are_no_runs_an_executor_says_so() {
    let mut world = World::idle(Vec::new()).await;
    let refusal = world.refusal(&[]).await.to_string();
    assert!(refusal.contains("the API server does not know AnalysisRuns"), "{refusal}");
}
