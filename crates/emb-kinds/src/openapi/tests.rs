//! The published documents.

use std::sync::Arc;

use emb_meta::GroupVersion;
use serde_json::{Value, json};

use super::{document, hash, root};
use crate::{Resource, builtins, custom, discovery};

fn widgets() -> Vec<Arc<Resource>> {
    custom(&json!({"metadata": {"name": "widgets.probe.example.com"}, "spec": {
        "group": "probe.example.com", "scope": "Namespaced",
        "names": {"plural": "widgets", "singular": "widget", "kind": "Widget", "listKind": "WidgetList"},
        "versions": [{"name": "v1", "served": true, "storage": true, "subresources": {"status": {}},
            "schema": {"openAPIV3Schema": {"type": "object", "properties": {
                "spec": {"type": "object", "properties": {"color": {"type": "string", "description": "Its color."}}}}}}}],
    }}))
    .unwrap()
}

fn published(resources: &[Arc<Resource>], api_version: &str) -> Value {
    document(resources, &GroupVersion::parse(api_version).unwrap(), "v1.36.0").unwrap()
}

/// Every `$ref` below `value`.
fn references(value: &Value, found: &mut Vec<String>) {
    match value {
        Value::Object(members) => {
            if let Some(reference) = members.get("$ref").and_then(Value::as_str) {
                found.push(reference.to_owned());
            }
            members.values().for_each(|member| references(member, found));
        }
        Value::Array(items) => items.iter().for_each(|item| references(item, found)),
        _ => {}
    }
}

#[test]
fn every_reference_leads_to_a_schema_and_nothing_of_ours_leaks() {
    let all: Vec<Arc<Resource>> = builtins().into_iter().chain(widgets()).collect();
    for at in discovery::group_versions(&all) {
        let body = document(&all, &at, "v1.36.0").unwrap();
        let mut found = Vec::new();
        references(&body, &mut found);
        for reference in found {
            let name = reference.strip_prefix("#/components/schemas/").unwrap();
            assert!(body["components"]["schemas"].get(name).is_some(), "{at}: {reference}");
        }
        let text = body.to_string();
        assert!(!text.contains("x-empty") && !text.contains("x-time"), "{at}");
    }
}

#[test]
fn kubectl_finds_what_it_applies_and_explains_by() {
    let body = published(&widgets(), "probe.example.com/v1");
    let item = &body["paths"]["/apis/probe.example.com/v1/namespaces/{namespace}/widgets/{name}"];
    let kind = json!({"group": "probe.example.com", "version": "v1", "kind": "Widget"});
    assert_eq!(item["patch"]["x-kubernetes-group-version-kind"], kind);
    let parameters = item["patch"]["parameters"].as_array().unwrap();
    let names: Vec<&str> = parameters.iter().map(|p| p["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["dryRun", "fieldManager", "fieldValidation", "force"]);
    let list = &body["paths"]["/apis/probe.example.com/v1/namespaces/{namespace}/widgets"]["get"];
    assert_eq!(list["x-kubernetes-action"], "list");
    let schema = &body["components"]["schemas"]["com.example.probe.v1.Widget"];
    assert_eq!(schema["x-kubernetes-group-version-kind"], json!([kind]));
    assert_eq!(
        schema["properties"]["metadata"]["allOf"],
        json!([{"$ref": "#/components/schemas/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta"}])
    );
    let patches = item["patch"]["requestBody"]["content"].as_object().unwrap();
    assert!(!patches.contains_key("application/strategic-merge-patch+json"));
}

#[test]
fn built_in_schemas_publish_how_lists_merge() {
    let body = published(&builtins(), "v1");
    let account = &body["components"]["schemas"]["io.k8s.api.core.v1.ServiceAccount"];
    assert_eq!(account["properties"]["secrets"]["x-kubernetes-patch-merge-key"], "name");
    assert!(
        body["components"]["schemas"].get("io.k8s.api.authentication.v1.TokenRequest").is_some()
    );
}

#[test]
fn a_small_document_in_full() {
    let resources: Vec<Arc<Resource>> =
        builtins().into_iter().filter(|resource| &*resource.plural == "leases").collect();
    let mut body = published(&resources, "coordination.k8s.io/v1");
    let schemas = body["components"]["schemas"].as_object_mut().unwrap();
    schemas.retain(|name, _| !name.contains(".meta.v1."));
    insta::assert_json_snapshot!(body);
}

#[test]
fn the_root_names_each_document_by_its_hash() {
    let (core, ours) = (GroupVersion::new("", "v1"), GroupVersion::new("a.b", "v1"));
    assert_eq!(
        root([(&core, "AB"), (&ours, "CD")]),
        json!({"paths": {
            "api/v1": {"serverRelativeURL": "/openapi/v3/api/v1?hash=AB"},
            "apis/a.b/v1": {"serverRelativeURL": "/openapi/v3/apis/a.b/v1?hash=CD"},
        }})
    );
    assert!(hash(b"").starts_with("CF83E1357EEFB8BD"));
    assert_eq!(hash(b"").len(), 128);
}
