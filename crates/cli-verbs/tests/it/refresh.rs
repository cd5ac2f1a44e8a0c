//! `refresh`.

use cli_client::fake::Script;
use insta::assert_snapshot;
use serde_json::{Value, json};

use crate::harness::{Kargo, at};

fn seen(handled: &str) -> Value {
    json!({ "metadata": { "name": "x", "annotations": { "kargo.akuity.io/refresh": "now" } },
        "status": { "lastHandledRefresh": handled } })
}

#[test]
fn refreshes_are_told_with_the_names_of_what_was_refreshed() {
    let routes = [
        "projects/demo/stages/dev",
        "projects/demo/warehouses/w",
        "projects/demo/config",
        "system/cluster-config",
    ];
    let script = routes.iter().fold(Script::new(), |script, route| {
        script.on(&at(&format!("POST {route}/refresh")), 200, Value::Null).on_watch(
            &at(&format!("GET {route}?watch=true")),
            &[("ADDED", seen("before")), ("MODIFIED", seen("now"))],
        )
    });
    let kargo = Kargo::new(script);
    let commands = [
        "refresh stage dev",
        "refresh stage dev --wait",
        "refresh warehouse w --wait",
        "refresh projectconfig --wait",
        "refresh clusterconfig --wait",
    ];
    let told: Vec<String> = commands.iter().map(|command| kargo.run(command)).collect();
    assert_snapshot!(told.join("\n\n"));
}
