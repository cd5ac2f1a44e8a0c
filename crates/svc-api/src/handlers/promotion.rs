//! Promotions, and the tasks that their steps come from.

use std::sync::Arc;

use api_kinds::Promotion;
use axum::{
    Router,
    extract::Path,
    response::{IntoResponse, Response},
};
use core_rules::action;
use http::HeaderMap;

use super::{Done, get, get_or_watch, list, mount as add, refresh::refresh};
use crate::{
    api::Api,
    api_error::{ApiError, ApiResult},
    caller::{Caller, Target, Verb},
    document::Document,
    query::Query,
    watch::{self, Filter, From},
};

pub(super) fn mount(router: Router<Api>) -> Router<Api> {
    let router = add(router, "ListPromotions", promotion_list);
    let router = add(router, "GetPromotion", promotion_get);
    let router = add(router, "RefreshPromotion", promotion_refresh);
    let router = add(router, "AbortPromotion", promotion_abort);
    let router = add(router, "ListPromotionTasks", promotion_task_list);
    let router = add(router, "GetPromotionTask", promotion_task_get);
    let router = add(router, "ListClusterPromotionTasks", cluster_promotion_task_list);
    add(router, "GetClusterPromotionTask", cluster_promotion_task_get)
}

/// Lists the Promotions of a Project, or tells how they change.
async fn promotion_list(
    caller: Caller,
    Path(project): Path<String>,
    query: Query,
    headers: HeaderMap,
) -> ApiResult<Response> {
    let (promotions, stage) = (&caller.mirrors().promotions, query.text("stage"));
    if query.flag("watch") {
        let filter = if stage.is_empty() { Filter::all() } else { of_stage(stage) };
        let from = From::read(&headers, query.text("resourceVersion"));
        return watch::watch(&caller, promotions, &project, filter, from).await;
    }
    let promotions = caller.list(promotions, &project).await?;
    if stage.is_empty() {
        return Ok(promotions.document(&project).into_response());
    }
    Ok(promotions.list_document(&promotions.tagged_at(stage, &project)).into_response())
}

fn of_stage(stage: &str) -> Filter {
    let stage = stage.to_owned();
    Filter::new(move |promotion| promotion.has_tag(&stage))
}

/// Returns a Promotion, or the changes of it.
async fn promotion_get(
    caller: Caller,
    Path((project, promotion)): Path<(String, String)>,
    query: Query,
) -> ApiResult<Response> {
    get_or_watch(&caller, &caller.mirrors().promotions, (&project, &promotion), &query).await
}

/// Asks for a reconciliation of a Promotion.
async fn promotion_refresh(
    caller: Caller,
    Path((project, promotion)): Path<(String, String)>,
) -> ApiResult<Done> {
    refresh(&caller, &caller.mirrors().promotions, &project, &promotion).await
}

/// Asks to abort a Promotion.
async fn promotion_abort(
    caller: Caller,
    Path((project, name)): Path<(String, String)>,
) -> ApiResult<Done> {
    let promotions = &caller.mirrors().promotions;
    let object = caller.get(promotions, &project, &name).await?;
    let unread = || ApiError::internal("the Promotion cannot be read");
    let promotion: Arc<Promotion> = object.typed().ok_or_else(unread)?;
    if let Some(patch) = action::abort_promotion(&promotion, &caller.actor()) {
        let target = Target::one(promotions.kind(), &project, &name);
        let grant = caller.require(Verb::Patch, &target).await?;
        caller.merge_patch(grant, promotions, &patch).await?;
    }
    Ok(Done)
}

/// Lists the PromotionTasks of a Project.
async fn promotion_task_list(caller: Caller, Path(project): Path<String>) -> ApiResult<Document> {
    list(&caller, &caller.mirrors().promotion_tasks, &project).await
}

/// Returns a PromotionTask.
async fn promotion_task_get(
    caller: Caller,
    Path((project, task)): Path<(String, String)>,
) -> ApiResult<Document> {
    get(&caller, &caller.mirrors().promotion_tasks, &project, &task).await
}

/// Lists the ClusterPromotionTasks.
async fn cluster_promotion_task_list(caller: Caller) -> ApiResult<Document> {
    list(&caller, &caller.mirrors().cluster_promotion_tasks, "").await
}

/// Returns a ClusterPromotionTask.
async fn cluster_promotion_task_get(
    caller: Caller,
    Path(task): Path<String>,
) -> ApiResult<Document> {
    get(&caller, &caller.mirrors().cluster_promotion_tasks, "", &task).await
}
