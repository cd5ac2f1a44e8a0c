//! `freight-summary`, `promotion-order`: what a Stage says it holds, and whose turn it is.

use api_kinds::Promotion;
use api_kinds::collection::FreightCollection;
use core_rules::promotion::compare_in_queue;
use core_rules::stage::freight_summary;
use serde_json::{Value, json};

use super::object;
use crate::{Answer, Case};

pub(super) fn run_summary(case: &Case<'_>) -> Answer {
    let current: Option<FreightCollection> = object(case, "current");
    Answer::value(freight_summary(case.count("requested"), current.as_ref()))
}

pub(super) fn run_order(case: &Case<'_>) -> Answer {
    let promotions = case.member("promotions").and_then(Value::as_array);
    let mut promotions: Vec<Promotion> = promotions.into_iter().flatten().map(promotion).collect();
    promotions.sort_by(compare_in_queue);
    let names = promotions.into_iter().map(|promotion| promotion.metadata.name);
    Answer::value(json!(names.collect::<Vec<_>>()))
}

fn promotion(short: &Value) -> Promotion {
    let promotion =
        json!({"metadata": {"name": short["name"]}, "status": {"phase": short["phase"]}});
    serde_json::from_value(promotion).unwrap_or_default()
}
