//! `step-alias` and `step-status-severity`.

use api_kinds::promotion::PromotionStepStatus;
use api_kinds::step::PromotionStep;
use core_rules::step::{status_severity, step_alias};
use serde_json::Value;

use crate::{Answer, Case};

pub(super) fn run_alias(case: &Case<'_>) -> Answer {
    let step = serde_json::from_value::<PromotionStep>(case.member_or_null("step"));
    step.map(|step| Value::from(step_alias(&step, case.count("index")))).into()
}

pub(super) fn run_severity(case: &Case<'_>) -> Answer {
    let severity = |member| status_severity(&PromotionStepStatus::from(case.text(member)));
    Answer::value(severity("a").cmp(&severity("b")) as i8)
}
