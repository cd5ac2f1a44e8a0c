//! `promote`, `rollback`, `explain`, `verify`, `logs`.

use cli_client::fake::Script;
use insta::assert_snapshot;
use serde_json::{Value, json};

use crate::harness::{Kargo, at};

fn promotion(phase: &str, message: &str, steps: Value) -> Value {
    json!({
        "metadata": { "name": "dev.1.f1", "namespace": "demo" },
        "spec": { "stage": "dev", "steps": [{ "uses": "git-clone" }, { "uses": "git-push", "as": "push" }] },
        "status": { "phase": phase, "message": message, "stepExecutionMetadata": steps },
    })
}

const CREATE: &str = "POST projects/demo/stages/dev/promotions";
const WATCH: &str = "GET projects/demo/promotions/dev.1.f1?watch=true";

fn created() -> Script {
    Script::new().on(&at(CREATE), 201, promotion("", "", json!([])))
}

#[test]
fn a_promotion_is_created_for_freight_alias_or_warehouse() {
    for flag in ["--freight f1", "--freight-alias brave", "--warehouse guestbook"] {
        let shown = Kargo::new(created()).run(&format!("promote {flag} --stage dev"));
        let name = flag.trim_start_matches('-').split(' ').next().unwrap();
        assert_snapshot!(format!("promote_{name}"), shown);
    }
}

#[test]
fn waiting_shows_the_steps_and_survives_a_broken_stream() {
    let script = created()
        .on_watch(
            &at(WATCH),
            &[
                ("ADDED", promotion("Pending", "", json!([]))),
                ("MODIFIED", promotion("Running", "", json!([{ "status": "Running" }]))),
            ],
        )
        .on_watch(
            &at(WATCH),
            &[
                ("ADDED", promotion("Running", "", json!([{ "status": "Succeeded" }, { "alias": "push", "status": "Running" }]))),
                ("MODIFIED", promotion("Succeeded", "", json!([{ "status": "Succeeded" }, { "alias": "push", "status": "Succeeded" }]))),
            ],
        );
    assert_snapshot!(Kargo::new(script).run("promote --freight f1 --stage dev --wait"));
}

#[test]
fn a_promotion_that_ends_badly_is_told_by_the_exit_code() {
    for phase in ["Failed", "Errored", "Aborted"] {
        let steps = json!([{ "status": "Failed", "message": "no such branch" }]);
        let script =
            created().on_watch(&at(WATCH), &[("ADDED", promotion(phase, "step 1 failed", steps))]);
        let shown = Kargo::new(script).run("promote --freight f1 --stage dev --wait");
        assert_snapshot!(format!("wait_{phase}"), shown);
    }
}

#[test]
fn waiting_ends_when_its_time_is_over() {
    let running = [("ADDED", promotion("Running", "", json!([])))];
    let script = created().on_silent_watch(&at(WATCH), &running);
    assert_snapshot!(
        Kargo::new(script).run("promote --freight f1 --stage dev --wait --timeout 1s")
    );
}

#[test]
fn downstream_tells_each_stage_and_what_failed() {
    let request = json!({ "metadata": { "name": "r1" } });
    let answer = json!({ "promotions": [promotion("", "", json!([]))], "promotionRequests": [request],
        "errors": "stage a: no\nstage b: no" });
    let route = "POST projects/demo/stages/dev/promotions/downstream";
    let kargo = Kargo::new(Script::new().on(&at(route), 207, answer));
    assert_snapshot!(kargo.run("promote --freight f1 --downstream-from dev"));
}

#[test]
fn a_promotion_is_aborted_silently() {
    let route = "POST projects/demo/promotions/dev.1.f1/abort";
    let kargo = Kargo::new(Script::new().on(&at(route), 200, Value::Null));
    assert_snapshot!(kargo.run("promote --abort --name dev.1.f1"));
}

#[test]
fn refused_freight_comes_with_a_hint() {
    let refusal = json!({ "error": "Freight \"f1\" is not available to Stage \"dev\"", "code": "BadRequest" });
    let kargo = Kargo::new(Script::new().on(&at(CREATE), 400, refusal));
    assert_snapshot!(kargo.run("promote --freight f1 --stage dev --verbose"));
}

#[test]
fn a_rollback_promotes_what_was_there_before() {
    let history = |name: &str| json!({ "items": { "Warehouse/w": { "name": name } } });
    let stage = json!({ "metadata": { "name": "dev" }, "status": { "freightHistory": [history("f2"), history("f1")] } });
    let script = created().on(&at("GET projects/demo/stages/dev"), 200, stage);
    let kargo = Kargo::new(script);
    assert_snapshot!(kargo.run("rollback --stage dev"));
    assert_snapshot!(kargo.run("rollback --stage dev --steps 2"));
}

