//! `promotion-phase`: what the steps of a Promotion add up to.

use api_kinds::promotion::StepExecutionMetadata;
use core_engine::{final_phase, has_failures};
use serde_json::json;

use super::objects;
use crate::{Answer, Case};

pub(super) fn run(case: &Case<'_>) -> Answer {
    let records: Vec<StepExecutionMetadata> = objects(case, "steps").unwrap_or_default();
    let end = final_phase(&records);
    Answer::value(json!({"phase": end.phase, "message": end.message}))
        .and("hasFailures", has_failures(&records))
}
