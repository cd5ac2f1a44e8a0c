//! `kargo get`.

use cli_client::fake::Script;
use insta::assert_snapshot;
use serde_json::{Value, json};

use crate::harness::{Kargo, at};

const TWO_HOURS_AGO: &str = "2026-01-02T01:04:05Z";

fn metadata(name: &str) -> Value {
    json!({ "name": name, "namespace": "demo", "creationTimestamp": TWO_HOURS_AGO, "resourceVersion": "7",
        "managedFields": [{ "manager": "x" }] })
}

fn ready(status: &str, message: &str) -> Value {
    json!([{ "type": "Ready", "status": status, "message": message }])
}

fn stage(name: &str) -> Value {
    json!({
        "metadata": metadata(name),
        "spec": { "shard": "east", "requestedFreight": [
            { "origin": { "kind": "Warehouse", "name": "guestbook" }, "sources": { "direct": true } }] },
        "status": {
            "freightSummary": "f1", "health": { "status": "Healthy" },
            "conditions": ready("True", "Stage is ready\nand more"),
            "lastPromotion": { "name": "p1", "finishedAt": TWO_HOURS_AGO },
            "freightHistory": [{ "items": { "Warehouse/guestbook": {
                "name": "f1", "images": [{ "repoURL": "r/a", "tag": "1.0.1" }] } } }],
        },
    })
}

fn stages() -> Kargo {
    let list =
        json!({ "items": [stage("dev"), stage("test")], "metadata": { "resourceVersion": "9" } });
    Kargo::new(
        Script::new()
            .on(&at("GET projects/demo/stages"), 200, list)
            .on(&at("GET projects/demo/stages/dev"), 200, stage("dev"))
            .on(
                &at("GET projects/demo/stages/gone"),
                404,
                json!({ "error": "stages.kargo.akuity.io \"gone\" not found", "code": "NotFound", "requestId": "r1" }),
            ),
    )
}

#[test]
fn stages_are_a_table_unless_another_form_is_asked_for() {
    for form in ["", " --no-headers", " -o wide", " -o name", " -o json", " -o yaml", " -o kyaml"] {
        let shown = stages().run(&format!("get stages{form}"));
        assert_snapshot!(format!("stages{}", form.replace(' ', "_").replace('-', "")), shown);
    }
}

#[test]
fn templates_pick_what_is_wanted() {
    let path =
        "get stages -o jsonpath={range~.items[*]}{.metadata.name}={.spec.shard}{\"\\n\"}{end}";
    assert_snapshot!(stages().run(path));
    assert_snapshot!(stages().run("get stages -o jsonpath-as-json={.items[*].metadata.name}"));
    let template = "get stages -o go-template={{range~.items}}{{.metadata.name}}~{{end}}";
    assert_snapshot!(stages().run(template));
    assert_snapshot!(stages().run("get stages -o jsonpath={.a"));
    assert_snapshot!(stages().run("get stages -o xml"));
}

#[test]
fn one_name_is_one_object_and_missing_names_do_not_hide_others() {
    assert_snapshot!(stages().run("get stage dev -o json --show-managed-fields"));
    assert_snapshot!(stages().run("get stages dev gone dev --verbose"));
}

#[test]
fn lists_are_chosen_by_labels_and_ordered_by_a_field() {
    let labelled = |name: &str, tier: &str, order: u32| json!({ "metadata": { "name": name, "labels": { "tier": tier } }, "spec": { "order": order } });
    let items = [labelled("a", "front", 10), labelled("b", "back", 1), labelled("c", "front", 9)];
    let script = || {
        let list = json!({ "items": items });
        Script::new().on(&at("GET projects/demo/warehouses"), 200, list)
    };
    let run = |command: &str| Kargo::new(script()).run(command);
    assert_snapshot!(run("get warehouses -l tier=front --sort-by .spec.order -o name"));
    assert_snapshot!(run("get warehouses -l a~b"));
    assert_snapshot!(run("get warehouses a -l tier=front"));
}

#[test]
fn what_there_is_none_of_is_not_shown() {
    let none = Script::new().on(&at("GET projects/demo/warehouses"), 200, json!({ "items": [] }));
    assert_snapshot!(Kargo::new(none).run("get warehouses"));
}

#[test]
fn projects() {
    let project =
        json!({ "metadata": metadata("demo"), "status": { "conditions": ready("False", "no") } });
    let fresh = json!({ "metadata": metadata("fresh") });
    let list = json!({ "items": [project, fresh], "total": 2 });
    assert_snapshot!(
        Kargo::new(Script::new().on(&at("GET projects"), 200, list)).run("get projects")
    );
}

