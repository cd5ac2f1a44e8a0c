//! `kargo apply`, `create -f` and `delete -f`.

use std::fs;

use cli_client::fake::Script;
use insta::assert_snapshot;
use serde_json::{Value, json};

use crate::harness::{Kargo, at};

fn object(kind: &str, name: &str) -> Value {
    json!({ "apiVersion": "kargo.akuity.io/v1alpha1", "kind": kind, "metadata": { "name": name } })
}

#[test]
fn apply_tells_what_was_created_before_what_was_changed() {
    let results = json!({ "results": [
        { "updatedResourceManifest": object("Stage", "dev") },
        { "createdResourceManifest": object("Project", "demo") },
        { "error": "update resource: no" }] });
    let mut kargo = Kargo::new(Script::new().on(&at("PUT resources?upsert=true"), 200, results));
    kargo.input =
        "kind: Project\nmetadata: {name: demo}\n---\n---\nkind: List\nitems: [{kind: Stage}]\n"
            .to_owned();
    assert_snapshot!(kargo.run("apply -f -"));
}

#[test]
fn files_are_found_in_directories_and_one_level_deep_unless_told_otherwise() {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("deep")).unwrap();
    fs::write(folder.path().join("a.yaml"), "kind: A\n").unwrap();
    fs::write(folder.path().join("b.txt"), "kind: B\n").unwrap();
    fs::write(folder.path().join("deep/c.json"), "{\"kind\": \"C\"}").unwrap();
    let results = json!({ "results": [{ "createdResourceManifest": object("Stage", "dev") }] });
    let place = folder.path().to_str().unwrap();
    let run = |flags: &str| {
        let script = Script::new().on(&at("POST resources"), 201, results.clone());
        Kargo::new(script).run(&format!("create -f {place}{flags}")).replace(place, "DIR")
    };
    assert_snapshot!(run(""));
    assert_snapshot!(run(" -R -o yaml"));
}

#[test]
fn what_is_no_manifest_is_not_sent() {
    let mut kargo = Kargo::new(Script::new());
    assert_snapshot!(kargo.run("apply"));
    kargo.input = "a: [".to_owned();
    assert_snapshot!(kargo.run("apply -f -"));
    kargo.input = "metadata: {}".to_owned();
    assert_snapshot!(kargo.run("apply -f -"));
    assert_snapshot!(kargo.run("apply -f /nowhere.yaml"));
}

#[test]
fn delete_from_files() {
    let results = json!({ "results": [{ "deletedResourceManifest": object("Stage", "dev") }] });
    let mut kargo = Kargo::new(Script::new().on(&at("DELETE resources"), 200, results));
    kargo.input = "kind: Stage".to_owned();
    assert_snapshot!(kargo.run("delete -f -"));
}

#[test]
fn manifests_come_from_the_web_without_a_token() {
    let script = Script::new().on_text("GET https://files.test/a.yaml", 200, "kind: Stage\n").on(
        &at("POST resources"),
        201,
        json!({ "results": [] }),
    );
    assert_snapshot!(Kargo::new(script).run("create -f https://files.test/a.yaml"));
}

#[test]
fn a_dry_run_says_that_it_is_one() {
    let results = json!({ "results": [{ "updatedResourceManifest": object("Stage", "dev") }] });
    let route = at("PUT resources?upsert=true&dryRun=All");
    let version = json!({ "compiler": "rustc" });
    let script = Script::new().on(&at("GET system/server-version"), 200, version);
    let mut kargo = Kargo::new(script.on(&route, 200, results));
    "kind: Stage\n".clone_into(&mut kargo.input);
    assert_snapshot!(kargo.run("apply -f - --dry-run"));
}

#[test]
fn a_dry_run_of_the_client_asks_nobody() {
    let mut kargo = Kargo::stranger(Script::new());
    kargo.input = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n".to_owned();
    assert_snapshot!(kargo.run("apply -f - --dry-run=client"));
    assert_snapshot!(kargo.run("delete -f - --dry-run=client -o name"));
    assert_snapshot!(kargo.run("create -f - --dry-run=everybody"));
}

/// A server that knows what the reference does not.
fn ours() -> Script {
    Script::new().on(&at("GET system/server-version"), 200, json!({ "compiler": "rustc" }))
}

#[test]
fn the_server_merges_in_the_name_of_a_manager() {
    let results = json!({ "results": [
        { "updatedResourceManifest": object("Stage", "dev") },
        { "error": "update resource: Apply failed with 1 conflict", "kind": "Stage", "namespace": "demo",
          "name": "prod" }] });
    let script = ours().on(&at("PUT resources?fieldManager=kargo-cli"), 200, results.clone());
    let forced = at("PUT resources?fieldManager=ci&force=true&dryRun=All");
    let mut kargo = Kargo::new(script.on(&forced, 200, results));
    "kind: Stage\n".clone_into(&mut kargo.input);
    assert_snapshot!(kargo.run("apply -f - --server-side"));
    assert_snapshot!(
        kargo.run("apply -f - --server-side --field-manager ci --force-conflicts --dry-run")
    );
    assert_snapshot!(kargo.run("apply -f - --force-conflicts"));
    let reference = Script::new().on(&at("GET system/server-version"), 200, json!({}));
    let mut kargo = Kargo::new(reference);
    "kind: Stage\n".clone_into(&mut kargo.input);
    assert_snapshot!(kargo.run("apply -f - --server-side"));
}

#[test]
fn a_failure_names_the_object_it_is_about() {
    let missing =
        json!({ "error": "create resource: namespaces \"p\" not found", "code": "NotFound" });
    let mut kargo = Kargo::new(Script::new().on(&at("PUT resources?upsert=true"), 404, missing));
    kargo.input =
        "apiVersion: kargo.akuity.io/v1alpha1\nkind: Stage\nmetadata: {name: dev, namespace: p}\n"
            .to_owned();
    assert_snapshot!(kargo.run("apply -f -"));
}
