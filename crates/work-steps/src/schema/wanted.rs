//! Which places of a configuration must hold text.

use serde_json::Value;

/// Whether every form that the schema allows at this place is text.
pub(super) fn wants_text(schema: &Value, place: &[String]) -> bool {
    let [name, rest @ ..] = place else { return is_text(schema) };
    let inner = schema
        .pointer("/properties")
        .and_then(|members| members.get(name))
        .or_else(|| name.parse::<usize>().ok().and_then(|_| schema.get("items")))
        .or_else(|| schema.get("additionalProperties"));
    if let Some(inner) = inner {
        return wants_text(inner, rest);
    }
    let mut forms = forms(schema).filter(|form| !is_null(form)).peekable();
    forms.peek().is_some() && forms.all(|form| wants_text(form, place))
}

fn is_text(schema: &Value) -> bool {
    match schema.get("type") {
        Some(Value::String(kind)) => kind == "string",
        Some(Value::Array(kinds)) => {
            kinds.iter().all(|kind| kind == "string" || kind == "null")
                && kinds.iter().any(|kind| kind == "string")
        }
        _ => {
            let mut forms = forms(schema).filter(|form| !is_null(form)).peekable();
            forms.peek().is_some() && forms.all(is_text)
        }
    }
}

fn is_null(schema: &Value) -> bool {
    schema.get("type").is_some_and(|kind| kind == "null")
}

fn forms(schema: &Value) -> impl Iterator<Item = &Value> {
    let lists = ["anyOf", "oneOf"].into_iter().filter_map(|name| schema.get(name)?.as_array());
    lists.flatten()
}
