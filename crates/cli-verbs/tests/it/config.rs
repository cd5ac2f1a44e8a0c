//! `config`, `logout`, `version`, `dashboard`, `doctor`, and which server and token are meant.

use cli_client::fake::Script;
use insta::assert_snapshot;
use serde_json::json;

use crate::harness::{Kargo, at};

const CONFIG: &str = "authMethod: sso\napiAddress: https://kargo.test\nbearerToken: opaque\nrefreshToken: r\nproject: stored\n\
    currentContext: ''\ncontexts:\n  prod:\n    apiAddress: https://prod.test\n    bearerToken: prod-token\n";

fn projects() -> Script {
    Script::new().on(&at("GET projects"), 200, json!({ "items": [] })).on(
        "GET https://prod.test/v1beta1/projects",
        200,
        json!({ "items": [] }),
    )
}

#[test]
fn the_configuration_is_shown_without_its_tokens() {
    let kargo = Kargo::stranger(Script::new()).config(CONFIG);
    assert_snapshot!(kargo.run("config view"));
    assert_snapshot!(kargo.run("config view --raw -o json"));
}

#[test]
fn the_default_project_is_set_and_cleared() {
    let kargo = Kargo::stranger(Script::new());
    assert_snapshot!(kargo.run("config get-project"));
    assert_snapshot!(kargo.run("config set-project ~My-Project~"));
    assert_snapshot!(kargo.run("config get-project"));
    assert_snapshot!(kargo.run_words(&["config".into(), "set-project".into(), String::new()]));
    assert_eq!(kargo.stored().trim(), "{}");
}

#[test]
fn contexts_are_listed_chosen_and_deleted() {
    let kargo = Kargo::stranger(projects()).config(CONFIG);
    assert_snapshot!(kargo.run("config use-context prod"));
    assert_snapshot!(kargo.run("config get-contexts"));
    assert_snapshot!(kargo.run("get projects"));
    assert_snapshot!(kargo.run("config delete-context prod"));
    assert_snapshot!(kargo.run("config use-context prod"));
}

#[test]
fn nobody_is_asked_without_a_login() {
    assert_snapshot!(Kargo::stranger(Script::new()).run("get projects"));
}

const LOCAL: &str = "apiAddress: http://127.0.0.1:8080\nbearerToken: local-token\n\
    expiresAt: 2026-01-02T04:00:00Z\npid: 7\nproject: demo\n";

#[test]
fn the_server_of_this_machine_needs_no_login_unless_another_is_meant() {
    let stages = json!({ "items": [] });
    let local = || {
        Script::new()
            .on("GET http://127.0.0.1:8080/v1beta1/projects/demo/stages", 200, stages.clone())
            .on(&at("GET projects/stored/stages"), 200, stages.clone())
    };
    assert_snapshot!(Kargo::stranger(local()).local_server(LOCAL).run("get stages"));
    let kargo = Kargo::stranger(local()).local_server(LOCAL);
    assert_snapshot!(kargo.run("get stages --server https://kargo.test"));
    assert_snapshot!(kargo.config(CONFIG).run("get stages"));
    // {"exp":1}
    let over = LOCAL.replace("local-token", "e30.eyJleHAiOjF9.c");
    assert_snapshot!(Kargo::stranger(local()).local_server(&over).run("get stages"));
}

#[test]
fn a_stored_token_is_never_sent_to_another_server() {
    let kargo = Kargo::stranger(projects()).config(CONFIG);
    assert_snapshot!(kargo.run("get projects --server https://prod.test"));
    assert_snapshot!(kargo.run("get projects --server kargo.test"));
    assert_snapshot!(kargo.run("get projects --context prod"));
}

#[test]
fn a_project_is_needed() {
    let kargo = Kargo::stranger(projects())
        .variable("KARGO_API_ADDRESS", "https://kargo.test")
        .variable("KARGO_API_TOKEN", "t");
    assert_snapshot!(kargo.run("get stages"));
}

#[test]
fn logout_forgets_everything() {
    let kargo = Kargo::stranger(Script::new()).config(CONFIG);
    assert_snapshot!(kargo.run("logout"));
    assert_eq!(kargo.stored(), "");
}

