//! What scenarios of Stages are told with, on top of a [`Pipeline`].

use std::time::Duration;

use api_analysis::AnalysisRun;
use api_kinds::{
    Freight, ProjectConfig, Promotion, PromotionRequest, Stage, collection::FreightCollection,
};
use kube::{
    Api, ResourceExt,
    api::{
        ApiResource, DeleteParams, DynamicObject, GroupVersionKind, ListParams, Patch, PatchParams,
        PostParams,
    },
};
use serde_json::{Value, json};

use crate::{pipeline::Pipeline, world::World};

/// Steps that end at once.
pub(crate) fn trivial() -> Value {
    json!([
        {"uses": "compose-output", "as": "a", "config": {"x": "1"}},
        {"uses": "compose-output", "as": "b", "config": {"y": "2"}},
    ])
}

/// One step with this configuration.
pub(crate) fn one_step(config: Value) -> Value {
    json!([{"uses": "compose-output", "as": "step", "config": config}])
}

/// A step that takes until the test releases the name of its Promotion.
pub(crate) fn hanging() -> Value {
    one_step(json!({"do": "hang", "key": "${{ ctx.promotion }}"}))
}

/// Asks a Warehouse for Freight.
pub(crate) fn direct(warehouse: &str) -> Value {
    json!({"origin": {"kind": "Warehouse", "name": warehouse}, "sources": {"direct": true}})
}

/// Asks Stages for Freight of the Warehouse `w`.
pub(crate) fn after(stages: &[&str]) -> Value {
    json!({"origin": {"kind": "Warehouse", "name": "w"}, "sources": {"stages": stages}})
}

impl Pipeline {
    /// A pipeline in which time goes on while the test waits.
    pub(crate) async fn flowing(variables: &[(&str, &str)]) -> Self {
        let mut pipeline = Self::start(variables).await;
        pipeline.world.tick = Duration::from_millis(20);
        pipeline
    }

    /// Creates a Stage.
    pub(crate) async fn add_stage(&self, name: &str, spec: Value) {
        let stage = json!({"metadata": {"name": name, "namespace": "demo"}, "spec": spec});
        let stage: Stage = serde_json::from_value(stage).unwrap();
        self.stages().create(&PostParams::default(), &stage).await.unwrap();
    }

    /// Creates a Stage that takes this Freight with these steps.
    pub(crate) async fn stage_for(&self, name: &str, requests: Value, steps: Value) {
        let template = json!({"spec": {"steps": steps}});
        let spec = json!({"requestedFreight": requests, "promotionTemplate": template});
        self.add_stage(name, spec).await;
    }

    pub(crate) async fn change_stage(&self, name: &str, patch: Value) {
        let patch = Patch::Merge(patch);
        self.stages().patch(name, &PatchParams::default(), &patch).await.unwrap();
    }

    pub(crate) async fn annotate_stage(&self, name: &str, key: &str, value: &str) {
        self.change_stage(name, json!({"metadata": {"annotations": {key: value}}})).await;
    }

    /// Lets these Stages promote by themselves, and no others.
    pub(crate) async fn automate(&self, stages: &[&str]) {
        let policies = stages
            .iter()
            .map(|stage| json!({"stageSelector": {"name": stage}, "autoPromotionEnabled": true}));
        let spec = json!({"promotionPolicies": policies.collect::<Vec<_>>()});
        let configs: Api<ProjectConfig> = self.api();
        let params = PatchParams::default();
        if configs.get_opt("demo").await.unwrap().is_some() {
            let patch = Patch::Merge(json!({"spec": spec}));
            configs.patch("demo", &params, &patch).await.unwrap();
            return;
        }
        let config = json!({"metadata": {"name": "demo", "namespace": "demo"}, "spec": spec});
        let config = serde_json::from_value(config).unwrap();
        configs.create(&PostParams::default(), &config).await.unwrap();
    }

    /// Another piece of Freight of a Warehouse, a second newer than all others; its name.
    pub(crate) async fn add_freight(&self, warehouse: &str, digit: char) -> String {
        self.clock().advance(Duration::from_secs(1));
        let commit = digit.to_string().repeat(40);
        let freight = json!({
            "metadata": {"namespace": "demo", "name": "named-by-content"},
            "origin": {"kind": "Warehouse", "name": warehouse},
            "commits": [{"repoURL": World::repository(warehouse), "id": commit}],
        });
        let freight: Freight = serde_json::from_value(freight).unwrap();
        let created = self.api::<Freight>().create(&PostParams::default(), &freight).await;
        created.unwrap().name_any()
    }

    /// Freight that is only discovered by the test.
    pub(crate) async fn add_warehouse(&self, name: &str) {
        self.world.create(name, &World::repository(name)).await;
    }

    pub(crate) async fn get_freight(&self, name: &str) -> Freight {
        self.api::<Freight>().get(name).await.unwrap()
    }

    /// Whether Freight says that it is in a Stage, and that it is verified there.
    pub(crate) async fn marks(&self, freight: &str, stage: &str) -> (bool, bool) {
        let status = self.get_freight(freight).await.status;
        (status.currently_in.contains_key(stage), status.verified_in.contains_key(stage))
    }

