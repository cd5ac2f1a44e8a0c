use api_kinds::Promotion;
use api_rest::body::ResponderRule;
use core_clock::Time;
use serde_json::{Map, Value, json};

use super::*;
use crate::fault::Fault;

const NOW: Time = Time::from_seconds(1_800_000_000);

fn members(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(members) => members,
        _ => Map::new(),
    }
}

/// A Promotion whose step `ask` asks this.
fn asking(prompt: &Value) -> Promotion {
    serde_json::from_value(json!({
        "metadata": {"name": "p1", "namespace": "demo", "resourceVersion": "7"},
        "spec": {"stage": "dev", "freight": "f1", "steps": [{"uses": "copy"}, {"uses": "x", "as": "ask"}]},
        "status": {"phase": "Running", "state": {"ask": {"prompt": prompt}},
            "stepExecutionMetadata": [
                {"alias": "step-1", "status": "Succeeded"}, {"alias": "ask", "status": "Running"}]},
    }))
    .unwrap()
}

fn approval(rules: &Value, min_approvals: u32) -> Promotion {
    asking(&json!({"kind": "approval", "rules": rules, "minApprovals": min_approvals}))
}

fn input(schema: &Value) -> Promotion {
    asking(&json!({"kind": "input", "display": "why?", "schema": schema, "rules": []}))
}

/// Takes an answer and writes it down, as the API server does.
fn take(
    promotion: &mut Promotion,
    responder: &Responder<'_>,
    answer: &Answer<'_>,
) -> Result<Recorded, ResponseError> {
    let recorded = respond(promotion, "ask", responder, answer, "argocd", NOW)?;
    let annotations = recorded.patch["metadata"]["annotations"].clone();
    promotion.metadata.annotations = serde_json::from_value(annotations).unwrap();
    Ok(recorded)
}

fn with_role<'a>(user: &'a str, role: &'a str) -> Responder<'a> {
    Responder { user, roles: vec![role], ..Responder::default() }
}

fn answer(action: &str) -> Answer<'_> {
    Answer { action, ..Answer::default() }
}

fn code(answered: Result<Recorded, ResponseError>) -> u16 {
    answered.map_or_else(|error| error.class().code(), |_| 200)
}

fn state(promotion: &Promotion) -> Standing {
    let responses = responses_of(&promotion.metadata).unwrap().remove("ask").unwrap_or_default();
    standing(&prompt_of(promotion, "ask").unwrap(), &responses)
}

#[test]
fn claims_match_by_value_or_by_one_of_their_values_and_roles_by_name() {
    let claims = members(json!({"email": "a@x", "groups": ["ops", "dev"], "level": 3}));
    let person = Responder { claims: Some(&claims), roles: vec!["qa"], ..Responder::default() };
    let rule = |rule: Value| serde_json::from_value::<ResponderRule>(rule).unwrap();
    for (wanted, is_met) in [
        (json!({"claim": "email", "value": "a@x"}), true),
        (json!({"claim": "email", "value": "a"}), false),
        (json!({"claim": "groups", "value": "ops"}), true),
        (json!({"claim": "groups", "value": "op"}), false),
        (json!({"claim": "level", "value": "3"}), false),
        (json!({"claim": "groups"}), false),
        (json!({"role": "qa"}), true),
        (json!({"role": "ops"}), false),
        (json!({}), false),
    ] {
        assert_eq!(!person.met(&[rule(wanted.clone())]).is_empty(), is_met, "{wanted}");
    }
    let admin = Responder { is_administrator: true, ..Responder::default() };
    assert_eq!(admin.met(&[rule(json!({"role": "ops", "required": true}))]).len(), 1);
}

