//! ConfigMaps.

use api_rest::body::{CreateConfigMap, PatchConfigMap, UpdateConfigMap};
use axum::Router;
use core_rules::credential::{CredentialError, config_map};
use k8s_openapi::api::core::v1::ConfigMap;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::{Gone, mount as add};
use crate::{
    api::Api,
    api_error::{ApiError, ApiResult},
    caller::{Caller, Target, Verb},
    document::Document,
    json::Json,
    mirror::kinds,
    place::Place,
};

pub(super) fn mount(mut router: Router<Api>) -> Router<Api> {
    for scope in ["Project", "Shared", "System"] {
        let named = |verb: &str| format!("{verb}{scope}ConfigMap");
        router = add(router, &format!("List{scope}ConfigMaps"), config_map_list);
        router = add(router, &named("Create"), config_map_create);
        router = add(router, &named("Get"), config_map_get);
        router = add(router, &named("Update"), config_map_update);
        router = add(router, &named("Patch"), config_map_patch);
        router = add(router, &named("Delete"), config_map_delete);
    }
    router
}

/// Lists ConfigMaps.
async fn config_map_list(caller: Caller, place: Place) -> ApiResult<Document> {
    let target = Target::all(&kinds::CONFIG_MAP, place.namespace(caller.api().settings()));
    let grant = place.require(&caller, Verb::List, &target).await?;
    let mut items: Vec<ConfigMap> = caller.fetch_all(grant, &kinds::CONFIG_MAP, "").await?;
    items.sort_by(|one, other| one.metadata.name.cmp(&other.metadata.name));
    Document::of(
        &json!({"apiVersion": "v1", "kind": "ConfigMapList", "metadata": {}, "items": items}),
    )
}

/// Creates a ConfigMap.
async fn config_map_create(
    caller: Caller,
    place: Place,
    Json(sent): Json<CreateConfigMap>,
) -> ApiResult<Document> {
    let namespace = place.namespace(caller.api().settings());
    let made = config_map::create(&sent, namespace).map_err(ApiError::refused)?;
    let target = Target::one(&kinds::CONFIG_MAP, namespace, &sent.name);
    let grant = place.require(&caller, Verb::Create, &target).await?;
    let written = caller.create(grant, &kinds::CONFIG_MAP, None, &made).await?;
    Ok(Document::of(&written)?.with_status(201))
}

/// Returns a ConfigMap.
async fn config_map_get(caller: Caller, place: Place) -> ApiResult<Document> {
    Document::of(&fetch::<Value>(&caller, &place).await?)
}

/// Replaces the values of a ConfigMap.
async fn config_map_update(
    caller: Caller,
    place: Place,
    Json(sent): Json<UpdateConfigMap>,
) -> ApiResult<Document> {
    update(&caller, &place, |stored| config_map::put(stored, &sent)).await
}

/// Changes values of a ConfigMap.
async fn config_map_patch(
    caller: Caller,
    place: Place,
    Json(sent): Json<PatchConfigMap>,
) -> ApiResult<Document> {
    update(&caller, &place, |stored| config_map::patch(stored, &sent)).await
}

/// Deletes a ConfigMap.
async fn config_map_delete(caller: Caller, place: Place) -> ApiResult<Gone> {
    let grant = place.require(&caller, Verb::Delete, &target(&caller, &place)).await?;
    caller.remove(grant, &kinds::CONFIG_MAP).await?;
    Ok(Gone)
}

async fn fetch<K: DeserializeOwned>(caller: &Caller, place: &Place) -> ApiResult<K> {
    let grant = place.require(caller, Verb::Get, &target(caller, place)).await?;
    caller.fetch(grant, &kinds::CONFIG_MAP).await
}

fn target(caller: &Caller, place: &Place) -> Target {
    Target::one(&kinds::CONFIG_MAP, place.namespace(caller.api().settings()), &place.name)
}

async fn update(
    caller: &Caller,
    place: &Place,
    change: impl FnOnce(&ConfigMap) -> Result<ConfigMap, CredentialError>,
) -> ApiResult<Document> {
    let stored = fetch(caller, place).await?;
    let changed = change(&stored).map_err(ApiError::refused)?;
    let grant = place.require(caller, Verb::Update, &target(caller, place)).await?;
    Document::of(&caller.replace(grant, &kinds::CONFIG_MAP, &changed).await?)
}
