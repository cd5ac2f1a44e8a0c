//! What must hold of the gate whatever Freight, Stage and time look like.

use std::collections::BTreeMap;

use api_kinds::stage::AutoPromotionHold;
use api_kinds::{Freight, Stage};
use core_clock::Time;
use proptest::prelude::*;
use proptest::sample::subsequence;
use serde_json::{Map, Value, json};

use super::{
    Answer, Arrival, AutoView, Availability, PassingStages, Permission, Question, Situation,
    availability, available, judge, selectable,
};
use crate::auto_promotion::candidates;

const NAMES: [&str; 3] = ["dev", "qa", "perf"];
const START: i64 = 1_768_000_000;

fn stages() -> impl Strategy<Value = Vec<&'static str>> {
    subsequence(NAMES.to_vec(), 0..=NAMES.len()).prop_shuffle()
}

fn sources() -> impl Strategy<Value = Value> {
    let soak = prop_oneof![Just(None), (0u32..180).prop_map(Some)];
    let strategy = prop_oneof![Just("All"), Just("OneOf"), Just("")];
    let policy = prop_oneof![Just("NewestFreight"), Just("MatchUpstream")];
    (prop::bool::weighted(0.2), stages(), soak, strategy, policy).prop_map(
        |(direct, stages, soak, strategy, policy)| {
            let mut sources = json!({
                "direct": direct, "stages": stages, "availabilityStrategy": strategy,
                "autoPromotionOptions": {"selectionPolicy": policy},
            });
            if let Some(minutes) = soak {
                sources["requiredSoakTime"] = json!(format!("{minutes}m"));
            }
            sources
        },
    )
}

fn stage() -> impl Strategy<Value = Stage> {
    prop::collection::vec(sources(), 1..3).prop_map(|sources| {
        let request = |(index, sources): (usize, &Value)| {
            json!({"origin": {"kind": "Warehouse", "name": format!("w{index}")}, "sources": sources})
        };
        let requests: Vec<Value> = sources.iter().enumerate().map(request).collect();
        let metadata = json!({"name": "prod", "namespace": "demo"});
        let spec = json!({"requestedFreight": requests});
        serde_json::from_value(json!({"metadata": metadata, "spec": spec})).unwrap()
    })
}

