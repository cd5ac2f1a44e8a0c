//! `auto-promotion`, `auto-promotion-candidates`, `auto-promotion-policy`: what is promoted without
//! anybody asking.

use api_kinds::{Freight, ProjectConfig, Promotion, Stage};
use core_clock::Time;
use core_rules::auto_promotion::{
    Decision, Pass, candidates, effective_holds, intent_of, is_enabled, plan,
};
use core_rules::gate::PassingStages;
use core_rules::promotion::Sequence;
use serde_json::{Map, Value, json};

use super::{object, objects};
use crate::{Answer, Case, Exception};

pub(super) const OVERTAKEN_INTENT: Exception = Exception {
    name: "overtaken-intent",
    reason: "what a Promotion under way is meant to hold or resume counts, also when one that was created later has ended",
    applies: has_overtaken_intent,
};

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

fn has_overtaken_intent(case: &Case<'_>) -> bool {
    let stage: Stage = object(case, "stage").unwrap_or_default();
    let promotions: Vec<Promotion> = objects(case, "promotions").unwrap_or_default();
    let requests = &stage.spec.requested_freight;
    stage.status.last_promotion.as_ref().is_some_and(|last| {
        promotions.iter().any(|promotion| {
            Some(&promotion.spec.stage) == stage.metadata.name.as_ref()
                && !promotion.status.phase.is_terminal()
                && Sequence::of(promotion) <= Sequence::of_name(&last.name)
                && requests.iter().any(|request| intent_of(promotion, &request.origin).is_some())
        })
    })
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
