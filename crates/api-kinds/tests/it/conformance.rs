//! Every generated definition equals the reference's in all but its descriptions.

use std::{fs, path::PathBuf};

use serde_json::{Value, json};

fn reference_dir() -> Option<PathBuf> {
    let dir = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/conformance/crds");
    if dir.is_dir() {
        return Some(dir);
    }
    let in_ci = std::env::var_os("CI").is_some_and(|value| value == "true");
    assert!(!in_ci, "../shared not found, and it must be there in CI");
    println!("skipped: ../shared not found");
    None
}

fn file_name(crd: &Value) -> String {
    let names = &crd["spec"]["names"];
    format!("{}_{}.yaml", crd["spec"]["group"].as_str().unwrap(), names["plural"].as_str().unwrap())
}

/// Lists where two values differ. Descriptions and the order of unordered lists do not count.
fn differences(path: &str, ours: &Value, theirs: &Value, found: &mut Vec<String>) {
    match (ours, theirs) {
        (Value::Object(ours), Value::Object(theirs)) => {
            let keys = ours.keys().chain(theirs.keys().filter(|key| !ours.contains_key(*key)));
            for key in keys {
                // A property may be called description; then its value is a schema.
                let is_description = key == "description"
                    && [ours, theirs].iter().all(|side| side.get(key).is_none_or(Value::is_string));
                if is_description {
                    continue;
                }
                let path = format!("{path}.{key}");
                match (ours.get(key), theirs.get(key)) {
                    (Some(ours), Some(theirs)) => differences(&path, ours, theirs, found),
                    (Some(ours), None) => found.push(format!("{path}: only ours: {ours}")),
                    (None, theirs) => found.push(format!("{path}: missing: {theirs:?}")),
                }
            }
        }
        (Value::Array(ours), Value::Array(theirs)) if ours.len() == theirs.len() => {
            let (mut ours, mut theirs) = (ours.clone(), theirs.clone());
            if matches!(path.rsplit('.').next(), Some("required" | "enum")) {
                ours.sort_by_key(Value::to_string);
                theirs.sort_by_key(Value::to_string);
            }
            for (index, (ours, theirs)) in ours.iter().zip(&theirs).enumerate() {
                differences(&format!("{path}[{index}]"), ours, theirs, found);
            }
        }
        (ours, theirs) if ours == theirs => {}
        (ours, theirs) => found.push(format!("{path}: ours {ours}, reference {theirs}")),
    }
}

#[test]
fn definitions_equal_those_of_the_reference() {
    let Some(dir) = reference_dir() else { return };
    let crds = api_kinds::crd::crds();
    let mut found = Vec::new();
    for crd in &crds {
        let name = file_name(crd);
        let text = fs::read_to_string(dir.join(&name)).unwrap();
        let reference: Value = serde_saphyr::from_str(&text).unwrap();
        differences(&name, crd, &reference, &mut found);
    }
    assert!(found.is_empty(), "{} differences:\n{}", found.len(), found.join("\n"));
    assert_eq!(crds.len(), fs::read_dir(dir).unwrap().count(), "kinds are missing");
}

#[test]
fn definitions_are_sorted_by_file_name() {
    let names: Vec<_> = api_kinds::crd::crds().iter().map(file_name).collect();
    assert!(names.is_sorted(), "{names:?}");
}

#[test]
fn comparison_sees_every_kind_of_difference_but_descriptions() {
    let ours = json!({ "same": 1, "value": 1, "ours": 1, "description": "x", "enum": ["b", "a"] });
    let theirs = json!({ "same": 1, "value": 2, "theirs": 1, "enum": ["a", "b"], "list": [1] });
    let mut found = Vec::new();
    differences("", &ours, &theirs, &mut found);
    let paths: Vec<_> = found.iter().map(|line| line.split(':').next().unwrap()).collect();
    assert_eq!(paths, [".ours", ".value", ".list", ".theirs"]);
}
