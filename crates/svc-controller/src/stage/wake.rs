//! Who is woken by a change: from an object before and after it to the keys of Stages.
//!
//! Each costs as much as changed, however many Stages there are: the caches' indexes know who cares.

use std::collections::{BTreeMap, BTreeSet};

use api_analysis::AnalysisRun;
use api_kinds::{
    Freight, ProjectConfig, Promotion, PromotionRequest, Stage, Target, Warehouse, annotations,
    labels,
};
use core_rules::stage::is_control_flow;
use io_kube::ObjectKey;
use kube::{Resource, ResourceExt};

use crate::caches::{Caches, beside};

/// Keys of Stages.
pub(super) type Keys = BTreeSet<ObjectKey>;

/// The Stage itself, when something that its pass depends on is new (what its passes write is not);
/// and those after it, when it begins or ceases to only pass Freight on: soak times count differently.
pub(super) fn by_stage(caches: &Caches, old: Option<&Stage>, new: Option<&Stage>) -> Keys {
    let mut keys = Keys::new();
    if old.map(what_counts) != new.map(what_counts) {
        keys.extend(new.map(ObjectKey::of));
    }
    let passes = |stage: Option<&Stage>| stage.is_some_and(is_control_flow);
    if let Some(stage) = new.or(old).filter(|_| passes(old) != passes(new)) {
        keys.extend(after(caches, &ObjectKey::of(stage)));
    }
    keys
}

/// What a pass depends on: the specification, what policies select by, and requests.
fn what_counts(stage: &Stage) -> impl PartialEq {
    let metadata = &stage.metadata;
    let request = |key: &str| stage.annotations().get(key);
    (
        (metadata.uid.as_ref(), metadata.generation, metadata.deletion_timestamp.is_some()),
        metadata.labels.as_ref(),
        [annotations::REFRESH, annotations::REVERIFY, annotations::ABORT].map(request),
    )
}

/// The Stage of a Promotion that came, went or got on.
pub(super) fn by_promotion(_: &Caches, old: Option<&Promotion>, new: Option<&Promotion>) -> Keys {
    let state = |promotion: &Promotion| (promotion.uid(), promotion.status.phase.clone());
    let stage = |promotion: &Promotion| beside(promotion, &promotion.spec.stage);
    changed(old, new, state).map(stage).into_iter().collect()
}

/// The Stage of a PromotionRequest that came, went or got on.
pub(super) fn by_request(
    _: &Caches,
    old: Option<&PromotionRequest>,
    new: Option<&PromotionRequest>,
) -> Keys {
    let state = |request: &PromotionRequest| (request.uid(), request.status.phase.clone());
    let stage = |request: &PromotionRequest| beside(request, &request.spec.stage);
    changed(old, new, state).map(stage).into_iter().collect()
}

/// Everybody who may take Freight that came or went; else the Stages that it entered, left, was
/// verified in or approved for, and those after the former.
pub(super) fn by_freight(caches: &Caches, old: Option<&Freight>, new: Option<&Freight>) -> Keys {
    let (Some(old), Some(new)) = (old, new) else {
        return new.or(old).map(|freight| takers(caches, freight)).unwrap_or_default();
    };
    let (was, is) = (&old.status, &new.status);
    let moved = differing(&was.currently_in, &is.currently_in)
        .chain(differing(&was.verified_in, &is.verified_in));
    let moved: Keys = moved.map(|stage| beside(new, stage)).collect();
    let mut keys: Keys = moved.iter().flat_map(|stage| after(caches, stage)).collect();
    keys.extend(differing(&was.approved_for, &is.approved_for).map(|stage| beside(new, stage)));
    keys.extend(moved);
    keys
}

fn takers(caches: &Caches, freight: &Freight) -> Keys {
    let origin = beside(freight, &freight.origin.name);
    let asking = caches.stages_of_warehouse.get(&origin);
    let holding = freight.status.currently_in.keys().map(|stage| beside(freight, stage));
    asking.iter().map(|stage| ObjectKey::of(&**stage)).chain(holding).collect()
}