#[test]
fn promotions_of_a_stage() {
    let promotion = json!({
        "metadata": { "name": "dev.1.f1", "creationTimestamp": TWO_HOURS_AGO, "labels": { "kargo.akuity.io/shard": "east" } },
        "spec": { "stage": "dev", "freight": "f1", "steps": [{}, {}] },
        "status": { "phase": "Running", "currentStep": 1, "message": "pushing" },
    });
    let script = Script::new().on(
        &at("GET projects/demo/promotions?stage=dev"),
        200,
        json!({ "items": [promotion] }),
    );
    assert_snapshot!(Kargo::new(script).run("get promos --stage dev -o wide"));
}

#[test]
fn freight_by_warehouse_and_by_name() {
    let freight = json!({
        "metadata": { "name": "f1", "creationTimestamp": TWO_HOURS_AGO, "labels": { "kargo.akuity.io/alias": "brave-otter" } },
        "discoveredAt": "2026-01-02T03:02:00Z",
        "origin": { "kind": "Warehouse", "name": "guestbook" },
        "images": [{ "repoURL": "r.test/a", "tag": "1.0.1" }], "commits": [{ "id": "0123456789" }],
        "status": { "currentlyIn": { "dev": {} } },
    });
    let groups = json!({ "groups": { "": { "items": [freight] } }, "resourceVersion": "5" });
    let script = Script::new()
        .on(&at("GET projects/demo/freight?origins=guestbook&origins=b"), 200, groups)
        .on(&at("GET projects/demo/freight/f1"), 200, freight.clone());
    let kargo = Kargo::new(script);
    assert_snapshot!(kargo.run("get freight --warehouse guestbook --origin b -o wide"));
    assert_snapshot!(kargo.run("get freight --name f1"));
}

#[test]
fn roles_and_tokens() {
    let role = json!({ "metadata": metadata("admin"), "kargoManaged": true });
    let resources = json!({ "metadata": metadata("admin"), "serviceAccount": { "metadata": { "name": "admin" } },
        "roles": [{ "metadata": { "name": "a" } }, { "metadata": { "name": "b" } }], "roleBindings": [] });
    let token = json!({ "metadata": { "name": "ci", "creationTimestamp": TWO_HOURS_AGO, "annotations": {
        "kubernetes.io/service-account.name": "admin", "rbac.kargo.akuity.io/managed": "true" } } });
    let script = Script::new()
        .on(&at("GET projects/demo/roles"), 200, json!([role]))
        .on(&at("GET system/roles?as-resources=true"), 200, json!([resources]))
        .on(&at("GET projects/demo/api-tokens?role=admin"), 200, json!({ "items": [token] }));
    let kargo = Kargo::new(script);
    assert_snapshot!(kargo.run("get roles"));
    assert_snapshot!(kargo.run("get roles --system -k"));
    assert_snapshot!(kargo.run("get tokens --role admin"));
}

#[test]
fn credentials_and_settings() {
    let repo = json!({ "metadata": { "name": "git", "creationTimestamp": TWO_HOURS_AGO, "labels": { "kargo.akuity.io/cred-type": "git" } },
        "stringData": { "repoURL": "https://git.test/.*", "repoURLIsRegex": "true" } });
    let described = json!({ "metadata": { "name": "c", "creationTimestamp": TWO_HOURS_AGO,
        "annotations": { "kargo.akuity.io/description": "for tests" } }, "data": { "a": "1", "b": "2" } });
    let config = json!({ "metadata": metadata("demo") });
    let script = Script::new()
        .on(&at("GET shared/repo-credentials"), 200, json!({ "items": [repo] }))
        .on(&at("GET system/generic-credentials"), 200, json!({ "items": [described] }))
        .on(&at("GET projects/demo/configmaps"), 200, json!({ "items": [described] }))
        .on(&at("GET projects/demo/config"), 200, config.clone())
        .on(&at("GET system/cluster-config"), 200, config);
    let kargo = Kargo::new(script);
    assert_snapshot!(kargo.run("get repo-creds --shared"));
    assert_snapshot!(kargo.run("get genericcreds --system"));
    assert_snapshot!(kargo.run("get cm"));
    assert_snapshot!(kargo.run("get projectconfig"));
    assert_snapshot!(kargo.run("get clusterconfig -o name"));
}

#[test]
fn events_and_tasks() {
    let event = json!({ "metadata": metadata("e"), "type": "Normal", "reason": "PromotionSucceeded",
        "message": "fine", "lastTimestamp": TWO_HOURS_AGO, "involvedObject": { "kind": "Promotion", "name": "p1" } });
    let script = Script::new()
        .on(&at("GET projects/demo/events"), 200, json!({ "items": [event] }))
        .on(
            &at("GET shared/cluster-promotion-tasks"),
            200,
            json!({ "items": [{ "metadata": metadata("t") }] }),
        )
        .on(&at("GET projects/demo/analysis-runs/r"), 200, json!({ "metadata": metadata("r") }));
    let kargo = Kargo::new(script);
    assert_snapshot!(kargo.run("get events"));
    assert_snapshot!(kargo.run("get clusterpromotiontasks"));
    assert_snapshot!(kargo.run("get analysisruns r"));
    assert_snapshot!(kargo.run("get events -w"));
}

