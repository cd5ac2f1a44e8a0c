//! `authorized-stages` and `request-annotations`: small grammars in annotations.

use core_rules::request::{AbortRequest, VerificationRequest};
use core_rules::stage::{AuthorizedStage, parse_authorized_stages};
use serde_json::{Value, json};

use crate::{Answer, Case};

pub(super) fn run_authorized_stages(case: &Case<'_>) -> Answer {
    let as_json = |stage: &AuthorizedStage| json!({"project": stage.project, "stage": stage.stage});
    let stages = parse_authorized_stages(case.text("value"));
    stages.map(|stages| stages.iter().map(as_json).collect::<Value>()).into()
}

pub(super) fn run_requests(case: &Case<'_>) -> Answer {
    let value = case.text("value");
    let request = match case.text("kind") {
        "abort-promotion" => serde_json::to_value(AbortRequest::parse(value)),
        _ => serde_json::to_value(VerificationRequest::parse(value)),
    };
    request.into()
}
