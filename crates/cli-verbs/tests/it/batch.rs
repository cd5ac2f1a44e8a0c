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