#[test]
fn distinct_people_must_approve_and_those_who_are_required_too() {
    let rules = json!([{"role": "dev"}, {"role": "ops", "required": true}]);
    let mut promotion = approval(&rules, 2);
    assert_eq!(code(take(&mut promotion, &with_role("a", "qa"), &answer(APPROVE))), 403);
    assert_eq!(code(take(&mut promotion, &with_role("a", "dev"), &answer(APPROVE))), 200);
    assert_eq!(code(take(&mut promotion, &with_role("a", "dev"), &answer(APPROVE))), 409);
    assert_eq!(code(take(&mut promotion, &with_role("b", "dev"), &answer(APPROVE))), 200);
    let awaited = "waiting for approval: 2 of 2 given; still needed: role \"ops\"";
    assert_eq!(state(&promotion), Standing::Awaited(awaited.to_owned()));
    assert_eq!(code(take(&mut promotion, &with_role("c", "ops"), &answer(APPROVE))), 200);
    assert_eq!(state(&promotion), Standing::Approved);
    let late = take(&mut promotion, &with_role("d", "dev"), &answer(REJECT)).unwrap_err();
    assert_eq!(late.to_string(), "step \"ask\" has been answered by \"c\" and is about to go on");
}

#[test]
fn one_who_is_against_it_is_enough() {
    let mut promotion = approval(&json!([]), 2);
    take(&mut promotion, &with_role("a", "x"), &answer(APPROVE)).unwrap();
    let no = Answer { message: "not today", ..answer(REJECT) };
    let recorded = take(&mut promotion, &with_role("b", "x"), &no).unwrap();
    assert_eq!(recorded.patch["metadata"]["resourceVersion"], "7");
    assert_eq!(
        recorded.event.message,
        "Step \"ask\" was answered with \"reject\" by \"b\": not today"
    );
    assert_eq!(state(&promotion), Standing::Rejected(recorded.response));
    assert_eq!(code(take(&mut promotion, &with_role("c", "x"), &answer(APPROVE))), 409);
}

#[test]
fn an_answer_that_met_none_of_the_rules_does_not_count() {
    let mut promotion = approval(&json!([]), 1);
    take(&mut promotion, &with_role("a", "dev"), &answer(APPROVE)).unwrap();
    let kept = promotion.metadata.annotations.take();
    let mut strict = approval(&json!([{"role": "dev"}]), 1);
    strict.metadata.annotations = kept;
    assert!(matches!(state(&strict), Standing::Awaited(_)));
    assert_eq!(code(take(&mut strict, &with_role("a", "dev"), &answer(APPROVE))), 200);
    assert_eq!(state(&strict), Standing::Approved);
    let responses = responses_of(&strict.metadata).unwrap();
    assert_eq!(responses["ask"].len(), 2, "nothing is taken away");
}

#[test]
fn only_what_waits_is_answered() {
    let anybody = with_role("a", "x");
    let asked = |promotion: &Promotion, step: &str| {
        respond(promotion, step, &anybody, &answer(APPROVE), "argocd", NOW).unwrap_err().to_string()
    };
    let waiting = approval(&json!([]), 1);
    assert_eq!(asked(&waiting, "nope"), "Promotion \"p1\" has no step \"nope\"");
    let not_waiting = "step \"ask\" is not waiting for an answer";
    assert_eq!(asked(&waiting, "step-1"), not_waiting.replace("ask", "step-1"));
    let mut ended = waiting.clone();
    ended.status.phase = api_kinds::promotion::PromotionPhase::Aborted;
    assert_eq!(asked(&ended, "ask"), not_waiting);
    let mut over = waiting.clone();
    over.status.step_execution_metadata[1].finished_at =
        serde_json::from_str("\"2026-01-02T03:04:05Z\"").ok();
    assert_eq!(asked(&over, "ask"), not_waiting);
    let mut restarted = waiting;
    restarted.status.step_execution_metadata.clear();
    assert_eq!(asked(&restarted, "ask"), not_waiting);
}

