//! People at work on a pipeline. Nothing they do is repeated when it fails, except what the rest depends on.

use std::{sync::Arc, time::Duration};

use api_kinds::{Freight, Project, ProjectConfig, Promotion, Stage, annotations};
use dev_sim::{Dice, ProcessCx};
use kube::{
    Api, Client,
    api::{DeleteParams, DynamicObject, ListParams, Patch, PatchParams, PostParams},
    core::{ApiResource, GroupVersionKind},
};
use serde_json::{Value, json};

use super::{
    PROJECT,
    ground::Ground,
    layout::{self, REPOSITORY},
};

const PUBLICATIONS: u64 = 5;
const MANAGER_TURNS: u64 = 14;
const OPERATOR_TURNS: u64 = 5;
/// The longest that somebody who needs something waits before the next attempt.
const PATIENCE: Duration = Duration::from_secs(5);

/// Makes a Project with a pipeline.
pub(super) async fn founder(cx: ProcessCx, ground: Arc<Ground>) {
    let pipeline = layout::draw(cx.dice());
    found(&cx, pipeline).await;
    ground.lay();
}

/// Makes the Project and what is in it, whatever it takes.
pub(super) async fn found(cx: &ProcessCx, pipeline: Vec<Value>) {
    let project = json!({
        "apiVersion": "kargo.akuity.io/v1alpha1", "kind": "Project", "metadata": {"name": PROJECT},
    });
    make(cx, &Api::<Project>::all(cx.client()), &parsed(project)).await;
    for object in pipeline {
        let object: DynamicObject = parsed(object);
        let types = object.types.clone().unwrap_or_default();
        let kind = GroupVersionKind::try_from(&types).unwrap();
        let resource = ApiResource::from_gvk(&kind);
        let api: Api<DynamicObject> = Api::namespaced_with(cx.client(), PROJECT, &resource);
        make(cx, &api, &object).await;
    }
}

/// Publishes: Freight appears.
pub(super) async fn publisher(cx: ProcessCx, ground: Arc<Ground>) {
    ground.laid(&cx).await;
    for number in 0..PUBLICATIONS {
        let warehouse = if cx.dice().chance(650) { "app" } else { "infra" };
        publish(&cx, warehouse, number).await;
        cx.pause(Duration::from_secs(90)).await;
    }
}

/// Makes Freight, whatever it takes; returns its name, unless somebody has deleted it by then.
pub(super) async fn publish(cx: &ProcessCx, warehouse: &str, number: u64) -> Option<String> {
    let (repository, id) = (format!("{REPOSITORY}{warehouse}.git"), format!("{number:040x}"));
    let freight: Freight = parsed(json!({
        "metadata": {"namespace": PROJECT},
        "origin": {"kind": "Warehouse", "name": warehouse},
        "commits": [{"repoURL": repository, "id": id}],
    }));
    let api: Api<Freight> = in_project(&cx.client());
    make(cx, &api, &freight).await;
    loop {
        let Ok(list) = api.list(&ListParams::default()).await else {
            cx.pause(PATIENCE).await;
            continue;
        };
        let made = list.items.into_iter().find(|it| {
            it.origin.name == warehouse && it.commits.iter().any(|commit| commit.id == id)
        });
        return made.and_then(|it| it.metadata.name);
    }
}

/// Promotes by hand, takes back, asks to look again, approves and has things verified again.
pub(super) async fn manager(cx: ProcessCx, ground: Arc<Ground>) {
    ground.laid(&cx).await;
    let client = cx.client();
    for turn in 0..MANAGER_TURNS {
        match cx.dice().below(10) {
            0..5 => promote(&client, cx.dice()).await,
            5 => annotate::<Promotion>(&client, cx.dice(), annotations::ABORT, "terminate").await,
            6 => {
                let token = turn.to_string();
                annotate::<Stage>(&client, cx.dice(), annotations::REFRESH, &token).await;
            }
            7 => {
                let token = turn.to_string();
                annotate::<Promotion>(&client, cx.dice(), annotations::REFRESH, &token).await;
            }
            8 => approve(&client, cx.dice()).await,
            _ => verify_again(&client, cx.dice()).await,
        }
        cx.pause(Duration::from_secs(45)).await;
    }
}

/// Changes the pipeline itself.
pub(super) async fn operator(cx: ProcessCx, ground: Arc<Ground>) {
    ground.laid(&cx).await;
    let client = cx.client();
    for _ in 0..OPERATOR_TURNS {
        cx.pause(Duration::from_mins(2)).await;
        match cx.dice().below(8) {
            0..3 => toggle_policy(&client, cx.dice()).await,
            3..5 => change_stage(&client, cx.dice()).await,
            5..7 => {
                let freight: Api<Freight> = in_project(&client);
                if let Some(name) = some_name(&freight, cx.dice()).await {
                    drop(freight.delete(&name, &DeleteParams::default()).await);
                }
            }
            _ => rebuild_stage(&cx, &client).await,
        }
    }
}

async fn promote(client: &Client, dice: &Dice) {
    let stage = some_name(&in_project::<Stage>(client), dice).await;
    let freight = some_name(&in_project::<Freight>(client), dice).await;
    let (Some(stage), Some(freight)) = (stage, freight) else { return };
    drop(in_project(client).create(&PostParams::default(), &promotion(&stage, &freight)).await);
}

