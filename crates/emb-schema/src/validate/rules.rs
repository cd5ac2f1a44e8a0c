//! Runs the CEL rules of a schema over an object.

use emb_meta::{FieldError, FieldErrorKind};
use serde_json::{Value, json};

use crate::{
    cel::{EvalError, Meter, Variables},
    correlate::MapList,
    node::{JsonType, ListKind, Node, Types},
    number,
    place::Place,
    rule::Rule,
    schema::Budget,
};

/// Messages that an expression gives may have this many bytes.
const MESSAGE_LIMIT: usize = 5120;

pub(super) fn check(
    root: &Node,
    new: &Value,
    old: Option<&Value>,
    budget: Budget,
    errors: &mut Vec<FieldError>,
) {
    let mut run = Run { base: "", left: budget.object, rule_limit: budget.rule, errors };
    let _ = run.visit(root, At { new, old, unchanged_above: None }, &Place::Root);
}

/// Runs the rules below `node` over a default, as if it were set and as if it did not change.
pub(super) fn check_default(
    node: &Node,
    default: &Value,
    base: &str,
    errors: &mut Vec<FieldError>,
) {
    let budget = Budget::default();
    let before = errors.len();
    for old in [None, Some(default)] {
        let mut run = Run { base, left: budget.object, rule_limit: budget.rule, errors };
        // Nothing is forgiven here: a default that breaks a rule must not be set in the first place.
        let at = At { new: default, old, unchanged_above: None };
        let _ = run.visit(node, at, &Place::Root);
        if errors.len() > before {
            return;
        }
    }
}

/// A value, the old value it replaces, and the nearest values above it that correspond.
#[derive(Clone, Copy)]
struct At<'v> {
    new: &'v Value,
    old: Option<&'v Value>,
    unchanged_above: Option<(&'v Value, &'v Value)>,
}

impl<'v> At<'v> {
    fn inner(self, new: &'v Value, old: Option<&'v Value>) -> Self {
        let unchanged_above = self.old.map(|old| (self.new, old)).or(self.unchanged_above);
        Self { new, old, unchanged_above }
    }

    /// Whether nothing changed here, so that what is wrong was wrong before.
    fn is_unchanged(&self) -> bool {
        self.old
            .map(|old| (self.new, old))
            .or(self.unchanged_above)
            .is_some_and(|(new, old)| new == old)
    }
}

/// The budget is spent; no further rule runs.
struct Spent;

struct Run<'e> {
    base: &'e str,
    left: u64,
    rule_limit: u64,
    errors: &'e mut Vec<FieldError>,
}

