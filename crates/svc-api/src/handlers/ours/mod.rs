//! What this server has beside upstream's routes.

mod access_review;
mod activity;
mod announcement;
mod eligibility;
mod overview;
mod response;
mod schemas;
mod step_log;
mod stream;
mod target;

use axum::Router;

use super::{find_stage, get_or_watch, list_or_watch, mount as add};
use crate::api::Api;

pub(super) fn mount(router: Router<Api>) -> Router<Api> {
    let router = add(router, "StreamProject", stream::project_stream);
    let router = add(router, "CheckEligibility", eligibility::eligibility_check);
    let router = add(router, "GetPromotionStepLogs", step_log::step_log_get);
    let router = add(router, "GetPromotionStepPrompt", response::prompt_get);
    let router = add(router, "RespondToPromotionStep", response::response_create);
    let router = add(router, "ReviewAccess", access_review::access_review);
    let router = add(router, "ListActivity", activity::activity_list);
    let router = add(router, "GetSchemas", schemas::schemas_get);
    let router = add(router, "ListAnnouncements", announcement::announcement_list);
    let router = add(router, "ListTargets", target::target_list);
    let router = add(router, "GetTarget", target::target_get);
    let router = add(router, "ListPromotionRequests", target::promotion_request_list);
    let router = add(router, "GetPromotionRequest", target::promotion_request_get);
    add(router, "GetOverview", overview::overview_get)
}
