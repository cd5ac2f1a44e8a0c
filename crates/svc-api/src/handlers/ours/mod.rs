//! What this server has beside upstream's routes.

mod access_review;
mod activity;
mod eligibility;
mod overview;
mod step_log;
mod stream;

use axum::Router;

use super::{find_stage, mount as add};
use crate::api::Api;

pub(super) fn mount(router: Router<Api>) -> Router<Api> {
    let router = add(router, "StreamProject", stream::project_stream);
    let router = add(router, "CheckEligibility", eligibility::eligibility_check);
    let router = add(router, "GetPromotionStepLogs", step_log::step_log_get);
    let router = add(router, "ReviewAccess", access_review::access_review);
    let router = add(router, "ListActivity", activity::activity_list);
    add(router, "GetOverview", overview::overview_get)
}