    /// Waits for Freight to be in a Stage, verified.
    pub(crate) async fn verified(&self, freight: &str, stage: &str) {
        let what = format!("{freight} is verified in {stage}");
        self.world
            .until(&what, || async { self.marks(freight, stage).await == (true, true) })
            .await;
    }

    /// The Promotions of a Stage, oldest first.
    pub(crate) async fn promotions_of(&self, stage: &str) -> Vec<Promotion> {
        let all = self.promotions().list(&ListParams::default()).await.unwrap().items;
        all.into_iter().filter(|promotion| promotion.spec.stage == stage).collect()
    }

    /// The names of the Freight that a Stage held, newest first.
    pub(crate) async fn history(&self, stage: &str) -> Vec<Vec<String>> {
        let history = self.get_stage(stage).await.status.freight_history;
        let names = |collection: FreightCollection| {
            collection.freight.values().map(|piece| piece.name.clone()).collect()
        };
        history.into_iter().map(names).collect()
    }

    /// Status and reason of a condition; empty when it is not there.
    pub(crate) async fn condition(&self, stage: &str, r#type: &str) -> String {
        let conditions = self.get_stage(stage).await.status.conditions;
        let found = conditions.into_iter().find(|condition| condition.r#type == r#type);
        found.map(|found| format!("{:?} {}", found.status, found.reason)).unwrap_or_default()
    }

    pub(crate) async fn has_condition(&self, stage: &str, r#type: &str, wanted: &str) {
        let what = format!("{stage} is {type}: {wanted}");
        self.world.until(&what, || async { self.condition(stage, r#type).await == wanted }).await;
    }

    /// Waits until something holds of a Stage.
    pub(crate) async fn stage_is(&self, stage: &str, what: &str, holds: impl Fn(&Stage) -> bool) {
        self.world.until(what, || async { holds(&self.get_stage(stage).await) }).await;
    }

    /// Lets everything happen that can.
    pub(crate) async fn settle(&self) {
        for _ in 0..30 {
            crate::world::real_time(Duration::from_millis(10)).await;
            self.clock().advance(self.world.tick);
        }
    }

    pub(crate) async fn delete_stage(&self, name: &str) {
        self.stages().delete(name, &DeleteParams::default()).await.unwrap();
    }

    pub(crate) async fn requests_of(&self, stage: &str) -> Vec<PromotionRequest> {
        let all = self.api::<PromotionRequest>().list(&ListParams::default()).await.unwrap().items;
        all.into_iter().filter(|request| request.spec.stage == stage).collect()
    }

    /// The AnalysisRuns, by name.
    pub(crate) async fn runs(&self) -> Vec<AnalysisRun> {
        self.api::<AnalysisRun>().list(&ListParams::default()).await.unwrap().items
    }

    /// Waits for so many AnalysisRuns; the one that has not ended.
    pub(crate) async fn open_run(&self, count: usize) -> String {
        let what = format!("{count} AnalysisRuns");
        self.world.until(&what, || async { self.runs().await.len() == count }).await;
        let open = |run: &AnalysisRun| run.status.phase.as_str().is_empty();
        self.runs().await.iter().find(|run| open(run)).unwrap().name_any()
    }

    /// Ends an AnalysisRun, as Argo Rollouts does.
    pub(crate) async fn end_run(&self, name: &str, phase: &str) {
        let status = json!({"phase": phase, "completedAt": "2026-01-01T01:00:00Z"});
        let patch = Patch::Merge(json!({"status": status}));
        self.api::<AnalysisRun>().patch(name, &PatchParams::default(), &patch).await.unwrap();
    }

    /// Creates an AnalysisTemplate `check`.
    pub(crate) async fn add_template(&self) {
        let metric = json!({
            "name": "m", "provider": {"web": {"url": "https://example.com", "jsonPath": "{$.ok}"}},
        });
        let template = json!({
            "metadata": {"name": "check", "namespace": "demo"},
            "spec": {"metrics": [metric], "args": [{"name": "stage"}]},
        });
        let template = serde_json::from_value(template).unwrap();
        let templates = self.api::<api_analysis::AnalysisTemplate>();
        templates.create(&PostParams::default(), &template).await.unwrap();
    }

    /// Installs kinds.
    pub(crate) async fn install(&self, kinds: Vec<Value>) {
        let resource = ApiResource::from_gvk_with_plural(
            &GroupVersionKind::gvk("apiextensions.k8s.io", "v1", "CustomResourceDefinition"),
            "customresourcedefinitions",
        );
        let definitions: Api<DynamicObject> = Api::all_with(self.world.client.clone(), &resource);
        for kind in kinds {
            let kind = serde_json::from_value(kind).unwrap();
            definitions.create(&PostParams::default(), &kind).await.unwrap();
        }
    }

    pub(crate) fn api<K>(&self) -> Api<K>
    where
        K: kube::Resource<Scope = kube::core::NamespaceResourceScope, DynamicType = ()>,
    {
        Api::namespaced(self.world.client.clone(), "demo")
    }
}