#[test]
fn what_changes_is_shown_as_it_comes() {
    let list = json!({ "items": [stage("dev")], "metadata": { "resourceVersion": "9" } });
    let script = Script::new().on(&at("GET projects/demo/stages"), 200, list).on_watch(
        &at("GET projects/demo/stages?watch=true&resourceVersion=9"),
        &[("MODIFIED", stage("dev")), ("ADDED", stage("later"))],
    );
    assert_snapshot!(Kargo::new(script).run("get stages -w"));
}

#[test]
fn a_pipeline_is_drawn_as_a_tree() {
    let mut behind = stage("prod");
    behind["spec"]["requestedFreight"][0]["sources"] = json!({ "stages": ["dev", "test"] });
    let mut empty = stage("test");
    empty["status"] = json!({});
    let list = json!({ "items": [stage("dev"), behind, empty] });
    let warehouses = json!({ "items": [{ "metadata": metadata("guestbook") }] });
    let script = Script::new().on(&at("GET projects/demo/stages"), 200, list).on(
        &at("GET projects/demo/warehouses"),
        200,
        warehouses,
    );
    assert_snapshot!(Kargo::new(script).run("get pipeline"));
}

#[test]
fn images_tell_where_they_are() {
    let images = json!({ "example.com/app": { "tags": {
        "1.0": { "stages": { "dev": 1, "prod": 0 } }, "2.0": { "stages": { "dev": 0 } } } } });
    let kargo = Kargo::new(Script::new().on(&at("GET projects/demo/images"), 200, images));
    assert_snapshot!(kargo.run("get images"));
    assert_snapshot!(kargo.run("get images --current -o json"));
}

#[test]
fn a_description_tells_everything_and_what_happened() {
    let event = |name: &str| {
        json!({ "involvedObject": { "kind": "Stage", "name": name }, "type": "Normal",
            "reason": "PromotionSucceeded", "message": "done", "lastTimestamp": "2026-01-02T03:00:00Z" })
    };
    let script = Script::new()
        .on(&at("GET projects/demo/stages/test"), 200, stage("test"))
        .on(&at("GET projects/demo/stages/nowhere"), 404, json!({ "error": "not found" }))
        .on(
            &at("GET projects/demo/events"),
            200,
            json!({ "items": [event("test"), event("uat")] }),
        );
    assert_snapshot!(Kargo::new(script).run("describe stage nowhere test"));
}

#[test]
fn colours_are_for_those_who_read_and_want_them() {
    let mut reader = stages();
    reader.reads = true;
    assert_snapshot!(reader.run("get stages"));
    let reader = reader.variable("NO_COLOR", "1");
    assert!(!reader.run("get stages").contains('\u{1b}'));
}

#[test]
fn requests_and_targets() {
    let request = json!({ "metadata": { "name": "r", "creationTimestamp": "2026-01-02T03:00:00Z" },
        "spec": { "stage": "prod", "freight": "f", "targets": [{ "name": "eu" }, { "name": "us" }] },
        "status": { "phase": "Running", "summary": { "running": 1, "succeeded": 1 },
            "targets": [{ "name": "eu", "phase": "Succeeded" }, { "name": "us", "phase": "Running" }] } });
    let target = json!({ "metadata": { "name": "eu", "labels": { "region": "eu", "tier": "1" },
            "creationTimestamp": "2026-01-02T03:00:00Z" }, "spec": { "params": { "cluster": "a", "zone": 1 } } });
    let requests = at("GET projects/demo/promotion-requests?stage=prod");
    let script = Script::new()
        .on(&requests, 200, json!({ "items": [request], "metadata": { "resourceVersion": "7" } }))
        .on(&at("GET projects/demo/targets"), 200, json!({ "items": [target.clone()] }))
        .on(&at("GET projects/demo/targets/eu"), 200, target);
    let kargo = Kargo::new(script);
    assert_snapshot!(kargo.run("get promotionrequests --stage prod"));
    assert_snapshot!(kargo.run("get promotionrequest --stage prod -o wide"));
    assert_snapshot!(kargo.run("get targets -o wide"));
    assert_snapshot!(kargo.run("get target eu -o name"));
}

#[test]
fn a_warning_of_the_server_is_told_once() {
    let missing = json!({ "error": "not found", "code": "NotFound" });
    let script = Script::new()
        .header("x-kargo-warning", "this command line is older\u{7} than the server")
        .on(&at("GET projects/demo/stages/a"), 200, stage("a"))
        .on(&at("GET projects/demo/stages/b"), 404, missing);
    assert_snapshot!(Kargo::new(script).run("get stages a b -o name"));
}
