//! A Project with Freight, and Stages that take it when they are told to.

use std::path::PathBuf;

use api_kinds::{Promotion, Stage, promotion::PromotionPhase};
use core_clock::ManualClock;
use futures::StreamExt;
use k8s_openapi::api::core::v1::Event;
use kube::{
    Api, ResourceExt,
    api::{ListParams, Patch, PatchParams, PostParams, WatchEvent, WatchParams},
};
use serde_json::{Value, json};

use crate::{repositories::Answer, world::World};

const URL: &str = "https://git.example.com/app.git";
const FIRST: &str = "1111111111111111111111111111111111111111";

/// A world with a Warehouse `w` and a first piece of Freight.
pub(crate) struct Pipeline {
    pub(crate) world: World,
    /// Name of the first piece.
    pub(crate) freight: String,
}

impl Pipeline {
    pub(crate) async fn start(variables: &[(&str, &str)]) -> Self {
        Self::of(World::start(variables).await).await
    }

    /// A pipeline in this world.
    pub(crate) async fn of(world: World) -> Self {
        world.repositories.set(URL, Answer::Commit(FIRST));
        world.create("w", URL).await;
        world.until("Freight", || async { world.freight().await.len() == 1 }).await;
        let freight = world.freight().await.remove(0).name_any();
        Self { world, freight }
    }

    /// Takes back what made Freight available.
    pub(crate) async fn withdraw(&self, stage: &str) {
        let other = json!([{"origin": {"kind": "Warehouse", "name": "other"}, "sources": {"direct": true}}]);
        let patch = Patch::Merge(json!({"spec": {"requestedFreight": other}}));
        self.stages().patch(stage, &PatchParams::default(), &patch).await.unwrap();
    }

    pub(crate) fn clock(&self) -> &ManualClock {
        &self.world.clock
    }

    /// Creates a Stage that takes Freight of the Warehouse.
    pub(crate) async fn stage(&self, name: &str, steps: Value) {
        self.sharded_stage(name, "", steps).await;
    }

    pub(crate) async fn sharded_stage(&self, name: &str, shard: &str, steps: Value) {
        let stage: Stage = serde_json::from_value(json!({
            "metadata": {"name": name, "namespace": "demo"},
            "spec": {
                "shard": shard,
                "requestedFreight": [{"origin": {"kind": "Warehouse", "name": "w"}, "sources": {"direct": true}}],
                "promotionTemplate": {"spec": {"steps": steps}},
            },
        }))
        .unwrap();
        self.stages().create(&PostParams::default(), &stage).await.unwrap();
    }

    /// Makes a Promotion the current one of a Stage.
    pub(crate) async fn set_current(&self, stage: &str, promotion: &str) {
        let patch = Patch::Merge(json!({"status": {"currentPromotion": {"name": promotion}}}));
        self.stages().patch_status(stage, &PatchParams::default(), &patch).await.unwrap();
    }

    /// Promotes by hand; the name of the Promotion.
    pub(crate) async fn promote(&self, stage: &str, freight: &str) -> String {
        let promotion: Promotion = serde_json::from_value(json!({
            "metadata": {"generateName": "p-", "namespace": "demo"},
            "spec": {"stage": stage, "freight": freight},
        }))
        .unwrap();
        let created = self.promotions().create(&PostParams::default(), &promotion).await;
        created.unwrap().name_any()
    }

    pub(crate) async fn annotate(&self, promotion: &str, key: &str, value: &str) {
        let patch = Patch::Merge(json!({"metadata": {"annotations": {key: value}}}));
        self.promotions().patch(promotion, &PatchParams::default(), &patch).await.unwrap();
    }

    pub(crate) fn stages(&self) -> Api<Stage> {
        Api::namespaced(self.world.client.clone(), "demo")
    }

    pub(crate) async fn get_stage(&self, name: &str) -> Stage {
        self.stages().get(name).await.unwrap()
    }