/// Everybody who asks for Freight of a Warehouse that came or went.
pub(super) fn by_warehouse(
    caches: &Caches,
    old: Option<&Warehouse>,
    new: Option<&Warehouse>,
) -> Keys {
    let Some(warehouse) = changed(old, new, Warehouse::uid) else { return Keys::new() };
    let asking = caches.stages_of_warehouse.get(&ObjectKey::of(warehouse));
    asking.iter().map(|stage| ObjectKey::of(&**stage)).collect()
}

/// All Stages of a Project whose policies may have changed.
pub(super) fn by_project_config(
    caches: &Caches,
    old: Option<&ProjectConfig>,
    new: Option<&ProjectConfig>,
) -> Keys {
    let state = |config: &ProjectConfig| (config.uid(), config.metadata.generation);
    let Some(config) = changed(old, new, state) else { return Keys::new() };
    let stages = caches.stages.in_namespace(&config.namespace().unwrap_or_default());
    stages.iter().map(|stage| ObjectKey::of(&**stage)).collect()
}

/// The Stages with Targets, when one came, went, or is selected differently.
pub(super) fn by_target(caches: &Caches, old: Option<&Target>, new: Option<&Target>) -> Keys {
    let state = |target: &Target| (target.uid(), target.metadata.labels.clone());
    let Some(target) = changed(old, new, state) else { return Keys::new() };
    let stages = caches.stages_with_targets.get(&target.namespace().unwrap_or_default());
    stages.iter().map(|stage| ObjectKey::of(&**stage)).collect()
}

/// The Stage of an AnalysisRun that got on or went.
pub(super) fn by_run(old: Option<&AnalysisRun>, new: Option<&AnalysisRun>) -> Keys {
    let state = |run: &AnalysisRun| (run.uid(), run.status.phase.clone());
    changed(old, new, state).and_then(stage_of_run).into_iter().collect()
}

/// The label carries a long name shortened; then the annotation has it all.
fn stage_of_run(run: &AnalysisRun) -> Option<ObjectKey> {
    let full = run.annotations().get(annotations::STAGE);
    let name = full.or_else(|| run.labels().get(labels::STAGE))?;
    Some(beside(run, name))
}

/// The object, when its state is another one than before.
fn changed<'a, K: Resource, S: PartialEq>(
    old: Option<&'a K>,
    new: Option<&'a K>,
    state: impl Fn(&K) -> S,
) -> Option<&'a K> {
    let is_other = old.map(&state) != new.map(&state);
    new.or(old).filter(|_| is_other)
}

fn after(caches: &Caches, stage: &ObjectKey) -> impl Iterator<Item = ObjectKey> + use<> {
    let stages = caches.stages_after_stage.get(stage);
    stages.into_iter().map(|stage| ObjectKey::of(&*stage))
}

/// The keys whose values differ, or that only one of the two has.
fn differing<'a, V: PartialEq>(
    old: &'a BTreeMap<String, V>,
    new: &'a BTreeMap<String, V>,
) -> impl Iterator<Item = &'a String> {
    let changed = new.iter().filter(|(key, value)| old.get(*key) != Some(*value));
    let gone = old.keys().filter(|key| !new.contains_key(*key));
    changed.map(|(key, _)| key).chain(gone)
}

#[cfg(test)]
mod tests {
    use core_rules::shard::Shard;
    use dev_testkit::engine::Engine;
    use io_kube::Ports;
    use kube::{Api, api::PostParams};
    use serde_json::{Value, json};

    use super::*;

    fn object<K: io_kube::Object>(name: &str, mut rest: Value) -> K {
        rest["metadata"]["name"] = json!(name);
        rest["metadata"]["namespace"] = json!("demo");
        serde_json::from_value(rest).unwrap()
    }

