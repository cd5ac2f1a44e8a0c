//! What a step of a Promotion told. It is kept when the Promotion ends.

use std::collections::BTreeMap;

use api_kinds::Promotion;
use axum::{
    extract::Path,
    response::{IntoResponse, Response},
};
use core_rules::promotion::{find_log, log_name};
use http::{HeaderValue, StatusCode, header};
use k8s_openapi::api::core::v1::ConfigMap;

use crate::{
    api_error::{ApiError, ApiResult},
    caller::{Caller, Grant, Target, Verb},
    mirror::kinds,
};

const REASON: &str = "whoever may see a Promotion may read what its steps told";

/// Returns the log of a step, which is named by its position or its alias.
pub(super) async fn step_log_get(
    caller: Caller,
    Path((project, name, step)): Path<(String, String, String)>,
) -> ApiResult<Response> {
    let object = caller.get(&caller.mirrors().promotions, &project, &name).await?;
    let unreadable = || ApiError::internal("the Promotion cannot be read");
    let promotion = object.typed::<Promotion>().ok_or_else(unreadable)?;
    let data = kept(&caller, &project, &name).await?;
    let text = find_log(&data, &promotion, &step).map(str::to_owned).ok_or_else(|| {
        let when =
            if promotion.status.phase.is_terminal() { "" } else { " before the Promotion ends" };
        ApiError::not_found(format!("Promotion {name:?} has no log of step {step:?}{when}"))
    })?;
    let content_type = HeaderValue::from_static("text/plain; charset=utf-8");
    Ok(([(header::CONTENT_TYPE, content_type)], text).into_response())
}

/// The logs of a Promotion; none where nothing was kept.
async fn kept(
    caller: &Caller,
    project: &str,
    promotion: &str,
) -> ApiResult<BTreeMap<String, String>> {
    let target = Target::one(&kinds::CONFIG_MAP, project, &log_name(promotion));
    let grant = Grant::of_the_server(REASON, Verb::Get, target);
    match caller.fetch::<ConfigMap>(grant, &kinds::CONFIG_MAP).await {
        Ok(log) => Ok(log.data.unwrap_or_default()),
        Err(error) if error.status() == StatusCode::NOT_FOUND => Ok(BTreeMap::new()),
        Err(error) => Err(error),
    }
}