    /// The newest verification of what a Stage holds, if it succeeded.
    pub(crate) async fn verification(&self, stage: &str) -> Option<String> {
        let stage = self.get_stage(stage).await;
        let newest = stage.status.freight_history.first()?.verification_history.first()?;
        newest.phase.is_terminal().then(|| newest.id.clone())
    }

    pub(crate) fn promotions(&self) -> Api<Promotion> {
        Api::namespaced(self.world.client.clone(), "demo")
    }

    pub(crate) async fn promotion(&self, name: &str) -> Promotion {
        self.promotions().get(name).await.unwrap()
    }

    pub(crate) async fn phase(&self, name: &str) -> PromotionPhase {
        self.promotion(name).await.status.phase
    }

    pub(crate) async fn in_phase(&self, name: &str, phase: PromotionPhase) {
        let what = format!("{name} is {}", phase.as_str());
        self.world.until(&what, || async { self.phase(name).await == phase }).await;
    }

    /// Waits for an end, which must be this one.
    pub(crate) async fn ended(&self, name: &str, phase: PromotionPhase) -> Promotion {
        let what = format!("{name} ends");
        self.world.until(&what, || async { self.phase(name).await.is_terminal() }).await;
        let promotion = self.promotion(name).await;
        assert_eq!(promotion.status.phase, phase, "{}", promotion.status.message);
        let directory = format!("promotion-{}", promotion.uid().unwrap());
        let directory = self.world.work_directory().join(directory);
        self.world.until("its directory goes", || async { !directory.exists() }).await;
        promotion
    }

    /// How often steps with this key were attempted.
    pub(crate) fn attempts(&self, key: &str) -> usize {
        self.world.script.attempts(key)
    }

    /// Waits until the step with the key of this name was begun.
    pub(crate) async fn begun(&self, key: &str) {
        let what = format!("{key} begins");
        self.world.until(&what, || async { self.attempts(key) > 0 }).await;
    }

    /// Events for this reason; waits for the first.
    pub(crate) async fn events(&self, reason: &str) -> Vec<Event> {
        let events: Api<Event> = Api::namespaced(self.world.client.clone(), "demo");
        let list = || async {
            let all = events.list(&ListParams::default()).await.unwrap().items;
            all.into_iter().filter(|event| event.reason.as_deref() == Some(reason)).collect()
        };
        self.world
            .until(reason, || async {
                let found: Vec<Event> = list().await;
                !found.is_empty()
            })
            .await;
        list().await
    }

    /// Work directories that exist.
    pub(crate) fn directories(&self) -> Vec<PathBuf> {
        let entries = std::fs::read_dir(self.world.work_directory()).unwrap();
        entries.map(|entry| entry.unwrap().path()).collect()
    }

    /// Watches Promotions from now on.
    pub(crate) async fn versions_of_promotions(&self) -> Versions {
        let list = self.promotions().list(&ListParams::default()).await.unwrap();
        let from = list.metadata.resource_version.unwrap();
        Versions { promotions: self.promotions(), from }
    }
}

/// All versions of Promotions since some time.
pub(crate) struct Versions {
    promotions: Api<Promotion>,
    from: String,
}

impl Versions {
    /// The phases of all versions of a Promotion up to its end.
    pub(crate) async fn until_ended(&self, name: &str) -> Vec<String> {
        let params = WatchParams::default();
        let mut events = self.promotions.watch(&params, &self.from).await.unwrap().boxed();
        let mut phases = Vec::new();
        while let Some(event) = events.next().await {
            let (WatchEvent::Added(promotion) | WatchEvent::Modified(promotion)) = event.unwrap()
            else {
                continue;
            };
            if promotion.name_any() == name {
                phases.push(promotion.status.phase.as_str().to_owned());
                if promotion.status.phase.is_terminal() {
                    break;
                }
            }
        }
        phases
    }
}
