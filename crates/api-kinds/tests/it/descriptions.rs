//! Every field is explained, since `kubectl explain` shows nothing else.

use serde_json::{Map, Value, json};

fn unexplained(path: &str, schema: &Map<String, Value>, found: &mut Vec<String>) {
    if let Some(Value::Object(properties)) = schema.get("properties") {
        for (name, property) in properties {
            let path = format!("{path}.{name}");
            let property = property.as_object().unwrap();
            let description = property.get("description").and_then(Value::as_str).unwrap_or("");
            if description.trim().is_empty() {
                found.push(path.clone());
            }
            unexplained(&path, property, found);
        }
    }
    for keyword in ["items", "additionalProperties"] {
        if let Some(Value::Object(inner)) = schema.get(keyword) {
            unexplained(&format!("{path}[]"), inner, found);
        }
    }
}

#[test]
fn every_field_has_a_description() {
    let mut found = Vec::new();
    for crd in api_kinds::crd::crds() {
        let schema = &crd["spec"]["versions"][0]["schema"]["openAPIV3Schema"];
        let kind = crd["spec"]["names"]["kind"].as_str().unwrap();
        assert!(schema["description"].is_string(), "{kind} has no description");
        let mut schema = schema.as_object().unwrap().clone();
        let metadata = schema["properties"].as_object_mut().unwrap().remove("metadata");
        assert_eq!(metadata, Some(json!({ "type": "object" })), "the API server allows no more");
        unexplained(kind, &schema, &mut found);
    }
    for (name, schema) in api_kinds::crd::subscriptions() {
        assert!(schema["description"].is_string(), "{name} has no description");
        unexplained(name, schema.as_object().unwrap(), &mut found);
    }
    assert!(found.is_empty(), "no description:\n{}", found.join("\n"));
}

#[test]
fn descriptions_do_not_carry_the_wrapping_of_the_source() {
    let all = serde_json::to_string(&api_kinds::crd::crds()).unwrap();
    assert!(!all.replace(r"\n\n", "").contains(r"\n"));
}

#[test]
fn subscriptions_say_what_they_need_and_what_they_assume() {
    let all = api_kinds::crd::subscriptions();
    assert_eq!(all.keys().copied().collect::<Vec<_>>(), ["chart", "git", "image"]);
    for (name, schema) in all {
        assert_eq!(schema["required"], json!(["repoURL"]), "{name}");
        let limit = &schema["properties"]["discoveryLimit"];
        let said = ["default", "minimum", "maximum"].map(|keyword| limit[keyword].clone());
        assert_eq!(said, [json!(20), json!(1), json!(100)], "{name}");
    }
}
