//! Choice, emptiness, kinds of values.

use gotmpl::Value;

use super::{Call, Table};

pub(super) const TABLE: Table = &[
    ("default", |call| {
        let given = call.arguments.get(1).filter(|value| value.is_truthy());
        given.map_or_else(|| call.value(0).cloned(), |value| Ok(value.clone()))
    }),
    ("empty", |call| Ok(Value::Bool(!call.value(0)?.is_truthy()))),
    ("coalesce", |call| {
        Ok(call.arguments.iter().find(|value| value.is_truthy()).cloned().unwrap_or(Value::Nil))
    }),
    ("all", |call| Ok(Value::Bool(call.arguments.iter().all(Value::is_truthy)))),
    ("any", |call| Ok(Value::Bool(call.arguments.iter().any(Value::is_truthy)))),
    ("ternary", |call| {
        let is_first = call.value(2)?.is_truthy();
        call.value(usize::from(!is_first)).cloned()
    }),
    ("fail", |call| Err(call.text(0)?)),
    ("hello", |_| Ok("Hello!".into())),
    ("deepCopy", |call| call.value(0).cloned()),
    ("mustDeepCopy", |call| call.value(0).cloned()),
    ("deepEqual", |call| Ok(Value::Bool(call.value(0)? == call.value(1)?))),
    ("kindOf", |call| Ok(kind(call.value(0)?).into())),
    ("kindIs", |call| Ok(Value::Bool(kind(call.value(1)?) == call.text(0)?))),
    ("typeOf", |call| Ok(type_of(call.value(0)?).into())),
    ("typeIs", |call| Ok(Value::Bool(type_of(call.value(1)?) == call.text(0)?))),
    ("typeIsLike", type_is_like),
];

fn type_is_like(call: &Call<'_>) -> Result<Value, String> {
    let wanted = call.text(0)?;
    Ok(Value::Bool(type_of(call.value(1)?) == wanted.trim_start_matches('*')))
}

/// The kind, as Go calls it.
fn kind(value: &Value) -> &'static str {
    match value {
        Value::Bool(_) => "bool",
        Value::Int(_) => "int64",
        Value::Uint(_) => "uint64",
        Value::Float(_) => "float64",
        Value::String(_) => "string",
        Value::List(_) => "slice",
        Value::Map(_) => "map",
        Value::Function(_) => "func",
        Value::Nil => "invalid",
    }
}

/// The type, as Go calls it.
fn type_of(value: &Value) -> &'static str {
    match value {
        Value::List(_) => "[]interface {}",
        Value::Map(_) => "map[string]interface {}",
        Value::Nil => "<nil>",
        other => kind(other),
    }
}
