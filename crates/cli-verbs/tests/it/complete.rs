//! `kargo __complete`, which the scripts of shells call.

use cli_client::fake::Script;
use insta::assert_snapshot;
use serde_json::{Value, json};

use crate::harness::{Kargo, at};

const STAGES: &str = "GET projects/demo/stages?fields=metadata.labels";

fn named(names: &[&str]) -> Value {
    let items = names.iter().map(|name| json!({ "metadata": { "name": name } }));
    json!({ "items": items.collect::<Vec<_>>() })
}

/// What is offered for the last word.
fn offered(kargo: &Kargo, line: &str) -> String {
    let at = line.split(' ').count() - 1;
    kargo.run(&format!("__complete {at} {line}"))
}

#[test]
fn names_that_a_shell_would_take_for_more_are_not_offered() {
    let stages = named(&["prod", "dev", "$(reboot)", "a b", "dev;ls", "devel"]);
    let kargo = Kargo::new(Script::new().on(&at(STAGES), 200, stages));
    assert_snapshot!(offered(&kargo, "kargo get stages de"));
}

#[test]
fn aliases_are_of_the_project_that_was_typed() {
    let freight = json!({ "groups": { "": { "items": [
        { "metadata": { "name": "f1", "labels": { "kargo.akuity.io/alias": "witty-donkey" } } },
        { "metadata": { "name": "f2" } }] } } });
    let route = at("GET projects/other/freight?fields=metadata.labels");
    let kargo = Kargo::new(Script::new().on(&route, 200, freight));
    assert_snapshot!(offered(&kargo, "kargo promote -p other --freight-alias "));
}

#[test]
fn nothing_is_said_about_what_goes_wrong() {
    let stranger = offered(&Kargo::stranger(Script::new()), "kargo get stages ");
    let refused = Script::new().on(&at(STAGES), 403, json!({ "error": "no" }));
    let refused = offered(&Kargo::new(refused), "kargo get stages ");
    // The list never comes.
    let slow = Kargo::new(Script::new().on_silent_watch(&at(STAGES), &[]));
    let slow = offered(&slow, "kargo get stages ");
    assert_snapshot!([stranger, refused, slow].join("\n\n"));
}
