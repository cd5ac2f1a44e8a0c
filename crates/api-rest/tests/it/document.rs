//! The committed OpenAPI document has everything that upstream's has, and says the same of it.

use std::{collections::BTreeSet, path::Path};

use serde_json::Value;

use crate::contract::upstream;

const OURS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../openapi/rest/openapi.json");

/// Places of the document that differ on purpose; each is explained in `docs/compat.md`.
const DIFFERENT: [&str; 3] = [
    // Kinds of Argo Rollouts are described as far as they are read here; the rest is any JSON.
    "RolloutsAnalysisRun",
    "RolloutsAnalysisTemplate",
    "RolloutsClusterAnalysisTemplate",
];

/// Two documents side by side.
struct Comparison {
    theirs: Value,
    ours: Value,
    /// Pairs of schemas that were compared, or are being compared.
    seen: BTreeSet<(String, String)>,
    differences: Vec<String>,
}

#[test]
fn nothing_of_upstream_is_missing_or_different() {
    let Some(theirs) = upstream() else { return };
    let ours = serde_json::from_slice(&std::fs::read(Path::new(OURS)).unwrap()).unwrap();
    let mut comparison =
        Comparison { theirs, ours, seen: BTreeSet::new(), differences: Vec::new() };
    comparison.run();
    assert!(comparison.differences.is_empty(), "{}", comparison.differences.join("\n"));
}

impl Comparison {
    fn run(&mut self) {
        let paths = self.theirs["paths"].clone();
        for (path, methods) in paths.as_object().unwrap() {
            for (method, theirs) in methods.as_object().unwrap() {
                let place = format!("{method} {path}");
                let ours = self.ours["paths"][path][method].clone();
                if ours.is_null() {
                    self.differences.push(format!("{place}: missing"));
                    continue;
                }
                self.parameters(&place, theirs, &ours);
                self.replies(&place, theirs, &ours);
            }
        }
    }

    fn parameters(&mut self, place: &str, theirs: &Value, ours: &Value) {
        for parameter in theirs["parameters"].as_array().into_iter().flatten() {
            let name = parameter["name"].as_str().unwrap();
            if parameter["in"] == "body" {
                let content = &ours["requestBody"]["content"];
                let body = content.as_object().and_then(|content| content.values().next());
                let body = body.map_or(Value::Null, |content| content["schema"].clone());
                self.schema(&format!("{place} body"), &parameter["schema"], &body);
                continue;
            }
            let mut all = ours["parameters"].as_array().into_iter().flatten();
            let found = all.find(|one| one["name"] == *name && one["in"] == parameter["in"]);
            let is_same = found.is_some_and(|one| {
                let is_required = |value: &Value| value["required"] == true;
                one["schema"]["type"] == parameter["type"]
                    && is_required(one) == is_required(parameter)
            });
            if !is_same {
                self.differences.push(format!("{place}: parameter {name}"));
            }
        }
    }

    fn replies(&mut self, place: &str, theirs: &Value, ours: &Value) {
        let successes = theirs["responses"].as_object().unwrap().iter();
        for (code, reply) in successes.filter(|(code, _)| code.starts_with('2')) {
            let found = &ours["responses"][code];
            if found.is_null() {
                self.differences.push(format!("{place}: no {code}"));
            }
            let Some(schema) = reply.get("schema") else { continue };
            let content = found["content"].as_object();
            let json = content.and_then(|content| {
                content.get("application/json").or_else(|| content.get("text/plain"))
            });
            let ours = json.map_or(Value::Null, |content| content["schema"].clone());
            self.schema(&format!("{place} {code}"), schema, &ours);
        }
    }

    /// Whether everything that `theirs` says is said by `ours`.
    fn schema(&mut self, place: &str, theirs: &Value, ours: &Value) {
        if let (Some(one), Some(other)) = (name(theirs), name(ours))
            && !self.seen.insert((one, other))
        {
            return;
        }
        if name(theirs).is_some_and(|name| DIFFERENT.contains(&name.as_str())) {
            return;
        }
        let (theirs, ours) = (
            resolved(&self.theirs, "/definitions", theirs),
            resolved(&self.ours, "/components/schemas", ours),
        );
        let is_same_type = theirs["type"].is_null() || theirs["type"] == ours["type"];
        // Quantities and ports are either.
        let is_either = ours["x-kubernetes-int-or-string"] == true;
        if !is_same_type && !is_either {
            self.differences.push(format!("{place}: {} is {}", theirs["type"], ours["type"]));
            return;
        }
        for (property, theirs) in theirs["properties"].as_object().into_iter().flatten() {
            let ours = &ours["properties"][property];
            if ours.is_null() {
                self.differences.push(format!("{place}.{property}: missing"));
            } else {
                self.schema(&format!("{place}.{property}"), theirs, &ours.clone());
            }
        }
        for keyword in ["items", "additionalProperties"] {
            if theirs[keyword].is_object() {
                self.schema(&format!("{place}[]"), &theirs[keyword], &ours[keyword]);
            }
        }
    }
}

/// The name of the schema that is referred to.
fn name(schema: &Value) -> Option<String> {
    let whole = schema.pointer("/allOf/0").unwrap_or(schema);
    whole["$ref"].as_str()?.rsplit('/').next().map(str::to_owned)
}

/// The schema itself, in place of a reference to it.
fn resolved(document: &Value, folder: &str, schema: &Value) -> Value {
    match name(schema) {
        Some(name) => {
            let found = document.pointer(&format!("{folder}/{name}")).unwrap_or(&Value::Null);
            resolved(document, folder, found)
        }
        None => schema.clone(),
    }
}