#[test]
fn explain_gives_the_answer_of_the_gate() {
    let freight = json!({
        "metadata": { "name": "f1", "namespace": "demo" }, "origin": { "kind": "Warehouse", "name": "w" },
        "status": { "verifiedIn": {} } });
    let stage = |name: &str, sources: Value| {
        json!({
        "metadata": { "name": name, "namespace": "demo" },
        "spec": { "requestedFreight": [{ "origin": { "kind": "Warehouse", "name": "w" }, "sources": sources }],
            "promotionTemplate": { "spec": { "steps": [{ "uses": "git-clone" }] } } } })
    };
    let stages = json!({ "items": [stage("dev", json!({ "direct": true })), stage("prod", json!({ "stages": ["dev"] }))] });
    let script = Script::new().on(&at("GET projects/demo/freight/f1"), 200, freight).on(
        &at("GET projects/demo/stages"),
        200,
        stages,
    );
    let kargo = Kargo::new(script);
    assert_snapshot!(kargo.run("explain --freight f1 --stage dev"));
    assert_snapshot!(kargo.run("explain --freight f1 --stage prod -o yaml"));
    assert_snapshot!(kargo.run("explain --freight f1 --stage nowhere"));
}

#[test]
fn verification_begins_and_ends_silently() {
    let script =
        Script::new().on(&at("POST projects/demo/stages/Dev/verification"), 200, Value::Null).on(
            &at("POST projects/demo/stages/Dev/verification/abort"),
            409,
            json!({ "error": "stage has no current freight" }),
        );
    let kargo = Kargo::new(script);
    assert_snapshot!(kargo.run("verify stage Dev"));
    assert_snapshot!(kargo.run("verify stage Dev --abort"));
}

#[test]
fn logs_are_shown_as_they_are() {
    let route = "GET projects/demo/analysis-runs/r/logs?metricName=m&containerName=c";
    let script = Script::new().on_text(&at(route), 200, "data: one\ndata: two\ndata: \n\n");
    assert_snapshot!(Kargo::new(script).run("logs r --metric m --container c"));
}

#[test]
fn a_preview_asks_the_server_and_runs_here() {
    let promotion = json!({ "results": [{ "createdResourceManifest": {
        "apiVersion": "kargo.akuity.io/v1alpha1", "kind": "Promotion",
        "metadata": { "name": "dev.x", "namespace": "demo" }, "spec": { "stage": "dev", "freight": "f1" } } }] });
    let named = |name: &str| json!({ "metadata": { "name": name, "namespace": "demo" } });
    let script = Script::new()
        .on(&at("GET system/server-version"), 200, json!({ "compiler": "rustc" }))
        .on(&at("POST resources?dryRun=All"), 201, promotion)
        .on(&at("GET projects/demo/freight/f1"), 200, named("f1"))
        .on(&at("GET projects/demo/freight/brave"), 200, named("f1"))
        .on(&at("GET projects/demo/stages/dev"), 200, named("dev"))
        .on(&at("GET projects/demo/promotion-tasks"), 200, json!({ "items": [named("task")] }))
        .on(&at("GET shared/cluster-promotion-tasks"), 403, json!({ "error": "no" }));
    let kargo = Kargo::new(script);
    assert_snapshot!(kargo.run("promote --freight-alias brave --stage dev --preview"));
    assert_snapshot!(kargo.run("promote --warehouse w --stage dev --preview -o json"));
    assert_snapshot!(kargo.run("promote --warehouse w --stage dev --preview --wait"));
}

#[test]
fn a_refused_preview_tells_why() {
    let refused = json!({ "results": [{ "error": "Freight is not available" }] });
    let script = Script::new()
        .on(&at("GET system/server-version"), 200, json!({ "compiler": "rustc" }))
        .on(&at("POST resources?dryRun=All"), 201, refused);
    assert_snapshot!(Kargo::new(script).run("promote --freight f1 --stage dev --preview"));
    let other = json!({ "version": "v1.9.0", "compiler": "gc" });
    let script = Script::new().on(&at("GET system/server-version"), 200, other);
    assert_snapshot!(Kargo::new(script).run("promote --freight f1 --stage dev --preview"));
}

#[test]
fn steps_tell_below_their_names() {
    let steps = "projects/demo/promotions/dev.1.f1/steps";
    let nothing = json!({ "error": "no log" });
    let script = Script::new()
        .on(&at("GET projects/demo/promotions/dev.1.f1"), 200, promotion("Failed", "", json!([])))
        .on(&at(&format!("GET {steps}/0/logs")), 404, nothing)
        .on_text(&at(&format!("GET {steps}/1/logs")), 200, "rejected\n")
        .on_text(&at(&format!("GET {steps}/push/logs")), 200, "rejected\n");
    let kargo = Kargo::new(script);
    assert_snapshot!(kargo.run("logs --promotion dev.1.f1"));
    assert_snapshot!(kargo.run("logs --promotion dev.1.f1 --step push"));
}