/// A Promotion as people ask for it; admission puts the steps of the Stage in their place.
pub(super) fn promotion(stage: &str, freight: &str) -> Promotion {
    parsed(json!({
        "metadata": {"generateName": "by-hand-", "namespace": PROJECT},
        "spec": {"stage": stage, "freight": freight, "steps": [{"uses": "any"}]},
    }))
}

/// As the API server does on behalf of people.
async fn approve(client: &Client, dice: &Dice) {
    let freight: Api<Freight> = in_project(client);
    let stage = some_name(&in_project::<Stage>(client), dice).await;
    let (Some(stage), Some(name)) = (stage, some_name(&freight, dice).await) else { return };
    let approval =
        json!({"status": {"approvedFor": {stage: {"approvedAt": "2026-01-01T00:00:00Z"}}}});
    drop(freight.patch_status(&name, &PatchParams::default(), &Patch::Merge(approval)).await);
}

async fn verify_again(client: &Client, dice: &Dice) {
    let stages: Api<Stage> = in_project(client);
    let Ok(list) = stages.list(&ListParams::default()).await else { return };
    let Some(stage) = dice.pick(&list.items) else { return };
    let current = stage.status.freight_history.first();
    let Some(newest) = current.and_then(|held| held.verification_history.first()) else { return };
    let key = if dice.chance(700) { annotations::REVERIFY } else { annotations::ABORT };
    let request = json!({"metadata": {"annotations": {key: newest.id}}});
    let name = stage.metadata.name.as_deref().unwrap_or_default();
    drop(stages.patch(name, &PatchParams::default(), &Patch::Merge(request)).await);
}

async fn toggle_policy(client: &Client, dice: &Dice) {
    let configs: Api<ProjectConfig> = in_project(client);
    let Ok(mut config) = configs.get(PROJECT).await else { return };
    let policies = &mut config.spec.promotion_policies;
    let chosen = dice.index(policies.len());
    if let Some(policy) = policies.get_mut(chosen) {
        policy.auto_promotion_enabled = !policy.auto_promotion_enabled;
    }
    drop(configs.replace(PROJECT, &PostParams::default(), &config).await);
}

async fn change_stage(client: &Client, dice: &Dice) {
    let stages: Api<Stage> = in_project(client);
    let Some(name) = some_name(&stages, dice).await else { return };
    let Ok(mut stage) = stages.get(&name).await else { return };
    let Some(template) = &mut stage.spec.promotion_template else { return };
    template.spec.steps = parsed(layout::promotion_steps(dice));
    if dice.chance(500) {
        stage.spec.verification = None;
    }
    drop(stages.replace(&name, &PostParams::default(), &stage).await);
}

/// Deletes a Stage, and makes it again after a while.
async fn rebuild_stage(cx: &ProcessCx, client: &Client) {
    let stages: Api<Stage> = in_project(client);
    let Some(name) = some_name(&stages, cx.dice()).await else { return };
    let Ok(stage) = stages.get(&name).await else { return };
    drop(stages.delete(&name, &DeleteParams::default()).await);
    cx.pause(Duration::from_secs(30)).await;
    let again: Stage = parsed(json!({
        "metadata": {"name": name, "namespace": PROJECT}, "spec": stage.spec,
    }));
    make(cx, &stages, &again).await;
}

/// Annotates some object.
async fn annotate<K>(client: &Client, dice: &Dice, key: &str, value: &str)
where
    K: kube::Resource<Scope = k8s_openapi::NamespaceResourceScope, DynamicType = ()>,
    K: Clone + std::fmt::Debug + serde::de::DeserializeOwned,
{
    let api: Api<K> = in_project(client);
    let Some(name) = some_name(&api, dice).await else { return };
    let change = Patch::Merge(json!({"metadata": {"annotations": {key: value}}}));
    drop(api.patch(&name, &PatchParams::default(), &change).await);
}

/// The name of some object; `None` when there is none, or nobody answers.
async fn some_name<K>(api: &Api<K>, dice: &Dice) -> Option<String>
where
    K: kube::Resource + Clone + std::fmt::Debug + serde::de::DeserializeOwned,
{
    let list = api.list(&ListParams::default()).await.ok()?;
    dice.pick(&list.items).and_then(|object| object.meta().name.clone())
}

/// Creates an object, again and again until it is there or cannot be.
async fn make<K>(cx: &ProcessCx, api: &Api<K>, object: &K)
where
    K: Clone + std::fmt::Debug + serde::de::DeserializeOwned + serde::Serialize,
{
    loop {
        match api.create(&PostParams::default(), object).await {
            Ok(_) => return,
            Err(kube::Error::Api(status)) if status.code == 422 => return cx.tell(&status.message),
            Err(kube::Error::Api(status)) if status.reason == "AlreadyExists" => return,
            Err(_) => cx.pause(PATIENCE).await,
        }
    }
}

pub(super) fn in_project<K>(client: &Client) -> Api<K>
where
    K: kube::Resource<Scope = k8s_openapi::NamespaceResourceScope, DynamicType = ()>,
{
    Api::namespaced(client.clone(), PROJECT)
}

fn parsed<T: serde::de::DeserializeOwned>(value: Value) -> T {
    serde_json::from_value(value).unwrap()
}
