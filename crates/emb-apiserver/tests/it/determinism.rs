//! The same seed twice gives the same run.

use std::{sync::Arc, time::Duration};

use core_clock::{Entropy, SeededEntropy};
use parking_lot::Mutex;
use serde_json::json;

use crate::{
    custom::{WIDGETS, install, widget},
    world::{CONFIG_MAPS, Setup, World, config_map, test_with},
};

/// Audit lines and the last revision of a run of random requests.
fn run(seed: u64) -> (Vec<String>, u64) {
    let result = Arc::new(Mutex::new((Vec::new(), 0)));
    let kept = result.clone();
    test_with(Setup { seed, ..Setup::default() }, |api| async move {
        install(&api).await;
        let random = SeededEntropy::new(seed);
        for _ in 0..300 {
            step(&api, &random).await;
        }
        api.settle(Duration::from_secs(5)).await;
        *kept.lock() = (std::mem::take(&mut *api.audit.0.lock()), api.store.revision());
    });
    let result = result.lock();
    result.clone()
}

async fn step(api: &World, random: &SeededEntropy) {
    let name = format!("o{}", random.below(8));
    let collection = if random.below(2) == 0 { WIDGETS } else { CONFIG_MAPS };
    let path = format!("{collection}/{name}");
    match random.below(7) {
        0 if collection == WIDGETS => {
            let mut object = widget(&name, json!({"count": random.below(120)}));
            if random.below(3) == 0 {
                object["metadata"]["finalizers"] = json!(["a.b/c"]);
            }
            drop(api.post(collection, &object).await);
        }
        0 => drop(api.post(collection, &config_map(&name, json!({}))).await),
        1 => drop(api.post(collection, &json!({"metadata": {"generateName": "g-"}})).await),
        2 => drop(api.merge(&path, &json!({"metadata": {"labels": {"x": name}}})).await),
        3 => drop(api.merge(&path, &json!({"metadata": {"finalizers": null}})).await),
        4 => drop(api.delete(&path).await),
        5 => drop(api.get(collection).await),
        _ => api.settle(Duration::from_millis(random.below(900))).await,
    }
}

#[test]
fn a_seed_decides_the_whole_audit_log() {
    let (first, revision) = run(11);
    assert!(first.len() > 250, "{}", first.len());
    assert_eq!((first, revision), run(11));
    assert_ne!(run(12).0, run(11).0);
}
