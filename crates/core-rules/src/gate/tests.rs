//! The gate's sentences, times and questions, in tables.

use std::collections::BTreeMap;
use std::time::Duration;

use api_kinds::stage::AutoPromotionHold;
use api_kinds::window::PromotionWindowStatus;
use api_kinds::{Freight, Promotion, Stage};
use core_clock::Time;
use serde_json::{Value, json};

use super::{
    Answer, Arrival, AutoView, CheckName, PassingStages, Permission, Question, QueueView,
    Situation, Verdict, judge, next_opening,
};

const NOW: &str = "2026-01-10T12:00:00Z";
const GRACE: Duration = Duration::from_mins(5);

fn time(text: &str) -> Time {
    text.parse().unwrap()
}

fn stage(sources: Value, status: Value) -> Stage {
    let request = json!({"origin": {"kind": "Warehouse", "name": "w1"}, "sources": sources});
    serde_json::from_value(json!({
        "metadata": {"name": "prod", "namespace": "demo"},
        "spec": {"requestedFreight": [request]},
        "status": status,
    }))
    .unwrap()
}

fn freight(status: Value) -> Freight {
    serde_json::from_value(json!({
        "metadata": {"name": "f1", "namespace": "demo"},
        "origin": {"kind": "Warehouse", "name": "w1"},
        "status": status,
    }))
    .unwrap()
}

fn by_hand(stage: &Stage, freight: &Freight) -> Answer {
    let passing_stages = PassingStages::new();
    let arrival = Arrival { freight, stage, passing_stages: &passing_stages, now: time(NOW) };
    judge(&Situation::by_hand(arrival, Permission::NotAsked))
}

fn verdict(answer: &Answer, name: CheckName) -> Option<Verdict> {
    answer.checks().iter().find(|check| check.name == name).map(|check| check.verdict)
}

fn refusing(answer: &Answer, question: Question) -> Vec<&'static str> {
    answer.refusals(question).map(|check| check.name.as_str()).collect()
}

#[test]
fn freight_of_another_origin_or_project_has_one_reason_against_it() {
    let stage = stage(json!({"direct": true}), json!({}));
    let mut other = freight(json!({"approvedFor": {"prod": {}}}));
    other.origin.name = "w2".into();
    let answer = by_hand(&stage, &other);
    assert_eq!(refusing(&answer, Question::Enter), ["origin"]);
    assert_eq!(
        answer.checks()[0].sentence,
        "Stage \"prod\" does not ask for Freight from Warehouse/w2, only from Warehouse/w1."
    );
    let mut foreign = freight(json!({}));
    foreign.metadata.namespace = Some("elsewhere".into());
    assert_eq!(refusing(&by_hand(&stage, &foreign), Question::Enter), ["origin"]);
}

#[test]
fn approval_stands_in_for_everything_but_the_origin() {
    let stage = stage(json!({"stages": ["qa"], "requiredSoakTime": "1h"}), json!({}));
    let without = by_hand(&stage, &freight(json!({})));
    assert_eq!(refusing(&without, Question::Enter), ["verified", "soak", "strategy"]);
    assert_eq!(verdict(&without, CheckName::Approval), Some(Verdict::NotNeeded));
    let with = by_hand(&stage, &freight(json!({"approvedFor": {"prod": {}}})));
    assert!(with.allows(Question::Enter));
    assert_eq!(verdict(&with, CheckName::Soak), Some(Verdict::NotNeeded));
}

#[test]
fn the_strategy_says_how_many_stages_must_be_content() {
    let dev_only = freight(json!({"verifiedIn": {"dev": {}}}));
    let allows = |strategy: &str, stages: Value| {
        let sources = json!({"stages": stages, "availabilityStrategy": strategy});
        by_hand(&stage(sources, json!({})), &dev_only).allows(Question::Enter)
    };
    assert!(allows("OneOf", json!(["dev", "qa"])));
    assert!(allows("", json!(["dev", "qa"])));
    assert!(!allows("All", json!(["dev", "qa"])));
    assert!(allows("All", json!(["dev"])));
    assert!(!allows("OneOf", json!([])));
    assert!(allows("All", json!([])));
    assert!(!allows("Some", json!(["dev"])));
}

#[test]
fn soak_says_when_it_ends() {
    let freight = freight(json!({
        "verifiedIn": {"dev": {}, "qa": {}},
        "currentlyIn": {
            "dev": {"since": "2026-01-10T11:30:00Z"}, "qa": {"since": "2026-01-10T11:45:00Z"},
        },
    }));
    let opening = |strategy: &str| {
        let sources = json!({
            "stages": ["dev", "qa"], "requiredSoakTime": "1h", "availabilityStrategy": strategy,
        });
        let stage = stage(sources, json!({}));
        let answer = by_hand(&stage, &freight);
        assert_eq!(refusing(&answer, Question::Enter), ["soak", "strategy"]);
        let next = next_opening(&stage, [&freight], &PassingStages::new(), time(NOW));
        assert_eq!(answer.changes_at(Question::Enter), next);
        next.map(|at| at.to_string())
    };
    assert_eq!(opening("OneOf").as_deref(), Some("2026-01-10T12:30:00Z"));
    assert_eq!(opening("All").as_deref(), Some("2026-01-10T12:45:00Z"));
}

