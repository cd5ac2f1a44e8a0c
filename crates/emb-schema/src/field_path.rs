//! The `fieldPath` of a rule: `.a.b['c.d']` below the place of the rule.

use crate::{
    node::{Additional, Node},
    place::Place,
};

/// The path in the form of error fields (`a.b[c.d]`); `None` if the schema has no such field.
pub(crate) fn resolve(path: &str, node: &Node) -> Option<String> {
    let mut rest = path;
    let mut node = node;
    let mut resolved = String::new();
    if rest.is_empty() || path.contains(['\n', '\r']) {
        return None;
    }
    while !rest.is_empty() {
        let (name, after) = step(rest)?;
        let place;
        (node, place) = if node.properties.is_empty() {
            let Additional::Schema(values) = &node.additional else { return None };
            (&**values, Place::Key(&Place::Root, &name).to_string())
        } else {
            (node.properties.get(name.as_str())?, name.clone())
        };
        if !resolved.is_empty() && !place.starts_with('[') {
            resolved.push('.');
        }
        resolved.push_str(&place);
        rest = after;
    }
    Some(resolved)
}

/// The first step of a path and what follows it.
fn step(path: &str) -> Option<(String, &str)> {
    if let Some(dotted) = path.strip_prefix('.') {
        let end = dotted.find(['.', '[']).unwrap_or(dotted.len());
        let (name, rest) = dotted.split_at_checked(end)?;
        return (!name.is_empty()).then(|| (name.to_owned(), rest));
    }
    let quoted = path.strip_prefix("['")?;
    let mut name = String::new();
    let mut characters = quoted.char_indices();
    loop {
        match characters.next()? {
            (at, '\'') => {
                let rest = quoted.get(at + 1..)?.strip_prefix(']')?;
                return Some((name, rest));
            }
            (_, '\\') => name.push(match characters.next()?.1 {
                'n' => '\n',
                'r' => '\r',
                't' => '\t',
                plain @ ('\'' | '\\') => plain,
                _ => return None,
            }),
            (_, plain) => name.push(plain),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::{compile::Compiler, node::Envelope};

    #[test]
    fn paths_follow_the_schema() {
        let schema = json!({"type": "object", "properties": {
            "a": {"type": "object", "properties": {"b.c": {"type": "string"}}},
            "m": {"type": "object", "additionalProperties": {"type": "string"}},
        }});
        let node = Compiler::new().root(&schema, &emb_meta::FieldPath::root(), Envelope::None);
        assert_eq!(resolve(".a", &node).as_deref(), Some("a"));
        assert_eq!(resolve(".a['b.c']", &node).as_deref(), Some("a.b.c"));
        assert_eq!(resolve(".m['x']", &node).as_deref(), Some("m[x]"));
        for bad in ["", "a", ".z", ".a.z", ".a[0]", ".a['b", ".", ".a.b.c"] {
            assert_eq!(resolve(bad, &node), None, "{bad}");
        }
    }
}
