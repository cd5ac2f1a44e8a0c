//! `allOf`, `anyOf`, `oneOf` and `not`.

use emb_meta::FieldError;
use serde_json::{Value, json};

use super::structure::Walk;
use crate::{node::Node, place::Place};

/// What became of one alternative.
struct Outcome {
    errors: Vec<FieldError>,
    visited: usize,
}

impl Walk<'_> {
    pub(super) fn alternatives(
        &mut self,
        node: &Node,
        value: &Value,
        old: Option<&Value>,
        place: &Place<'_>,
    ) {
        let constraints = &node.constraints;
        if !constraints.any_of.is_empty() {
            self.any_of(&constraints.any_of, value, old, place);
        }
        if !constraints.one_of.is_empty() {
            self.one_of(&constraints.one_of, value, old, place);
        }
        if !constraints.all_of.is_empty() {
            self.all_of(&constraints.all_of, value, old, place);
        }
        if let Some(not) = &constraints.not
            && self.attempt(not, value, old, place).errors.is_empty()
        {
            self.blame_nothing(place, "must not validate the schema (not)");
        }
    }

    fn attempt(
        &mut self,
        node: &Node,
        value: &Value,
        old: Option<&Value>,
        place: &Place<'_>,
    ) -> Outcome {
        let errors = std::mem::take(&mut self.errors);
        let visited = std::mem::take(&mut self.visited);
        self.value(node, value, old, place);
        Outcome {
            errors: std::mem::replace(&mut self.errors, errors),
            visited: std::mem::replace(&mut self.visited, visited),
        }
    }

    fn any_of(&mut self, nodes: &[Node], value: &Value, old: Option<&Value>, place: &Place<'_>) {
        let mut best: Option<Outcome> = None;
        for node in nodes {
            let outcome = self.attempt(node, value, old, place);
            if outcome.errors.is_empty() {
                return;
            }
            keep_furthest(&mut best, outcome);
        }
        self.blame_nothing(place, "must validate at least one schema (anyOf)");
        self.errors.extend(best.into_iter().flat_map(|best| best.errors));
    }

    fn one_of(&mut self, nodes: &[Node], value: &Value, old: Option<&Value>, place: &Place<'_>) {
        let mut best: Option<Outcome> = None;
        let mut valid = 0;
        for node in nodes {
            let outcome = self.attempt(node, value, old, place);
            if outcome.errors.is_empty() {
                valid += 1;
            } else {
                keep_furthest(&mut best, outcome);
            }
        }
        let found = match valid {
            1 => return,
            0 => "Found none valid".to_owned(),
            many => format!("Found {many} valid alternatives"),
        };
        let problem = format!("must validate one and only one schema (oneOf). {found}");
        self.blame_nothing(place, &problem);
        if valid == 0 {
            self.errors.extend(best.into_iter().flat_map(|best| best.errors));
        }
    }

    fn all_of(&mut self, nodes: &[Node], value: &Value, old: Option<&Value>, place: &Place<'_>) {
        let mut failed = 0;
        for node in nodes {
            let before = self.errors.len();
            self.value(node, value, old, place);
            failed += usize::from(self.errors.len() > before);
        }
        if failed > 0 {
            let none = if failed == nodes.len() { ". None validated" } else { "" };
            self.blame_nothing(place, &format!("must validate all the schemas (allOf){none}"));
        }
    }

    /// An error about the whole of a value, for which the API names no field.
    fn blame_nothing(&mut self, place: &Place<'_>, problem: &str) {
        let detail = format!("{:?} {problem}", place.to_string());
        self.errors.push(FieldError::invalid("<nil>", &json!(""), &detail));
    }
}

fn keep_furthest(best: &mut Option<Outcome>, outcome: Outcome) {
    if best.as_ref().is_none_or(|best| outcome.visited > best.visited) {
        *best = Some(outcome);
    }
}