    fn stage(name: &str, before: &[&str], steps: Value) -> Stage {
        let request = json!({
            "origin": {"kind": "Warehouse", "name": "w"}, "sources": {"stages": before},
        });
        let template = json!({"spec": {"steps": steps}});
        let spec = json!({"requestedFreight": [request], "promotionTemplate": template});
        object(name, json!({"spec": spec}))
    }

    fn steps() -> Value {
        json!([{"uses": "compose-output", "config": {"x": 1}}])
    }

    fn freight(status: Value) -> Freight {
        let origin = json!({"kind": "Warehouse", "name": "w"});
        object("f", json!({"origin": origin, "status": status}))
    }

    fn names(keys: &Keys) -> Vec<&str> {
        keys.iter().map(|key| key.name.as_str()).collect()
    }

    /// Caches that show `dev` → `staging`, and `aside`.
    async fn caches() -> (Engine, Caches) {
        let namespace =
            json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "demo"}});
        let engine = Engine::builder().objects([namespace]).start().await.unwrap();
        let stages: Api<Stage> = Api::namespaced(engine.admin_client(), "demo");
        for (name, before) in [("dev", &[][..]), ("staging", &["dev"]), ("aside", &["x"])] {
            let stage = stage(name, before, steps());
            stages.create(&PostParams::default(), &stage).await.unwrap();
        }
        let (clock, entropy) = (engine.clock(), engine.entropy());
        let ports = Ports { clock, entropy, tasks: engine.tasks() };
        let caches = Caches::start(&engine.admin_client(), &Shard::new("", true), &ports);
        caches.synced().await;
        (engine, caches)
    }

    #[tokio::test]
    async fn freight_wakes_who_is_concerned() {
        let (_engine, caches) = caches().await;
        let empty = freight(json!({}));
        let woken = |old: &Freight, new: &Freight| {
            let keys = by_freight(&caches, Some(old), Some(new));
            names(&keys).join(" ")
        };
        let time = "2026-01-01T00:00:00Z";
        let inside = freight(json!({"currentlyIn": {"dev": {"since": time}}}));
        let verified = freight(json!({"verifiedIn": {"dev": {"verifiedAt": time}}}));
        let approved = freight(json!({"approvedFor": {"aside": {"approvedAt": time}}}));
        assert_eq!(names(&by_freight(&caches, None, Some(&empty))), ["aside", "dev", "staging"]);
        assert_eq!(woken(&empty, &empty), "");
        assert_eq!(woken(&empty, &inside), "dev staging");
        assert_eq!(woken(&verified, &empty), "dev staging");
        assert_eq!(woken(&empty, &approved), "aside");
    }

    #[tokio::test]
    async fn a_stage_is_not_woken_by_what_its_passes_write() {
        let (_engine, caches) = caches().await;
        let old = stage("dev", &[], steps());
        let woken = |new: &Stage| names(&by_stage(&caches, Some(&old), Some(new))).join(" ");
        let mut written = old.clone();
        written.status.observed_generation = 7;
        assert_eq!(woken(&written), "");
        let mut refreshed = old.clone();
        refreshed.annotations_mut().insert(annotations::REFRESH.into(), "now".into());
        assert_eq!(woken(&refreshed), "dev");
        let mut converted = stage("dev", &[], json!([]));
        converted.metadata.generation = Some(2);
        assert_eq!(woken(&converted), "dev staging");
    }

    #[test]
    fn a_run_names_its_stage_in_full_where_the_label_is_too_short() {
        let run = |metadata: Value| object::<AnalysisRun>("r", json!({"metadata": metadata}));
        let labelled = run(json!({"labels": {labels::STAGE: "dev"}}));
        let shortened = run(json!({
            "labels": {labels::STAGE: "de-1"}, "annotations": {annotations::STAGE: "deeeev"},
        }));
        assert_eq!(names(&by_run(None, Some(&labelled))), ["dev"]);
        assert_eq!(names(&by_run(Some(&shortened), None)), ["deeeev"]);
        assert!(by_run(Some(&labelled), Some(&labelled)).is_empty());
    }
}
