//! Stages with Targets.

use std::sync::Arc;

use api_kinds::promotion_request::PromotionRequestPhase;
use api_kinds::{PromotionRequest, Target};
use serde_json::json;

use super::bench::{Bench, origin, row};
use crate::stage::request_status;

fn bench(selectors: serde_json::Value) -> Bench {
    let mut bench = Bench::with_spec(json!({
        "requestedFreight": [{"origin": origin("w1"), "sources": {"direct": true}}],
        "promotionTemplate": {"spec": {"steps": [{"uses": "copy"}]}},
        "targets": {"selectors": selectors},
    }))
    .promoting_by_itself();
    bench.add_freight("a1", "w1");
    let target = |name: &str| -> Arc<Target> {
        let metadata = json!({"name": name, "namespace": "demo"});
        Arc::new(serde_json::from_value(json!({"metadata": metadata})).unwrap())
    };
    bench.targets = vec![target("zurich"), target("aarau")];
    bench
}

/// What the controller of PromotionRequests writes.
fn follow(bench: &mut Bench) {
    let (stage, now) = (bench.stage.clone(), bench.now);
    for request in &mut bench.requests {
        if let Some(status) = request_status(request, Some(&stage), now) {
            Arc::make_mut(request).status = status;
        }
    }
}

fn phase(request: &PromotionRequest) -> &str {
    request.status.phase.as_str()
}

#[test]
fn automatic_promotion_asks_once_for_all_targets() {
    let mut bench = bench(json!([{}]));
    bench.pass();
    assert!(bench.promotions.is_empty());
    let request = bench.requests[0].clone();
    let targets: Vec<&str> = request.spec.targets.iter().map(|t| t.name.as_str()).collect();
    assert_eq!(targets, ["aarau", "zurich"]);
    let current = bench.stage.status.current_promotion_request.as_ref().unwrap();
    assert_eq!(Some(&current.name), request.metadata.name.as_ref());
    assert_eq!(row(&bench.stage.status.conditions, "Promoting"), "True/ActivePromotion");
    let before = bench.stage.status.clone();
    bench.later(60);
    bench.pass();
    assert_eq!(bench.stage.status, before);
    follow(&mut bench);
    bench.settle();
    assert_eq!((bench.requests.len(), phase(&bench.requests[0])), (1, "Errored"));
    let conditions = &bench.requests[0].status.conditions;
    assert_eq!(row(conditions, "Ready"), "False/FanOutUnavailable");
    let status = &bench.stage.status;
    assert_eq!(status.current_promotion_request, None);
    let last = status.last_promotion_request.as_ref().unwrap();
    assert_eq!(last.phase, PromotionRequestPhase::Errored);
    assert_eq!(row(&status.conditions, "Ready"), "False/LastPromotionErrored");
    assert!(bench.history().is_empty());
}

#[test]
fn without_targets_it_succeeds_and_the_stage_holds_the_freight() {
    let mut bench = bench(json!([]));
    bench.pass();
    follow(&mut bench);
    bench.settle();
    assert_eq!(phase(&bench.requests[0]), "Succeeded");
    assert_eq!(bench.history(), ["a1"]);
    assert_eq!(row(&bench.stage.status.conditions, "Ready"), "True/Verified");
    assert!(bench.freight("a1").status.verified_in.contains_key("prod"));
    bench.settle();
    assert_eq!(bench.requests.len(), 1);
}

#[test]
fn they_wait_for_each_other_the_oldest_first() {
    let mut bench = bench(json!([]));
    bench.policy = Ok(false);
    for (name, freight) in
        [("prod.00000000000000000000000002.b", "a1"), ("prod.00000000000000000000000001.a", "a1")]
    {
        let metadata = json!({"name": name, "namespace": "demo"});
        let request = json!({"metadata": metadata, "spec": {"stage": "prod", "freight": freight, "targets": []}});
        bench.requests.push(Arc::new(serde_json::from_value(request).unwrap()));
    }
    bench.pass();
    follow(&mut bench);
    assert_eq!(
        bench.requests.iter().map(|r| phase(r)).collect::<Vec<_>>(),
        ["Pending", "Succeeded"]
    );
    bench.later(1);
    bench.settle();
    follow(&mut bench);
    assert_eq!(phase(&bench.requests[0]), "Succeeded");
    bench.settle();
    assert_eq!(bench.history(), ["a1", "a1"]);
}

#[test]
fn a_selector_that_cannot_be_read_is_told() {
    let mut bench = bench(json!([{"matchExpressions": [{"key": "a", "operator": "Like"}]}]));
    bench.pass();
    assert!(bench.requests.is_empty());
    assert_eq!(row(&bench.stage.status.conditions, "Stalled"), "True/TargetSelectorInvalid");
}
