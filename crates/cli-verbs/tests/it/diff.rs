//! `kargo diff`.

use cli_client::fake::Script;
use insta::assert_snapshot;
use serde_json::{Value, json};

use crate::harness::{Kargo, at};

fn stage(name: &str, shard: &str, version: &str) -> Value {
    json!({ "apiVersion": "kargo.akuity.io/v1alpha1", "kind": "Stage",
        "metadata": { "name": name, "namespace": "demo", "resourceVersion": version, "uid": version },
        "spec": { "requestedFreight": [], "shard": shard } })
}

fn secret(value: &str) -> Value {
    json!({ "apiVersion": "v1", "kind": "Secret", "metadata": { "name": "s", "namespace": "demo" },
        "data": { "password": value, "user": "YQ==" } })
}

fn run(results: Value, command: &str) -> String {
    let version = json!({ "compiler": "rustc" });
    let script = Script::new().on(&at("GET system/server-version"), 200, version);
    let results = json!({ "results": results });
    let script = script.on(&at("PUT resources?upsert=true&dryRun=All"), 200, results.clone());
    let merged = at("PUT resources?fieldManager=kargo-cli&dryRun=All");
    let mut kargo = Kargo::new(script.on(&merged, 200, results));
    "kind: Stage\n".clone_into(&mut kargo.input);
    kargo.run(command)
}

#[test]
fn what_would_change_is_shown_as_diff_shows_it() {
    let results = json!([
        { "storedResourceManifest": stage("dev", "a", "1"), "updatedResourceManifest": stage("dev", "b", "2") },
        { "storedResourceManifest": stage("same", "a", "1"), "updatedResourceManifest": stage("same", "a", "2") },
        { "createdResourceManifest": stage("new", "a", "3") }]);
    assert_snapshot!(run(results, "diff -f -"));
}

#[test]
fn nothing_that_would_change_is_success() {
    let results = json!([
        { "storedResourceManifest": stage("dev", "a", "1"), "updatedResourceManifest": stage("dev", "a", "2") }]);
    assert_snapshot!(run(results, "diff -f - --server-side"));
}

#[test]
fn values_of_secrets_are_not_shown() {
    let results = json!([
        { "storedResourceManifest": secret("b2xk"), "updatedResourceManifest": secret("bmV3") },
        { "createdResourceManifest": secret("bmV3") }]);
    assert_snapshot!(run(results, "diff -f -"));
}

#[test]
fn an_error_has_a_code_above_that_of_a_difference() {
    let results = json!([
        { "createdResourceManifest": stage("new", "a", "3") },
        { "error": "create resource: no", "kind": "Stage", "namespace": "demo", "name": "bad" }]);
    assert_snapshot!(run(results, "diff -f -"));
    assert_snapshot!(run(json!([]), "diff"));
    assert_snapshot!(run(json!([]), "diff -f - --field-manager me"));
    let reference = Script::new().on(&at("GET system/server-version"), 200, json!({}));
    let mut kargo = Kargo::new(reference);
    "kind: Stage\n".clone_into(&mut kargo.input);
    assert_snapshot!(kargo.run("diff -f -"));
}
