//! The reduced definitions demand nothing that those of Argo Rollouts do not.

use std::{fs, path::PathBuf};

use serde_json::{Map, Value};

const FILES: [(&str, &str); 3] = [
    ("analysisruns.argoproj.io", "analysis-run-crd.yaml"),
    ("analysistemplates.argoproj.io", "analysis-template-crd.yaml"),
    ("clusteranalysistemplates.argoproj.io", "cluster-analysis-template-crd.yaml"),
];

fn reference_dir() -> Option<PathBuf> {
    let dir =
        PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/conformance/argoproj");
    if dir.is_dir() {
        return Some(dir);
    }
    let in_ci = std::env::var_os("CI").is_some_and(|value| value == "true");
    assert!(!in_ci, "../shared not found, and it must be there in CI");
    println!("skipped: ../shared not found");
    None
}

/// Lists where our schema refuses what the reference takes.
fn stricter(path: &str, ours: &Map<String, Value>, theirs: &Value, found: &mut Vec<String>) {
    for (key, value) in ours {
        match (key.as_str(), value) {
            ("x-kubernetes-preserve-unknown-fields", _) => {}
            ("properties", Value::Object(properties)) => {
                for (name, schema) in properties {
                    let path = format!("{path}.{name}");
                    match theirs["properties"].get(name) {
                        Some(theirs) => {
                            stricter(&path, schema.as_object().unwrap(), theirs, found);
                        }
                        // The reference keeps whatever stands here.
                        None if theirs["x-kubernetes-preserve-unknown-fields"] == true => {}
                        None => found.push(format!("{path}: unknown to the reference")),
                    }
                }
            }
            ("items" | "additionalProperties", Value::Object(schema)) => {
                stricter(&format!("{path}[]"), schema, &theirs[key], found);
            }
            ("required", Value::Array(names)) => {
                for name in names {
                    if !theirs["required"].as_array().is_some_and(|list| list.contains(name)) {
                        found.push(format!("{path}.{name}: required only by ours"));
                    }
                }
            }
            (key, value) => {
                if theirs[key] != *value {
                    found.push(format!("{path}.{key}: ours {value}, reference {}", theirs[key]));
                }
            }
        }
    }
}

#[test]
fn definitions_take_what_the_reference_takes_under_the_same_names() {
    let Some(dir) = reference_dir() else { return };
    let crds = api_analysis::crds();
    assert_eq!(crds.len(), FILES.len());
    for (crd, (name, file)) in crds.iter().zip(FILES) {
        assert_eq!(crd["metadata"]["name"], name);
        let text = fs::read_to_string(dir.join(file)).unwrap();
        let reference: Value = serde_saphyr::from_str(&text).unwrap();
        let (ours, theirs) = (&crd["spec"], &reference["spec"]);
        for field in ["group", "names", "scope"] {
            assert_eq!(ours[field], theirs[field], "{name}: {field}");
        }
        let (ours, theirs) = (&ours["versions"][0], &theirs["versions"][0]);
        for field in ["name", "served", "storage", "subresources", "additionalPrinterColumns"] {
            assert_eq!(ours[field], theirs[field], "{name}: {field}");
        }
        let schema = ours["schema"]["openAPIV3Schema"].as_object().unwrap();
        let mut found = Vec::new();
        stricter("", schema, &theirs["schema"]["openAPIV3Schema"], &mut found);
        assert!(found.is_empty(), "{name}:\n{}", found.join("\n"));
    }
}