fn by_stage(entries: Vec<(&'static str, Value)>) -> Value {
    entries.into_iter().map(|(name, value)| (name.to_owned(), value)).collect::<Map<_, _>>().into()
}

fn freight() -> impl Strategy<Value = Freight> {
    let ago = |minutes: i64| Time::from_seconds(START - 60 * minutes).to_string();
    let stay = (0i64..240).prop_map(move |minutes| json!({"since": ago(minutes)}));
    let verified = (0i64..240).prop_map(|minutes| json!({"longestSoak": format!("{minutes}m")}));
    let anywhere = || prop::sample::select(NAMES.to_vec());
    let stays = prop::collection::vec((anywhere(), stay), 0..4);
    let verifications = prop::collection::vec((anywhere(), verified), 0..4);
    (0..3u8, 0..20u8, prop::bool::weighted(0.1), stays, verifications).prop_map(
        |(warehouse, number, is_approved, stays, verifications)| {
            let approved = if is_approved { json!({"prod": {}}) } else { json!({}) };
            serde_json::from_value(json!({
                "metadata": {"name": format!("f{number:02}"), "namespace": "demo"},
                "origin": {"kind": "Warehouse", "name": format!("w{warehouse}")},
                "status": {
                    "approvedFor": approved,
                    "currentlyIn": by_stage(stays),
                    "verifiedIn": by_stage(verifications),
                },
            }))
            .unwrap()
        },
    )
}

fn at(stage: &Stage, freight: &Freight, minutes: i64) -> (Availability, Answer) {
    let passing_stages = PassingStages::new();
    let now = Time::from_seconds(START + 60 * minutes);
    let arrival = Arrival { freight, stage, passing_stages: &passing_stages, now };
    let answer = judge(&Situation::by_hand(arrival, Permission::NotAsked));
    (availability(&arrival), answer)
}

/// The documented rule, written the long way.
fn is_available_by_the_book(stage: &Stage, freight: &Freight, now: Time) -> bool {
    stage.spec.requested_freight.iter().filter(|r| r.origin == freight.origin).any(|request| {
        let sources = &request.sources;
        let is_content = |name: &String| {
            freight.status.verified_in.get(name).is_some_and(|verified| {
                let stay = freight.status.currently_in.get(name);
                let since = stay.and_then(|stay| stay.since.as_ref());
                let present = since.map_or(0, |since| now.as_seconds() - since.0.as_second());
                let ended = verified.longest_completed_soak.unwrap_or_default().as_nanos();
                let required = sources.required_soak_time.unwrap_or_default().as_nanos();
                present * 1_000_000_000 >= required || ended >= required
            })
        };
        freight.status.approved_for.contains_key("prod")
            || sources.direct
            || match sources.availability_strategy.as_str() {
                "All" => sources.stages.iter().all(is_content),
                _ => sources.stages.iter().any(is_content),
            }
    })
}

proptest! {
    #[test]
    fn the_gate_follows_the_book_and_both_forms_agree(
        stage in stage(), freight in freight(), minutes in 0i64..300,
    ) {
        let (availability, answer) = at(&stage, &freight, minutes);
        let now = Time::from_seconds(START + 60 * minutes);
        let expected = is_available_by_the_book(&stage, &freight, now);
        prop_assert_eq!(availability == Availability::Available, expected);
        prop_assert_eq!(answer.allows(Question::Enter), expected);
        let listed = available(&stage, [&freight], &PassingStages::new(), now);
        prop_assert_eq!(listed.len() == 1, expected);
    }

    #[test]
    fn what_is_available_stays_so_and_what_will_be_becomes_so_on_time(
        stage in stage(), freight in freight(), minutes in 0i64..300,
    ) {
        match at(&stage, &freight, 0).0 {
            Availability::Available => {
                prop_assert_eq!(at(&stage, &freight, minutes).0, Availability::Available);
            }
            Availability::Later(opening) => {
                let is_open = Time::from_seconds(START + 60 * minutes) >= opening;
                let later = at(&stage, &freight, minutes).0;
                prop_assert_eq!(later == Availability::Available, is_open);
            }
            Availability::Unavailable => {
                prop_assert_eq!(at(&stage, &freight, minutes).0, Availability::Unavailable);
            }
        }
    }

    #[test]
    fn a_refusal_and_its_end_are_the_same_in_the_checks(stage in stage(), freight in freight()) {
        let (availability, answer) = at(&stage, &freight, 0);
        let opening = match availability {
            Availability::Later(opening) => Some(opening),
            _ => None,
        };
        prop_assert_eq!(answer.changes_at(Question::Enter), opening);
        prop_assert!(answer.checks().iter().all(|check| !check.sentence.is_empty()));
    }

    #[test]
    fn what_a_machine_may_do_a_person_may_do_too(
        stage in stage(), freight in freight(), is_enabled: bool, is_held: bool, is_picked: bool,
    ) {
        let mut holds = BTreeMap::new();
        if is_held {
            holds.insert(freight.origin.to_string(), AutoPromotionHold::default());
        }
        let candidate = freight.metadata.name.as_deref().filter(|_| is_picked);
        let view = AutoView { is_enabled, candidate, holds: &holds, promotions: &[] };
        let passing_stages = PassingStages::new();
        let now = Time::from_seconds(START);
        let arrival =
            Arrival { freight: &freight, stage: &stage, passing_stages: &passing_stages, now };
        let situation = Situation::by_hand(arrival, Permission::NotAsked);
        let enter = judge(&situation).allows(Question::Enter);
        let answer = judge(&situation.with_auto(view));
        prop_assert_eq!(answer.allows(Question::Enter), enter);
        let nothing_stops_it = is_enabled && is_picked && !is_held;
        prop_assert_eq!(answer.allows(Question::Auto), enter && nothing_stops_it);
    }

    #[test]
    fn order_makes_no_difference(
        stage in stage(),
        (freight, shuffled) in prop::collection::vec(freight(), 0..8)
            .prop_flat_map(|freight| (Just(freight.clone()), Just(freight).prop_shuffle())),
    ) {
        let now = Time::from_seconds(START);
        let names = |freight: Vec<&Freight>| -> Vec<Option<String>> {
            freight.into_iter().map(|freight| freight.metadata.name.clone()).collect()
        };
        let mut turned = stage.clone();
        turned.spec.requested_freight.reverse();
        for request in &mut turned.spec.requested_freight {
            request.sources.stages.reverse();
        }
        let passing = PassingStages::new();
        prop_assert_eq!(
            names(available(&stage, &freight, &passing, now)),
            names(available(&turned, &shuffled, &passing, now))
        );
        let picked = selectable(&stage, &freight, &passing, now);
        let all = available(&stage, &freight, &passing, now);
        prop_assert!(picked.iter().all(|freight| all.contains(freight)));
        let mut backwards = picked.clone();
        backwards.reverse();
        let picks = |stage: &Stage, selectable: &[&Freight]| {
            names(candidates(stage, selectable).into_values().collect())
        };
        prop_assert_eq!(picks(&stage, &picked), picks(&turned, &backwards));
    }
}
