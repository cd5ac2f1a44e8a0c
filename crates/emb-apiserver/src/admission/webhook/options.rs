//! The options of a request, as reviews show them. Patches arrive as updates, and so do their options.

use serde_json::{Map, Value, json};

use crate::{
    admission::{Operation, Request},
    request::{body, query::Query},
};

/// The options of this request.
pub(super) fn options(request: &Request) -> Value {
    let (info, query) = (&request.origin.info, &request.origin.info.query);
    let (kind, mut options) = match request.operation {
        Operation::Create => ("CreateOptions", write_options(query)),
        Operation::Update => ("UpdateOptions", write_options(query)),
        Operation::Delete => {
            let content_type = info.header("content-type");
            ("DeleteOptions", delete_options(&request.origin.body, content_type, query))
        }
    };
    if request.dry_run {
        options.insert("dryRun".into(), json!(["All"]));
    }
    options.insert("kind".into(), json!(kind));
    options.insert("apiVersion".into(), json!("meta.k8s.io/v1"));
    Value::Object(options)
}

fn write_options(query: &Query) -> Map<String, Value> {
    let given = ["fieldManager", "fieldValidation"].into_iter().filter_map(|key| {
        let value = query.find(key).filter(|value| !value.is_empty())?;
        Some((key.to_owned(), json!(value)))
    });
    given.collect()
}

/// What the body says, or without a body the query.
fn delete_options(body: &[u8], content_type: &str, query: &Query) -> Map<String, Value> {
    if !body.is_empty() {
        // The verb has read it before.
        return match body::decode(body, content_type).map(|decoded| decoded.value) {
            Ok(Value::Object(members)) => members,
            _ => Map::new(),
        };
    }
    let mut options = Map::new();
    if let Some(policy) = query.find("propagationPolicy") {
        options.insert("propagationPolicy".into(), json!(policy));
    }
    if query.find("orphanDependents").is_some() {
        options.insert("orphanDependents".into(), json!(query.flag("orphanDependents")));
    }
    if let Ok(Some(seconds)) = query.number("gracePeriodSeconds") {
        options.insert("gracePeriodSeconds".into(), json!(seconds));
    }
    options
}
