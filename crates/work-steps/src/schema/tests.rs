//! The words that users read, and schemas as files.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::*;
use crate::{Step, StepCx, StepResult};

struct Sample;

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(extend("oneOf" = [
    {"required": ["branch"], "properties": {"tag": {"enum": ["", null]}}},
    {"required": ["tag"], "properties": {"branch": {"enum": ["", null]}}},
]))]
#[expect(dead_code, reason = "only its schema is used")]
struct Config {
    #[schemars(length(min = 1))]
    path: String,
    #[schemars(extend("format" = "uri"))]
    address: Option<String>,
    branch: Option<String>,
    tag: Option<String>,
    #[serde(default)]
    apps: Vec<App>,
    #[serde(default)]
    any: Value,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[expect(dead_code, reason = "only its schema is used")]
struct App {
    name: String,
    #[schemars(range(min = 1))]
    port: Option<u32>,
}

impl Step for Sample {
    const KIND: &'static str = "a-sample";
    type Config = Config;
    type Needs = ();

    async fn run(&self, _: Config, (): (), _: &StepCx<'_>) -> StepResult {
        Ok(crate::Outcome::done())
    }
}

fn lines(config: &Value) -> Vec<String> {
    let schema = ConfigSchema::of(&Sample).unwrap();
    schema.check(config).map_or_else(|violations| violations.0, |()| Vec::new())
}

#[test]
fn a_fitting_configuration_passes() {
    assert_eq!(lines(&json!({"path": "a", "branch": "main", "tag": ""})), Vec::<String>::new());
}

#[test]
fn every_violation_is_told_with_its_place() {
    let config = json!({
        "path": "", "tag": "v1", "address": "git@host:path", "colour": 1,
        "apps": [{"name": 1.5, "port": 0}, {}],
    });
    let mut told = lines(&config);
    told.sort();
    assert_eq!(
        told,
        [
            "address: must be an address with a scheme, for example https://example.com/path",
            "apps[0].name: must be a text, not a number",
            "apps[0].port: must be at least 1",
            "apps[1].name: is required",
            "colour: unknown field",
            "path: must not be empty",
        ]
    );
}

#[test]
fn fields_that_exclude_each_other_are_named() {
    let exclusive = ["exactly one of branch, tag must be set"];
    assert_eq!(lines(&json!({"path": "a"})), exclusive);
    assert_eq!(lines(&json!({"path": "a", "branch": "b", "tag": "t"})), exclusive);
}

#[test]
fn places_that_want_text_are_known() {
    let schema = ConfigSchema::of(&Sample).unwrap();
    let wants = |place: &[&str]| {
        schema.wants_text(&place.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>())
    };
    assert!(wants(&["path"]) && wants(&["branch"]) && wants(&["apps", "0", "name"]));
    assert!(!wants(&["apps", "0", "port"]) && !wants(&["any"]) && !wants(&["apps"]));
    assert!(!wants(&["colour"]));
}

#[test]
fn a_file_has_the_title_of_its_kind() {
    let document = document(&Sample);
    assert_eq!(document["title"], "ASampleConfig");
    assert_eq!(file_name(Sample::KIND), "a-sample-config.json");
}

#[test]
fn long_lists_of_violations_are_cut() {
    let told = Violations((0..60).map(|line| line.to_string()).collect()).to_string();
    assert!(told.ends_with("\n49\nand 10 more"), "{told}");
}
