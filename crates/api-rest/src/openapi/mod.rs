//! The REST API as an OpenAPI document, made from the route table and the types of bodies.
//!
//! Kinds of objects are not known here: their schemas are handed in. The document is committed, so
//! that clients are generated from a file and changes of it are seen in review.

mod body;
pub(crate) mod object;
mod operation;
mod schema;

pub use schema::tidy;

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value, json};

use crate::route::{self, Reply, Route};

/// Schemas by the name under which routes refer to them.
pub type Schemas = BTreeMap<String, Value>;

/// The document of all routes. `kinds` are the schemas of objects.
pub fn document(kinds: Schemas) -> Value {
    let mut schemas = kinds;
    schemas.extend(body::schemas());
    for name in lists() {
        schemas.entry(format!("{name}List")).or_insert_with(|| schema::list_of(name));
    }
    let mut document = json!({
        "openapi": "3.1.0",
        "info": {
            "title": "Kargo",
            "version": "v1beta1",
            "description": "Upstream's REST API, and what this server has beside it.",
        },
        "servers": [{ "url": "/" }],
        "security": [{ "BearerAuth": [] }],
        "paths": paths(),
        "components": {
            "schemas": schemas,
            "securitySchemes": { "BearerAuth": { "type": "http", "scheme": "bearer" } },
        },
    });
    // The order of fields must not depend on what else is compiled in.
    document.sort_all_objects();
    document
}

fn paths() -> Value {
    let mut paths: BTreeMap<&str, Map<String, Value>> = BTreeMap::new();
    for route in route::routes() {
        let method = route.method.as_str().to_lowercase();
        paths.entry(route.path).or_default().insert(method, operation::of(route));
    }
    json!(paths)
}

/// The kinds of which routes give lists.
fn lists() -> BTreeSet<&'static str> {
    let kind = |route: &Route| match route.reply {
        Reply::Json(schema) => schema.strip_suffix("List"),
        Reply::Nothing | Reply::Text | Reply::Events => None,
    };
    route::routes().filter_map(kind).collect()
}
