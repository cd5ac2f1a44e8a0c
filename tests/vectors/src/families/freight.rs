//! `freight-id` and `freight-origin`.

use api_kinds::origin::FreightOrigin;
use core_rules::freight::{Contents, freight_name};
use serde_json::{Value, json};

use crate::{Answer, Case};

pub(super) fn run_id(case: &Case<'_>) -> Answer {
    name(case).map(Value::from).into()
}

fn name(case: &Case<'_>) -> serde_json::Result<String> {
    let list = |member| case.member(member).filter(|list| list.is_array()).cloned();
    let list = |member| list(member).unwrap_or_else(|| json!([]));
    let origin: FreightOrigin = serde_json::from_value(case.member_or_null("origin"))?;
    let contents = Contents {
        commits: &serde_json::from_value::<Vec<_>>(list("commits"))?,
        images: &serde_json::from_value::<Vec<_>>(list("images"))?,
        charts: &serde_json::from_value::<Vec<_>>(list("charts"))?,
        artifacts: &serde_json::from_value::<Vec<_>>(list("artifacts"))?,
    };
    Ok(freight_name(&origin, &contents))
}

/// The result is compared in the form the case has it: the parts, or the key written again.
pub(super) fn run_origin(case: &Case<'_>) -> Answer {
    let origin = case.text("input").parse::<FreightOrigin>();
    let as_json = |origin: FreightOrigin| match case.member("want") {
        Some(Value::String(_)) => Value::from(origin.to_string()),
        _ => json!({"kind": origin.kind, "name": origin.name}),
    };
    origin.map(as_json).into()
}
