//! Stages.

use std::sync::Arc;

use api_kinds::Stage;
use axum::{Router, extract::Path, response::Response};
use core_rules::{action, stage::requests_from_any};
use http::HeaderMap;
use serde_json::Value;

use super::{Done, Gone, delete, find_stage, get_or_watch, list_or_watch, mount as add};
use crate::{
    api::Api,
    api_error::{ApiError, ApiResult},
    caller::{Caller, Grant, Target, Verb},
    mirror::Object,
    query::Query,
    watch::Filter,
};

const REFRESH_REASON: &str = "whoever may see a Stage may ask for it to be looked at again";

pub(super) fn mount(router: Router<Api>) -> Router<Api> {
    let router = add(router, "ListStages", stage_list);
    let router = add(router, "GetStage", stage_get);
    let router = add(router, "RefreshStage", stage_refresh);
    let router = add(router, "Reverify", stage_reverify);
    let router = add(router, "AbortVerification", verification_abort);
    add(router, "DeleteStage", stage_delete)
}

/// Lists the Stages of a Project, or tells how they change.
async fn stage_list(
    caller: Caller,
    Path(project): Path<String>,
    query: Query,
    headers: HeaderMap,
) -> ApiResult<Response> {
    let origins: Vec<String> = query.many("freightOrigins").map(str::to_owned).collect();
    let filter = (!origins.is_empty()).then(|| requesting(origins));
    list_or_watch(&caller, &caller.mirrors().stages, &project, (&query, &headers), filter).await
}

/// Those that ask for Freight of one of these Warehouses, directly or by other Stages.
fn requesting(origins: Vec<String>) -> Filter {
    Filter::new(move |object: &Object| {
        let names: Vec<&str> = origins.iter().map(String::as_str).collect();
        object.typed::<Stage>().is_some_and(|stage| requests_from_any(&stage, &names))
    })
}

/// Returns a Stage, or the changes of it.
async fn stage_get(
    caller: Caller,
    Path((project, stage)): Path<(String, String)>,
    query: Query,
) -> ApiResult<Response> {
    get_or_watch(&caller, &caller.mirrors().stages, (&project, &stage), &query).await
}

/// Asks for a reconciliation of a Stage, and of the Promotion that it waits for.
async fn stage_refresh(
    caller: Caller,
    Path((project, name)): Path<(String, String)>,
) -> ApiResult<Done> {
    let (stages, promotions) = (&caller.mirrors().stages, &caller.mirrors().promotions);
    let object = caller.get(stages, &project, &name).await?;
    let stage: Arc<Stage> =
        object.typed().ok_or_else(|| ApiError::internal("the Stage cannot be read"))?;
    let refresh = action::refresh_stage(&stage, caller.api().ports().clock.now());
    let grant = |target| Grant::of_the_server(REFRESH_REASON, Verb::Patch, target);
    let target = Target::one(stages.kind(), &project, &name);
    caller.merge_patch(grant(target), stages, &refresh.patch).await?;
    if let Some(promotion) = refresh.promotion {
        let target = Target::one(promotions.kind(), &project, &promotion);
        caller
            .merge_patch(grant(target), promotions, &refresh.patch)
            .await
            .map_err(|error| error.prefixed("failed to refresh current Promotion"))?;
    }
    Ok(Done)
}

/// Deletes a Stage.
async fn stage_delete(
    caller: Caller,
    Path((project, stage)): Path<(String, String)>,
) -> ApiResult<Gone> {
    delete(&caller, &caller.mirrors().stages, &project, &stage).await
}

/// Asks to verify the Freight of a Stage once more.
async fn stage_reverify(
    caller: Caller,
    Path((project, name)): Path<(String, String)>,
) -> ApiResult<Done> {
    let stage = find_stage(&caller, &project, &name).await?;
    let patch = action::reverify(&stage, &caller.actor()).map_err(ApiError::refused)?;
    patch_stage(&caller, &project, &name, &patch).await
}

/// Asks to abort the verification of a Stage's Freight.
async fn verification_abort(
    caller: Caller,
    Path((project, name)): Path<(String, String)>,
) -> ApiResult<Done> {
    let stage = find_stage(&caller, &project, &name).await?;
    let patch = action::abort_verification(&stage, &caller.actor()).map_err(ApiError::refused)?;
    match patch {
        Some(patch) => patch_stage(&caller, &project, &name, &patch).await,
        None => Ok(Done),
    }
}

async fn patch_stage(caller: &Caller, project: &str, name: &str, patch: &Value) -> ApiResult<Done> {
    let stages = &caller.mirrors().stages;
    let grant = caller.require(Verb::Patch, &Target::one(stages.kind(), project, name)).await?;
    caller.merge_patch(grant, stages, patch).await?;
    Ok(Done)
}
