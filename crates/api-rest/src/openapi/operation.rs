//! One route as an operation of the document.

use serde_json::{Map, Value, json};

use super::{body::ERROR, object::PREFIX};
use crate::{
    route::{Access, Body, Parameter, ParameterKind, Reply, Route},
    sse,
};

const JSON: &str = "application/json";
const TEXT: &str = "text/plain";

pub(super) fn of(route: &Route) -> Value {
    let mut operation = json!({
        "operationId": route.operation,
        "summary": words(route.operation),
        "tags": route.tags,
        "responses": responses(route),
    });
    if let Value::Object(fields) = &mut operation {
        let parameters = parameters(route);
        if !parameters.is_empty() {
            fields.insert("parameters".to_owned(), Value::Array(parameters));
        }
        if let Some(body) = route.body {
            fields.insert("requestBody".to_owned(), request_body(body));
        }
        access(route.access, fields);
    }
    operation
}

/// `ListProjectRoles` as `List Project Roles`; an abbreviation stays together.
fn words(operation: &str) -> String {
    let mut text = String::new();
    let mut characters = operation.chars().peekable();
    let mut before = ' ';
    while let Some(character) = characters.next() {
        let ends_abbreviation =
            before.is_uppercase() && characters.peek().is_some_and(|next| next.is_lowercase());
        let begins = character.is_uppercase() && (before.is_lowercase() || ends_abbreviation);
        if begins && !text.is_empty() {
            text.push(' ');
        }
        text.push(character);
        before = character;
    }
    text
}

fn parameters(route: &Route) -> Vec<Value> {
    let path = route.path_parameters().map(|name| {
        json!({ "name": name, "in": "path", "required": true, "schema": { "type": "string" } })
    });
    path.chain(route.query.iter().map(query)).collect()
}

fn query(parameter: &Parameter) -> Value {
    let schema = match parameter.kind {
        ParameterKind::Text => json!({ "type": "string" }),
        ParameterKind::Flag => json!({ "type": "boolean" }),
        ParameterKind::Number => json!({ "type": "integer" }),
        ParameterKind::Many => json!({ "type": "array", "items": { "type": "string" } }),
    };
    let mut value = json!({ "name": parameter.name, "in": "query", "schema": schema });
    if let Value::Object(fields) = &mut value {
        if parameter.is_required {
            fields.insert("required".to_owned(), json!(true));
        }
        if parameter.kind == ParameterKind::Many {
            // One per repetition of the name.
            fields.insert("explode".to_owned(), json!(true));
        }
    }
    value
}

fn request_body(body: Body) -> Value {
    let content = match body {
        Body::Json(schema) => json!({ JSON: { "schema": reference(schema) } }),
        Body::Manifests => json!({ TEXT: { "schema": { "type": "string" } } }),
    };
    json!({ "required": true, "content": content })
}

fn responses(route: &Route) -> Value {
    let mut content = Map::new();
    match route.reply {
        Reply::Nothing => {}
        Reply::Json(schema) => {
            content.insert(JSON.to_owned(), json!({ "schema": reference(schema) }));
        }
        Reply::Text => {
            content.insert(TEXT.to_owned(), text());
            content.insert(sse::CONTENT_TYPE.to_owned(), text());
        }
        Reply::Events => {
            content.insert(sse::CONTENT_TYPE.to_owned(), text());
        }
    }
    if route.query.iter().any(|parameter| parameter.name == "watch") {
        content.insert(sse::CONTENT_TYPE.to_owned(), text());
    }
    let mut success = json!({ "description": "All went well." });
    if let (Value::Object(fields), false) = (&mut success, content.is_empty()) {
        fields.insert("content".to_owned(), Value::Object(content));
    }
    json!({
        route.success.to_string(): success,
        "default": {
            "description": "What went wrong.",
            "content": { JSON: { "schema": reference(ERROR) } },
        },
    })
}

fn text() -> Value {
    json!({ "schema": { "type": "string" } })
}

fn reference(schema: &str) -> Value {
    json!({ "$ref": format!("{PREFIX}{schema}") })
}

/// Says who may: without a login, with any, or with these permissions.
fn access(access: Access, fields: &mut Map<String, Value>) {
    match access {
        Access::Public => {
            fields.insert("security".to_owned(), json!([]));
        }
        Access::Server(_) => {}
        Access::Caller(permissions) => {
            let name = |permission: &crate::route::Permission| {
                let dot = if permission.group.is_empty() { "" } else { "." };
                format!("{} {}{dot}{}", permission.verb, permission.resource, permission.group)
            };
            let names: Vec<_> = permissions.iter().map(name).collect();
            fields.insert("x-required-permissions".to_owned(), json!(names));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::words;

    #[test]
    fn operations_are_called_by_their_words() {
        assert_eq!(words("ListProjectRoles"), "List Project Roles");
        assert_eq!(words("CreateProjectAPIToken"), "Create Project API Token");
        assert_eq!(words("Grant"), "Grant");
    }
}
