//! A second start on the same store.

use std::sync::{
    Arc,
    atomic::{AtomicU64, Ordering},
};

use emb_store::MemoryLog;
use serde_json::json;

use crate::{
    custom::{WIDGETS, definition, widget},
    world::{Setup, test_with},
};

#[test]
fn a_start_on_what_is_there_writes_nothing() {
    let log = MemoryLog::default();
    let setup =
        |seed| Setup { log: log.clone(), seed, crds: vec![definition()], ..Setup::default() };
    let revision = Arc::new(AtomicU64::new(0));
    let noted = revision.clone();
    test_with(setup(1), |api| async move {
        api.post(WIDGETS, &widget("a", json!({}))).await.expect(201);
        api.settle(std::time::Duration::ZERO).await;
        noted.store(api.store.revision(), Ordering::Relaxed);
        api.store.close();
    });
    test_with(setup(2), |api| async move {
        api.settle(std::time::Duration::ZERO).await;
        assert_eq!(api.store.revision(), revision.load(Ordering::Relaxed));
        assert_eq!(api.get(WIDGETS).await.expect(200).names(), ["a"]);
    });
}

#[test]
fn a_start_brings_definitions_up_to_date() {
    let log = MemoryLog::default();
    let first = Setup { log: log.clone(), crds: vec![definition()], ..Setup::default() };
    test_with(first, |api| async move {
        api.post(WIDGETS, &widget("a", json!({"note": "x"}))).await.expect(201);
        api.store.close();
    });
    let mut changed = definition();
    let note = "/spec/versions/0/schema/openAPIV3Schema/properties/spec/properties/note";
    changed.pointer_mut(note).unwrap()["default"] = json!("new");
    let second = Setup { log, seed: 2, crds: vec![changed], ..Setup::default() };
    test_with(second, |api| async move {
        let kept = api.get(&format!("{WIDGETS}/a")).await.expect(200);
        assert_eq!(kept.json["spec"]["note"], "x");
        let added = api.post(WIDGETS, &widget("b", json!({}))).await.expect(201);
        assert_eq!(added.json["spec"]["note"], "new");
    });
}
