//! Paths, methods, operation ids, tags, parameters, bodies and codes are upstream's.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::Path,
};

use api_rest::route::{Access, Body, ParameterKind, Route, additional, routes};
use serde_json::Value;

const DOCUMENT: &str =
    concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/conformance/swagger.json");

/// Upstream's document; `None` when it is not there and need not be.
pub(crate) fn upstream() -> Option<Value> {
    if Path::new(DOCUMENT).exists() {
        return serde_json::from_slice(&std::fs::read(DOCUMENT).unwrap()).unwrap();
    }
    let in_ci = std::env::vars().any(|(name, value)| name == "CI" && value == "true");
    assert!(!in_ci, "../shared not found, and it must be there in CI");
    println!("skipped: ../shared not found");
    None
}

/// What one side says of an operation, in comparable form.
#[derive(Debug, PartialEq, Eq)]
struct Operation {
    address: String,
    tags: BTreeSet<String>,
    path: BTreeSet<String>,
    query: BTreeSet<String>,
    body: Option<String>,
    success: u16,
    is_public: bool,
}

#[test]
fn the_table_says_what_the_document_says() {
    let Some(document) = upstream() else { return };
    let documented = of_document(&document);
    let ours: BTreeMap<_, _> =
        routes().map(|route| (route.operation.to_owned(), of_route(route))).collect();
    assert_eq!(documented.len(), 119);
    for (name, operation) in &documented {
        assert_eq!(ours.get(name), Some(operation), "{name}");
    }
    let beside: Vec<_> = ours.keys().filter(|name| !documented.contains_key(*name)).collect();
    assert_eq!(beside.len(), additional().count(), "{beside:?}");
}

fn of_route(route: &Route) -> Operation {
    let documented = route.query.iter().filter(|parameter| parameter.is_documented);
    let body = route.body.map(|body| match body {
        // Upstream documents the body of these two without a schema.
        Body::Json("RbacRole") => "body:".to_owned(),
        Body::Json(schema) => format!("body:{schema}"),
        Body::Manifests => "manifest:".to_owned(),
    });
    Operation {
        address: format!("{} {}", route.method.as_str(), route.path),
        tags: route.tags.iter().map(|&tag| tag.to_owned()).collect(),
        path: route.path_parameters().map(str::to_owned).collect(),
        query: documented
            .map(|parameter| query(parameter.name, kind(parameter.kind), parameter.is_required))
            .collect(),
        body,
        success: route.success,
        // Logging in is documented as if it needed a login.
        is_public: route.access == Access::Public && route.operation != "AdminLogin",
    }
}

fn of_document(document: &Value) -> BTreeMap<String, Operation> {
    let mut operations = BTreeMap::new();
    for (path, methods) in document["paths"].as_object().unwrap() {
        for (method, operation) in methods.as_object().unwrap() {
            let name = operation["operationId"].as_str().unwrap().to_owned();
            let address = format!("{} {path}", method.to_uppercase());
            operations.insert(name, of_operation(address, operation));
        }
    }
    operations
}

fn of_operation(address: String, operation: &Value) -> Operation {
    let parameters = operation["parameters"].as_array().cloned().unwrap_or_default();
    let within = |place: &str| {
        parameters.iter().filter(|parameter| parameter["in"] == place).collect::<Vec<_>>()
    };
    let name = |parameter: &Value| parameter["name"].as_str().unwrap().to_owned();
    let query_of = |parameter: &&Value| {
        let is_required = parameter["required"] == true;
        query(&name(parameter), parameter["type"].as_str().unwrap(), is_required)
    };
    let body = within("body").first().map(|parameter| {
        let schema = parameter["schema"]["$ref"].as_str().unwrap_or_default();
        format!("{}:{}", name(parameter), schema.rsplit('/').next().unwrap())
    });
    let mut codes = operation["responses"].as_object().unwrap().keys();
    Operation {
        address,
        tags: operation["tags"]
            .as_array()
            .unwrap()
            .iter()
            .map(|tag| tag.as_str().unwrap().to_owned())
            .collect(),
        path: within("path").into_iter().map(name).collect(),
        query: within("query").iter().map(query_of).collect(),
        body,
        success: codes.find(|code| code.starts_with('2')).unwrap().parse().unwrap(),
        is_public: operation["security"].is_null(),
    }
}

fn query(name: &str, kind: &str, is_required: bool) -> String {
    format!("{name}:{kind}{}", if is_required { "!" } else { "" })
}

fn kind(kind: ParameterKind) -> &'static str {
    match kind {
        ParameterKind::Text => "string",
        ParameterKind::Flag => "boolean",
        ParameterKind::Number => "integer",
        ParameterKind::Many => "array",
    }
}
