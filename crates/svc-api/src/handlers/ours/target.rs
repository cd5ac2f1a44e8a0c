//! Targets, and the PromotionRequests that promote to them.

use axum::{extract::Path, response::Response};
use http::HeaderMap;

use super::{get_or_watch, list_or_watch};
use crate::{api_error::ApiResult, caller::Caller, query::Query, watch::Filter};

/// Lists the Targets of a Project, or tells how they change.
pub(super) async fn target_list(
    caller: Caller,
    Path(project): Path<String>,
    query: Query,
    headers: HeaderMap,
) -> ApiResult<Response> {
    let targets = &caller.mirrors().targets;
    list_or_watch(&caller, targets, &project, (&query, &headers), None).await
}

/// Returns a Target, or the changes of it.
pub(super) async fn target_get(
    caller: Caller,
    Path((project, target)): Path<(String, String)>,
    query: Query,
) -> ApiResult<Response> {
    get_or_watch(&caller, &caller.mirrors().targets, (&project, &target), &query).await
}

/// Lists the PromotionRequests of a Project or of a Stage, or tells how they change.
pub(super) async fn promotion_request_list(
    caller: Caller,
    Path(project): Path<String>,
    query: Query,
    headers: HeaderMap,
) -> ApiResult<Response> {
    let requests = &caller.mirrors().promotion_requests;
    let stage = query.text("stage").to_owned();
    let of_stage =
        (!stage.is_empty()).then(|| Filter::all().and(move |request| request.has_tag(&stage)));
    list_or_watch(&caller, requests, &project, (&query, &headers), of_stage).await
}

/// Returns a PromotionRequest, or the changes of it.
pub(super) async fn promotion_request_get(
    caller: Caller,
    Path((project, request)): Path<(String, String)>,
    query: Query,
) -> ApiResult<Response> {
    get_or_watch(&caller, &caller.mirrors().promotion_requests, (&project, &request), &query).await
}