#[test]
fn a_closed_window_refuses_everybody_until_it_opens() {
    let (stage, freight) = (stage(json!({"direct": true}), json!({})), freight(json!({})));
    let window: PromotionWindowStatus = serde_json::from_value(json!({
        "closed": true, "reason": "window \"weekend\" is active", "nextOpen": "2026-01-12T00:00:00Z",
    }))
    .unwrap();
    let passing_stages = PassingStages::new();
    let arrival = Arrival {
        freight: &freight,
        stage: &stage,
        passing_stages: &passing_stages,
        now: time(NOW),
    };
    let situation = Situation::by_hand(arrival, Permission::Granted { user: "ann" });
    let answer = judge(&situation.with_window(Some(&window)));
    assert_eq!(refusing(&answer, Question::Enter), ["window"]);
    assert_eq!(answer.changes_at(Question::Enter), Some(time("2026-01-12T00:00:00Z")));
}

#[test]
fn a_question_that_was_not_asked_is_never_answered_with_yes() {
    let answer = by_hand(&stage(json!({"direct": true}), json!({})), &freight(json!({})));
    assert!(answer.allows(Question::Enter));
    assert!(!answer.allows(Question::Auto) && !answer.allows(Question::Start));
}

/// Everything that stops machines is in the way: a hold, other Freight that is newer, a failure, a
/// queue.
#[test]
fn a_hold_or_a_queue_never_refuses_a_person() {
    let stage = stage(json!({"direct": true}), json!({}));
    let freight = freight(json!({}));
    let hold = AutoPromotionHold { freight_name: "f0".into(), ..AutoPromotionHold::default() };
    let holds = BTreeMap::from([("Warehouse/w1".to_owned(), hold)]);
    let promotion = |name: &str, freight: &str, phase: &str| -> Promotion {
        let spec = json!({"stage": "prod", "freight": freight});
        let status = json!({"phase": phase});
        let promotion = json!({"metadata": {"name": name}, "spec": spec, "status": status});
        serde_json::from_value(promotion).unwrap()
    };
    let (failed, running) = (promotion("p1", "f1", "Failed"), promotion("p2", "f0", "Running"));
    let promotions = [&failed, &running];
    let passing_stages = PassingStages::new();
    let arrival = Arrival {
        freight: &freight,
        stage: &stage,
        passing_stages: &passing_stages,
        now: time(NOW),
    };
    let situation = |permission| {
        Situation::by_hand(arrival, permission)
            .with_auto(AutoView {
                is_enabled: false,
                candidate: Some("f2"),
                holds: &holds,
                promotions: &promotions,
            })
            .with_queue(QueueView { promotions: &promotions, promotion: None, grace: GRACE })
    };
    let answer = judge(&situation(Permission::Granted { user: "ann" }));
    assert!(answer.allows(Question::Enter));
    let auto = ["policy", "selection", "hold", "earlier"];
    assert_eq!(refusing(&answer, Question::Auto), auto);
    assert_eq!(refusing(&answer, Question::Start), ["queue"]);
    let answer = judge(&situation(Permission::Denied { user: "ann" }));
    assert_eq!(refusing(&answer, Question::Enter), ["permission"]);
    assert_eq!(refusing(&answer, Question::Start), ["queue"]);
}

#[test]
fn what_came_in_is_verified_before_the_next_promotion_begins() {
    let freight = freight(json!({}));
    let starts = |status: Value| {
        let stage = stage(json!({"direct": true}), status);
        let passing_stages = PassingStages::new();
        let arrival = Arrival {
            freight: &freight,
            stage: &stage,
            passing_stages: &passing_stages,
            now: time(NOW),
        };
        let queue = QueueView { promotions: &[], promotion: None, grace: GRACE };
        let situation = Situation::by_hand(arrival, Permission::NotAsked).with_queue(queue);
        judge(&situation).allows(Question::Start)
    };
    let held = |attempts: Value| json!([{"id": "c", "verificationHistory": attempts}]);
    assert!(starts(json!({})));
    assert!(!starts(json!({"freightHistory": held(json!([]))})));
    let progressing = json!({"status": "Progressing"});
    assert!(starts(json!({"freightHistory": held(json!([])), "health": progressing})));
    let running = held(json!([{"phase": "Successful"}, {"phase": "Running"}]));
    assert!(!starts(json!({"freightHistory": running, "health": progressing})));
    assert!(starts(json!({"freightHistory": held(json!([{"phase": "Failed"}]))})));
}

#[test]
fn what_is_not_yet_healthy_is_given_time_to_be_verified() {
    let freight = freight(json!({}));
    let ask = |health: &str, finished_at: &str| {
        let status = json!({
            "freightHistory": [{"id": "c"}],
            "health": {"status": health},
            "lastPromotion": {"name": "p", "finishedAt": finished_at},
        });
        let stage = stage(json!({"direct": true}), status);
        let passing_stages = PassingStages::new();
        let now = time(NOW);
        let arrival =
            Arrival { freight: &freight, stage: &stage, passing_stages: &passing_stages, now };
        let queue = QueueView { promotions: &[], promotion: None, grace: GRACE };
        let answer = judge(&Situation::by_hand(arrival, Permission::NotAsked).with_queue(queue));
        (answer.allows(Question::Start), answer.changes_at(Question::Start))
    };
    let (recent, long_ago) = ("2026-01-10T11:56:00Z", "2026-01-10T11:55:00Z");
    for health in ["Unknown", "Progressing", "NotApplicable"] {
        assert_eq!(ask(health, recent), (false, Some(time("2026-01-10T12:01:00Z"))), "{health}");
        assert_eq!(ask(health, long_ago), (true, None), "{health}");
    }
    assert_eq!(ask("Unhealthy", recent), (true, None));
    assert_eq!(ask("Healthy", long_ago), (false, None));
}
