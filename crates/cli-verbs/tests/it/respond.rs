//! `respond`.

use cli_client::fake::Script;
use insta::assert_snapshot;
use serde_json::{Value, json};

use crate::harness::{Kargo, at};

const STEP: &str = "projects/demo/promotions/p1/steps/ask";

fn answering(status: u16, body: &Value) -> Kargo {
    let schema = json!({"type": "object",
        "properties": {"window": {"type": "string"}, "hours": {"type": "integer"}}});
    let prompt = json!({"kind": "input", "rules": [], "responses": [], "canRespond": true, "schema": schema});
    let script = Script::new().on(&at(&format!("GET {STEP}/prompt")), 200, prompt).on(
        &at(&format!("POST {STEP}/responses")),
        status,
        body.clone(),
    );
    Kargo::new(script)
}

fn given(action: &str) -> Value {
    json!({"user": "email:a@example.com", "action": action, "time": "2026-01-02T03:04:05Z"})
}

#[test]
fn people_approve_and_reject() {
    let kargo = answering(200, &given("approve"));
    let commands = [
        "respond promotion p1 --step ask --approve",
        "respond promotion p1 --step ask --reject --message not~today",
    ];
    let told: Vec<String> = commands.iter().map(|command| kargo.run(command)).collect();
    assert_snapshot!(told.join("\n\n"));
}

#[test]
fn values_are_sent_as_the_step_asks_for_them() {
    let kargo = answering(200, &given("submit"));
    assert_snapshot!(kargo.run("respond promotion p1 --step ask --input window=1 --input hours=2"));
}

#[test]
fn a_refusal_has_its_exit_code() {
    let refusals = [
        (403, "step \"ask\" may be answered by those with role \"ops\" only"),
        (404, "Promotion \"p1\" has no step \"ask\""),
        (409, "\"email:a@example.com\" has already answered step \"ask\""),
        (422, "the values do not fit: /hours: is required"),
    ];
    let told = refusals.map(|(status, text)| {
        let kargo = answering(status, &json!({ "error": text }));
        kargo.run("respond promotion p1 --step ask --approve")
    });
    assert_snapshot!(told.join("\n\n"));
}

#[test]
fn one_answer_is_needed_and_no_more() {
    let kargo = answering(200, &given("approve"));
    let commands = [
        "respond promotion",
        "respond promotion p1 --approve",
        "respond promotion p1 --step ask",
        "respond promotion p1 --step ask --approve --reject",
        "respond promotion p1 --step ask --input window",
    ];
    let told: Vec<String> = commands.iter().map(|command| kargo.run(command)).collect();
    assert_snapshot!(told.join("\n\n"));
}