#[test]
fn versions_of_both_sides() {
    let script =
        Script::new().on(&at("GET system/server-version"), 200, json!({ "version": "v1.12.0" }));
    let kargo = Kargo::new(script);
    assert_snapshot!(kargo.run("version"));
    assert_snapshot!(kargo.run("version --client"));
    assert_snapshot!(kargo.run("version -o json"));
    assert_snapshot!(Kargo::stranger(Script::new()).run("version"));
}

#[test]
fn the_dashboard_opens() {
    assert_snapshot!(Kargo::new(Script::new()).run("dashboard"));
}

#[test]
fn the_doctor_finds_what_is_wrong() {
    assert_snapshot!(doctor(&Kargo::stranger(Script::new())));
    assert_snapshot!(doctor(&Kargo::new(Script::new())));
    let sick = Script::new()
        .on_text("GET https://kargo.test/healthz", 200, "ok")
        .on(&at("GET system/server-version"), 200, json!({ "version": "v0.9.0" }))
        .on(&at("GET system/server-config"), 200, json!({ "secretManagementEnabled": true }))
        .on(
            &at("GET system/controller-heartbeats"),
            200,
            json!({ "heartbeats": {
            "": { "status": "Alive" }, "east": { "status": "Dead" } } }),
        );
    assert_snapshot!(doctor(&Kargo::new(sick)));
}

#[test]
fn the_doctor_looks_at_the_engine_on_this_machine() {
    let mut kargo = Kargo::stranger(Script::new());
    kargo.engine = Ok(Some(json!({
        "revision": 5010, "compactedRevision": 1200, "writable": true, "problem": "",
        "quarantinedObjects": 0, "heldObjects": {"count": 0, "first": []},
        "definitionsNotEstablished": [],
        "resources": [
            {"resource": "configmaps", "objects": 7, "watchers": 2, "historyFloor": 3000, "mostBehind": 12},
            {"resource": "secrets", "objects": 0, "watchers": 1, "historyFloor": 10, "mostBehind": 0},
        ],
    })));
    assert_snapshot!(doctor(&kargo));
    kargo.engine = Ok(Some(json!({
        "revision": 5010, "compactedRevision": 1200, "writable": false, "problem": "no space is left",
        "quarantinedObjects": 1,
        "resources": [
            {"resource": "stages.kargo.akuity.io", "objects": 7, "watchers": 2, "historyFloor": 3000, "mostBehind": 4000},
        ],
        "heldObjects": {"count": 22, "first": [
            {"resource": "secrets", "namespace": "demo", "name": "a", "since": "2026-01-01T00:00:00Z",
                "finalizers": ["x.y/z", "x.y/w"]},
            {"resource": "namespaces", "namespace": "", "name": "b", "since": "2026-01-01T00:00:00Z",
                "finalizers": ["x.y/z"]},
        ]},
        "definitionsNotEstablished": [{"name": "gizmos.example.com", "reason": "KindConflict",
            "message": "\"Widget\" is already in use"}],
    })));
    assert_snapshot!(doctor(&kargo));
    kargo.engine = Err("/data: nobody listens".to_owned());
    assert_snapshot!(doctor(&kargo));
}

#[test]
fn the_doctor_tells_how_far_a_replica_has_come() {
    let mut kargo = Kargo::stranger(Script::new());
    let report = |lag: u64, problem: &str| {
        json!({
            "revision": 5010, "compactedRevision": 1200, "writable": true,
            "replica": {"place": "s3://my-bucket/kargo", "revision": 5010 - lag, "lagSeconds": lag,
                "problem": problem},
        })
    };
    kargo.engine = Ok(Some(report(0, "")));
    assert_snapshot!(doctor(&kargo));
    kargo.engine = Ok(Some(report(42, "")));
    assert_snapshot!(doctor(&kargo));
    let problem = "cannot put a/1 in s3://my-bucket/kargo: 403: AccessDenied: not you";
    kargo.engine = Ok(Some(report(90, problem)));
    assert_snapshot!(doctor(&kargo));
}

fn doctor(kargo: &Kargo) -> String {
    kargo.run("doctor").replace(kargo.home.path().to_str().unwrap(), "HOME")
}
