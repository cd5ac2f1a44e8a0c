//! What promotions cost in requests.

use std::time::Duration;

use serde_json::json;

use crate::{
    pipeline::Pipeline,
    scene::{direct, trivial},
};

/// All requests of components for one new piece of Freight that so many Stages promote by themselves, from
/// the moment that the Freight is there.
async fn cost(stages: usize) -> Vec<String> {
    let pipeline = Pipeline::flowing(&[]).await;
    let names: Vec<String> = (0..stages).map(|number| format!("dev-{number}")).collect();
    for name in &names {
        pipeline.stage_for(name, json!([direct("w")]), trivial()).await;
    }
    let selected: Vec<&str> = names.iter().map(String::as_str).collect();
    pipeline.automate(&selected).await;
    all_verified(&pipeline, &pipeline.freight, stages).await;
    pipeline.clock().advance(Duration::from_secs(10));
    pipeline.settle().await;
    let before = pipeline.world.requests.take().len();
    assert!(before > 0, "requests are counted");
    let second = pipeline.add_freight("w", '2').await;
    all_verified(&pipeline, &second, stages).await;
    pipeline.clock().advance(Duration::from_secs(10));
    pipeline.settle().await;
    let mut requests = pipeline.world.requests.take();
    requests.retain(|request| !is_of_freight_creation(request));
    requests
}

/// What admission asks about new Freight: its alias, its Warehouse and its Project.
fn is_of_freight_creation(request: &str) -> bool {
    let reads =
        ["labelSelector=kargo.akuity.io%2Falias", "/warehouses/w", "get /api/v1/namespaces/demo"];
    reads.iter().any(|read| request.contains(read))
}

async fn all_verified(pipeline: &Pipeline, freight: &str, stages: usize) {
    let all = || async {
        let status = pipeline.get_freight(freight).await.status;
        status.verified_in.len() == stages
    };
    pipeline.world.until("Freight is verified everywhere", all).await;
}

#[tokio::test]
async fn one_promotion_costs_at_most_ten_requests() {
    let requests = cost(1).await;
    assert!(requests.len() <= 10, "{}\n{}", requests.len(), requests.join("\n"));
}

#[tokio::test]
async fn a_promotion_among_many_costs_at_most_eight_requests() {
    let requests = cost(50).await;
    assert!(requests.len() <= 50 * 8, "{}\n{}", requests.len(), requests.join("\n"));
}
