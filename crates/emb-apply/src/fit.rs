//! Ownership that was recorded under an earlier schema.

use serde_json::{Map, Value};

use crate::{
    set::{FieldSet, SELF, below},
    types::{Identity, Type},
};

/// Makes a set fit the type: who owned a part of what is now one value owns that value.
pub(crate) fn fit(kind: &Type, set: &mut FieldSet) {
    walk(kind, &mut set.0);
}

fn walk(kind: &Type, level: &mut Map<String, Value>) {
    for (element, branch) in level.iter_mut().filter(|(element, _)| *element != SELF) {
        let Some(child) = child(kind, element) else { continue };
        if below(branch).is_none() {
            continue;
        }
        if is_one_value(child) {
            *branch = Value::Object(Map::new());
        } else if let Value::Object(inner) = branch {
            walk(child, inner);
        }
    }
}

fn child<'t>(kind: &'t Type, element: &str) -> Option<&'t Type> {
    match (kind, element.strip_prefix("f:")) {
        (Type::Map(map) | Type::Any(_, map), Some(name)) => Some(map.member(name)),
        (Type::List(list) | Type::Any(list, _), None) => Some(&list.items),
        _ => None,
    }
}

fn is_one_value(kind: &Type) -> bool {
    match kind {
        Type::List(list) => matches!(list.identity, Identity::None),
        Type::Map(map) => map.atomic,
        Type::Any(..) | Type::Deduced | Type::Scalar(_) => false,
    }
}