impl Run<'_> {
    fn visit(&mut self, node: &Node, at: At<'_>, place: &Place<'_>) -> Result<(), Spent> {
        if !node.below.rules || at.new.is_null() {
            return Ok(());
        }
        for rule in &node.rules {
            self.rule(node, rule, at, place)?;
        }
        match at.new {
            Value::Object(members) => {
                for (name, member) in members {
                    let old = at.old.and_then(|old| old.get(name));
                    let inner = at.inner(member, old);
                    if let Some(schema) = node.properties.get(name.as_str()) {
                        self.visit(schema, inner, &Place::Field(place, name))?;
                    } else if let Some(schema) = node.member(name) {
                        self.visit(schema, inner, &Place::Key(place, name))?;
                    }
                }
            }
            Value::Array(items) => self.items(node, items, at, place)?,
            _ => {}
        }
        Ok(())
    }

    fn items(
        &mut self,
        node: &Node,
        items: &[Value],
        at: At<'_>,
        place: &Place<'_>,
    ) -> Result<(), Spent> {
        let Some(schema) = &node.items else { return Ok(()) };
        if !schema.below.rules {
            return Ok(());
        }
        let old_items = match (&node.list, at.old.and_then(Value::as_array)) {
            (ListKind::Map(keys), Some(old)) => Some(MapList::new(keys, old)),
            _ => None,
        };
        for (index, item) in items.iter().enumerate() {
            let old = old_items.as_ref().and_then(|old| old.get(item));
            self.visit(schema, at.inner(item, old), &Place::Index(place, index))?;
        }
        Ok(())
    }

    fn rule(
        &mut self,
        node: &Node,
        rule: &Rule,
        at: At<'_>,
        place: &Place<'_>,
    ) -> Result<(), Spent> {
        let old = at.old.filter(|old| !old.is_null());
        if rule.program.uses_old_self && old.is_none() && !rule.old_is_optional {
            return Ok(());
        }
        let variables = Variables { new: at.new, old, node, old_is_optional: rule.old_is_optional };
        let mut meter = Meter { left: self.left.min(self.rule_limit) };
        let before = meter.left;
        let outcome = rule.program.holds(variables, &mut meter);
        self.left -= before - meter.left;
        match outcome {
            Ok(true) => Ok(()),
            Ok(false) => {
                let message = self.message(rule, variables);
                if rule.program.uses_old_self || !at.is_unchanged() {
                    let error = broken(rule, node, at.new, message, place.under(self.base));
                    self.errors.push(error);
                }
                Ok(())
            }
            Err(error) => self.failed(node, rule, &error, place),
        }
    }

    fn failed(
        &mut self,
        node: &Node,
        rule: &Rule,
        error: &EvalError,
        place: &Place<'_>,
    ) -> Result<(), Spent> {
        let shown = if rule.message.is_empty() { &rule.source } else { &rule.message };
        let detail = match error {
            EvalError::Failed(problem) => format!("{problem} evaluating rule: {shown}"),
            EvalError::NoSuchOverload => format!(
                "'no such overload': call arguments did not match a supported operator, function or macro signature for rule: {shown}"
            ),
            EvalError::OutOfBudget if self.left == 0 => {
                "validation failed due to running out of cost budget, no further validation rules will be run".to_owned()
            }
            EvalError::OutOfBudget => format!(
                "'operation cancelled: actual cost limit exceeded': no further validation rules will be run due to call cost exceeds limit for rule: {shown}"
            ),
        };
        let type_name = match node.types {
            Types::One(json_type) => json_type.name(),
            Types::Any | Types::IntOrString => "",
        };
        let field = place.under(self.base);
        self.errors.push(FieldError::invalid(field, &json!(type_name), &detail));
        if *error == EvalError::OutOfBudget { Err(Spent) } else { Ok(()) }
    }

    /// What to say: the message expression if it gives a line of text, else the message, else the rule.
    fn message(&mut self, rule: &Rule, variables: Variables<'_>) -> String {
        let fixed = || {
            if rule.message.is_empty() {
                format!("failed rule: {}", rule.source)
            } else {
                rule.message.to_string()
            }
        };
        let Some(expression) = &rule.message_expression else { return fixed() };
        let mut meter = Meter { left: self.left.min(self.rule_limit) };
        let before = meter.left;
        let variables = Variables { old_is_optional: false, ..variables };
        let text = expression.text(variables, &mut meter);
        self.left -= before - meter.left;
        let text = text.unwrap_or_default();
        let text = text.trim();
        if text.is_empty() || text.len() > MESSAGE_LIMIT || text.contains('\n') {
            return fixed();
        }
        text.to_owned()
    }
}

/// The error of a rule that does not hold. Objects and lists are not shown, they would fill the message.
fn broken(rule: &Rule, node: &Node, value: &Value, message: String, place: String) -> FieldError {
    let field = match (place.as_str(), rule.field.as_ref()) {
        (_, "") => place,
        ("", field) => field.to_owned(),
        (place, field) if field.starts_with('[') => format!("{place}{field}"),
        (place, field) => format!("{place}.{field}"),
    };
    let hides_value = matches!(node.types, Types::One(JsonType::Object | JsonType::Array));
    match rule.reason {
        FieldErrorKind::Forbidden => FieldError::forbidden(field, &message),
        FieldErrorKind::Required => FieldError::required(field, &message),
        FieldErrorKind::Duplicate if hides_value => {
            FieldError::of(FieldErrorKind::Duplicate, field, "Duplicate value")
        }
        FieldErrorKind::Duplicate => FieldError::duplicate(field, value),
        _ if hides_value => {
            FieldError::of(FieldErrorKind::Invalid, field, format!("Invalid value: {message}"))
        }
        _ => number::invalid(field, value, &message),
    }
}
