//! Promotions, and the tasks that their steps come from.

use std::sync::Arc;

use api_kinds::Promotion;
use axum::{Router, extract::Path, response::Response};
use core_rules::action;
use http::HeaderMap;

use super::{Done, get, get_or_watch, list, list_or_watch, mount as add, refresh::refresh};
use crate::{
    api::Api,
    api_error::{ApiError, ApiResult},
    caller::{Caller, Target, Verb},
    document::Document,
    listing,
    query::Query,
    watch::Filter,
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
    let promotions = &caller.mirrors().promotions;
    let filter = chosen(&query)?;
    list_or_watch(&caller, promotions, &project, (&query, &headers), filter).await
}

/// Which Promotions are asked for; `None` when all are.
fn chosen(query: &Query) -> ApiResult<Option<Filter>> {
    let (stage, wanted) = (query.text("stage").to_owned(), listing::promotions(query)?);
    if stage.is_empty() {
        return Ok(wanted);
    }
    let of_stage = wanted.unwrap_or_else(Filter::all);
    Ok(Some(of_stage.and(move |promotion| promotion.has_tag(&stage))))
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
