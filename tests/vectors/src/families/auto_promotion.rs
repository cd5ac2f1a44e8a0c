//! `auto-promotion`, `auto-promotion-candidates`, `auto-promotion-policy`: what is promoted without
//! anybody asking.

use api_kinds::{Freight, ProjectConfig, Promotion, Stage};
use core_clock::Time;
use core_rules::auto_promotion::{Decision, Pass, candidates, effective_holds, is_enabled, plan};
use core_rules::gate::PassingStages;
use serde_json::{Map, Value, json};

use super::{object, objects};
use crate::{Answer, Case};

pub(super) fn run(case: &Case<'_>) -> Answer {
    let (Some(stage), Some(freight), Some(promotions)) = (
        object::<Stage>(case, "stage"),
        objects::<Freight>(case, "freight"),
        objects::<Promotion>(case, "promotions"),
    ) else {
        return Answer::refused();
    };
    let is_enabled = case.member("enabled").and_then(Value::as_bool).unwrap_or_default();

    let freight: Vec<&Freight> = freight.iter().collect();
    let promotions: Vec<&Promotion> = promotions.iter().collect();
    let holds = effective_holds(&stage, is_enabled, &promotions);
    let passing_stages = PassingStages::new();
    let decisions = plan(&Pass {
        stage: &stage,
        is_enabled,
        freight: &freight,
        promotions: &promotions,
        holds: &holds,
        window: None,
        passing_stages: &passing_stages,
        now: Time::default(),
    });
    let promoted = decisions.iter().filter_map(Decision::promotes);
    let mut names: Vec<&str> =
        promoted.filter_map(|freight| freight.metadata.name.as_deref()).collect();
    names.sort_unstable();
    Answer::value(json!({"effectiveHolds": holds, "promoted": names}))
}

pub(super) fn run_candidates(case: &Case<'_>) -> Answer {
    let (Some(stage), Some(freight)) =
        (object::<Stage>(case, "stage"), objects::<Freight>(case, "freight"))
    else {
        return Answer::refused();
    };
    let available = case.texts("available");
    let is_listed = |freight: &&Freight| {
        freight.metadata.name.as_deref().is_some_and(|n| available.contains(&n))
    };
    let selectable: Vec<&Freight> = freight.iter().filter(is_listed).collect();
    let picks = candidates(&stage, &selectable).into_iter();
    let picks = picks.map(|(origin, freight)| (origin.to_string(), json!(freight.metadata.name)));
    Answer::value(picks.collect::<Map<String, Value>>())
}

pub(super) fn run_policy(case: &Case<'_>) -> Answer {
    let metadata = case.member_or_null("stage");
    let stage = serde_json::from_value::<Stage>(json!({"metadata": metadata})).unwrap_or_default();
    let config = case.member("policies").filter(|policies| !policies.is_null()).map(|policies| {
        let config = json!({"spec": {"promotionPolicies": policies}});
        serde_json::from_value::<ProjectConfig>(config).unwrap_or_default()
    });
    is_enabled(config.as_ref(), &stage).map(Value::from).into()
}
