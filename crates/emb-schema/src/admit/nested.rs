//! Schemas inside `allOf`, `anyOf`, `oneOf` and `not`: they may only restrict values that stand outside of them.

use emb_meta::{FieldError, FieldPath};
use serde_json::Value;

use super::{Keywords, flag, is_too_deep, keyword, properties, schema, schemas, text};

const JUNCTORS: [&str; 3] = ["allOf", "anyOf", "oneOf"];

/// Checks the alternatives of a schema that itself stands outside of alternatives. Those of the root may name only what
/// the root declares; elsewhere the API is lenient about it.
pub(super) fn check(outer: &Keywords, at: &FieldPath, depth: usize, errors: &mut Vec<FieldError>) {
    let mut walk = Walk { errors, is_root: depth == 1 };
    walk.branches(outer, Some(outer), at, at, depth);
}

struct Walk<'e> {
    errors: &'e mut Vec<FieldError>,
    is_root: bool,
}

impl Walk<'_> {
    /// `outer` is the schema outside of alternatives for the same value, at `outer_at`.
    fn branches(
        &mut self,
        keywords: &Keywords,
        outer: Option<&Keywords>,
        outer_at: &FieldPath,
        at: &FieldPath,
        depth: usize,
    ) {
        if is_too_deep(depth) {
            return;
        }
        for junctor in JUNCTORS {
            // Either a whole number or text: the one place where alternatives may name types.
            let spells_int_or_string = junctor == "anyOf" && is_int_or_string(keywords);
            for (index, branch) in schemas(keywords, junctor) {
                if !spells_int_or_string {
                    let here = at.child(junctor).index(index);
                    self.branch(branch, outer, outer_at, &here, depth + 1);
                }
            }
        }
        if let Some(not) = schema(keywords, "not") {
            self.branch(not, outer, outer_at, &at.child("not"), depth + 1);
        }
    }

    fn branch(
        &mut self,
        branch: &Keywords,
        outer: Option<&Keywords>,
        outer_at: &FieldPath,
        at: &FieldPath,
        depth: usize,
    ) {
        if outer.is_none() && self.is_root {
            let detail = format!("because it is defined in {at}");
            self.errors.push(FieldError::required(outer_at, &detail));
            return;
        }
        self.forbidden(branch, at);
        self.branches(branch, outer, outer_at, at, depth);
        if let Some(items) = schema(branch, "items") {
            let (outer_at, at) = (outer_at.child("items"), at.child("items"));
            let outer = outer.and_then(|outer| schema(outer, "items"));
            self.branch(items, outer, &outer_at, &at, depth + 1);
        }
        let declared = outer.and_then(|outer| schema(outer, "properties"));
        for (name, property) in properties(branch) {
            let here = at.child("properties").key(name);
            if name == "metadata" {
                let detail = "must not be specified in a nested context";
                self.errors.push(FieldError::forbidden(&here, detail));
            }
            let outer = declared.and_then(|declared| schema(declared, name));
            let outer_at = outer_at.child("properties").key(name);
            self.branch(property, outer, &outer_at, &here, depth + 1);
        }
    }

    fn forbidden(&mut self, branch: &Keywords, at: &FieldPath) {
        for (name, condition) in [
            ("type", "must be empty to be structural"),
            ("title", "must be empty to be structural"),
            ("description", "must be empty to be structural"),
        ] {
            if !text(branch, name).is_empty() {
                self.errors.push(FieldError::forbidden(at.child(name), condition));
            }
        }
        for name in [
            "nullable",
            "x-kubernetes-preserve-unknown-fields",
            "x-kubernetes-embedded-resource",
            "x-kubernetes-int-or-string",
        ] {
            if flag(branch, name) {
                let condition = "must be false to be structural";
                self.errors.push(FieldError::forbidden(at.child(name), condition));
            }
        }
        for name in
            ["additionalProperties", "default", "x-kubernetes-list-type", "x-kubernetes-map-type"]
        {
            if keyword(branch, name).is_some_and(|value| *value != Value::Bool(false)) {
                let condition = "must be undefined to be structural";
                self.errors.push(FieldError::forbidden(at.child(name), condition));
            }
        }
        for name in ["x-kubernetes-list-map-keys", "x-kubernetes-validations"] {
            let list = keyword(branch, name).and_then(Value::as_array);
            if list.is_some_and(|list| !list.is_empty()) {
                let condition = "must be empty to be structural";
                self.errors.push(FieldError::forbidden(at.child(name), condition));
            }
        }
    }
}

fn is_int_or_string(keywords: &Keywords) -> bool {
    let types: Vec<&str> = schemas(keywords, "anyOf")
        .filter(|(_, branch)| branch.len() == 1)
        .map(|(_, branch)| text(branch, "type"))
        .collect();
    types == ["integer", "string"]
}