#[test]
fn answers_fit_what_is_asked() {
    let schema = json!({"type": "object", "required": ["n"], "additionalProperties": false,
        "properties": {"n": {"type": "integer", "maximum": 5}, "a/b": {"type": "string"}}});
    let mut promotion = input(&schema);
    let person = with_role("a", "x");
    let with = |values: Value| Answer { values: members(values), ..answer(SUBMIT) };
    assert_eq!(code(take(&mut promotion, &person, &answer(APPROVE))), 400);
    assert_eq!(code(take(&mut approval(&json!([]), 1), &person, &answer(SUBMIT))), 400);
    let long = "x".repeat(2_000);
    let wordy = Answer { message: &long, ..with(json!({"n": 1})) };
    assert_eq!(code(take(&mut promotion, &person, &wordy)), 400);
    let refused = take(&mut promotion, &person, &with(json!({"a/b": 1, "z": 2}))).unwrap_err();
    assert_eq!(refused.class().code(), 422);
    let mut pointers: Vec<&str> =
        refused.violations().iter().map(|violation| violation.pointer.as_str()).collect();
    pointers.sort_unstable();
    assert_eq!(pointers, ["/a~1b", "/n", "/z"]);
    assert_eq!(code(take(&mut promotion, &person, &with(json!({"n": 5})))), 200);
    let kept = responses_of(&promotion.metadata).unwrap();
    assert_eq!(kept["ask"][0].values, members(json!({"n": 5})));
    assert!(matches!(state(&promotion), Standing::Submitted(given) if given.values["n"] == 5));
    assert_eq!(code(take(&mut promotion, &with_role("b", "x"), &with(json!({"n": 1})))), 409);
    let mut stricter = input(&json!({"type": "object", "required": ["reason"]}));
    stricter.metadata.annotations = promotion.metadata.annotations.take();
    assert_eq!(state(&stricter), Standing::Awaited("waiting for input".to_owned()));
    assert_eq!(code(take(&mut stricter, &person, &with(json!({"reason": "x"})))), 200);
}

#[test]
fn schemas_are_of_an_object_of_a_known_draft_and_stand_alone() {
    let problem = |schema: Value| InputSchema::compile(&schema).err().map(|it| it.to_string());
    let of = |draft: &str| json!({"$schema": draft, "type": "object"});
    for draft in ["04", "06", "07"] {
        assert_eq!(problem(of(&format!("http://json-schema.org/draft-{draft}/schema#"))), None);
    }
    assert_eq!(problem(json!({"type": "object"})), None);
    let newer = "https://json-schema.org/draft/2020-12/schema";
    assert_eq!(
        problem(of(newer)).unwrap(),
        format!("{newer:?} is not JSON Schema draft 4, 6 or 7")
    );
    for other in [json!(true), json!({}), json!({"type": ["object", "null"]})] {
        assert_eq!(problem(other).unwrap(), "its type must be object");
    }
    let remote = json!({"type": "object", "properties": {"a": {"$ref": "http://127.0.0.1:1/x"}}});
    assert!(problem(remote).is_some());
    assert!(problem(json!({"type": "object", "properties": {"a": {"type": "strin"}}})).is_some());
    // What draft 4 means by it is not what later ones do.
    let four = json!({"$schema": "http://json-schema.org/draft-04/schema#", "type": "object",
        "properties": {"n": {"type": "number", "minimum": 1, "exclusiveMinimum": true}}});
    let four = InputSchema::compile(&four).unwrap();
    assert_eq!(four.check(&members(json!({"n": 1}))).len(), 1);
    assert_eq!(four.check(&members(json!({"n": 2}))).len(), 0);
}

#[test]
fn an_annotation_that_holds_something_else_is_an_error() {
    let mut promotion = approval(&json!([]), 1);
    let notes = [(api_kinds::annotations::RESPONSES.to_owned(), "x".to_owned())];
    promotion.metadata.annotations = Some(notes.into());
    assert_eq!(code(take(&mut promotion, &with_role("a", "x"), &answer(APPROVE))), 409);
}
