//! `x-kubernetes-validations`: the rules of a schema, compiled where they stand.

use emb_meta::{FieldError, FieldErrorKind, FieldPath};
use serde_json::{Map, Value, json};

use crate::{
    cel::{Program, Type},
    field_path,
    node::Node,
    reader::Reader,
};

const KEYWORD: &str = "x-kubernetes-validations";
const REASONS: [&str; 4] =
    ["FieldValueDuplicate", "FieldValueForbidden", "FieldValueInvalid", "FieldValueRequired"];

/// One rule.
#[derive(Debug)]
pub(crate) struct Rule {
    pub(crate) program: Program,
    /// The source, as messages show it.
    pub(crate) source: Box<str>,
    /// What to say when the rule fails; empty if the author gave no message.
    pub(crate) message: Box<str>,
    pub(crate) message_expression: Option<Program>,
    pub(crate) reason: FieldErrorKind,
    /// The field to blame, below the place of the rule; empty for the place itself.
    pub(crate) field: Box<str>,
    pub(crate) old_is_optional: bool,
}

/// Compiles the rules of `node`. `uncorrelatable` is the list above it whose items have no old value.
pub(crate) fn compile(
    node: &Node,
    keywords: &Map<String, Value>,
    at: &FieldPath,
    uncorrelatable: Option<&FieldPath>,
    errors: &mut Vec<FieldError>,
) -> Box<[Rule]> {
    let sources = Reader { keywords, at, errors }.list(KEYWORD);
    if sources.is_empty() {
        return Box::default();
    }
    let at = at.child(KEYWORD);
    let Some(own) = Type::of(node) else {
        let message =
            "internal error: failed to retrieve type information for x-kubernetes-validations";
        errors.push(FieldError::of(FieldErrorKind::Internal, &at, message));
        return Box::default();
    };
    let mut rules = Vec::with_capacity(sources.len());
    for (index, source) in sources.iter().enumerate() {
        let at = at.index(index);
        let Some(keywords) = source.as_object() else {
            errors.push(FieldError::type_invalid(&at, source, "must be of type object"));
            continue;
        };
        let draft = Draft::read(keywords, &at, errors);
        if draft.check(node, &at, errors) {
            let field = field_path::resolve(draft.field_path, node).unwrap_or_default();
            let compiled = draft.compile(&own, &at, uncorrelatable, errors);
            rules.extend(compiled.map(|rule| Rule { field: field.into(), ..rule }));
        }
    }
    rules.into()
}

/// A rule as its author wrote it.
struct Draft<'v> {
    rule: &'v str,
    message: &'v str,
    message_expression: &'v str,
    reason: &'v str,
    field_path: &'v str,
    optional_old_self: Option<bool>,
}

impl<'v> Draft<'v> {
    fn read(
        keywords: &'v Map<String, Value>,
        at: &'v FieldPath,
        errors: &mut Vec<FieldError>,
    ) -> Self {
        let mut reader = Reader { keywords, at, errors };
        let mut text = |keyword: &str| reader.text(keyword).unwrap_or_default();
        Self {
            rule: text("rule"),
            message: text("message"),
            message_expression: text("messageExpression"),
            reason: text("reason"),
            field_path: text("fieldPath"),
            optional_old_self: keywords.get("optionalOldSelf").and_then(Value::as_bool),
        }
    }

    /// Whether the parts around the expression are well formed.
    fn check(&self, node: &Node, at: &FieldPath, errors: &mut Vec<FieldError>) -> bool {
        let before = errors.len();
        let has_breaks = |text: &str| text.contains(['\n', '\r']);
        let message = self.message.trim();
        if self.rule.trim().is_empty() {
            errors.push(FieldError::required(at.child("rule"), "rule is not specified"));
        } else if !self.message.is_empty() && message.is_empty() {
            let detail = "must be non-empty if specified";
            errors.push(FieldError::invalid(at.child("message"), &json!(self.message), detail));
        } else if has_breaks(message) {
            let detail = "must not contain line breaks";
            errors.push(FieldError::invalid(at.child("message"), &json!(self.message), detail));
        } else if has_breaks(self.rule.trim()) && message.is_empty() {
            let detail = "message must be specified if rule contains line breaks";
            errors.push(FieldError::required(at.child("message"), detail));
        }
        if !self.message_expression.is_empty() && self.message_expression.trim().is_empty() {
            let detail = "messageExpression must be non-empty if specified";
            errors.push(FieldError::required(at.child("messageExpression"), detail));
        }
        if !self.reason.is_empty() && !REASONS.contains(&self.reason) {
            let reason = json!(self.reason);
            errors.push(FieldError::not_supported(at.child("reason"), &reason, REASONS));
        }
        if !self.field_path.is_empty() && field_path::resolve(self.field_path, node).is_none() {
            let path = json!(self.field_path);
            errors.push(FieldError::invalid(at.child("fieldPath"), &path, "must be a valid path"));
        }
        errors.len() == before
    }

    fn compile(
        &self,
        own: &Type<'_>,
        at: &FieldPath,
        uncorrelatable: Option<&FieldPath>,
        errors: &mut Vec<FieldError>,
    ) -> Option<Rule> {
        let old_is_optional = self.optional_old_self == Some(true);
        let program = Program::compile(self.rule, own, old_is_optional, &Type::Bool)
            .map_err(|error| {
                let detail = error.replace("must evaluate", "cel expression must evaluate");
                errors.push(self.refused(at.child("rule"), &detail));
            })
            .ok()?;
        if !program.uses_old_self && self.optional_old_self.is_some() {
            let detail = "may not be set if oldSelf is not used in rule";
            let value = json!(self.optional_old_self);
            errors.push(FieldError::invalid(at.child("optionalOldSelf"), &value, detail));
        }
        if let Some(list) = uncorrelatable.filter(|_| program.uses_old_self) {
            let detail = format!(
                "oldSelf cannot be used on the uncorrelatable portion of the schema within {list}"
            );
            errors.push(FieldError::invalid(at.child("rule"), &json!(self.rule), &detail));
        }
        let message_expression = self.compile_message(own, at, errors);
        Some(Rule {
            program,
            source: self.rule.trim().into(),
            message: self.message.trim().into(),
            message_expression,
            reason: reason_kind(self.reason),
            field: Box::default(),
            old_is_optional,
        })
    }

    fn compile_message(
        &self,
        own: &Type<'_>,
        at: &FieldPath,
        errors: &mut Vec<FieldError>,
    ) -> Option<Program> {
        if self.message_expression.is_empty() {
            return None;
        }
        Program::compile(self.message_expression, own, false, &Type::Text)
            .map_err(|error| {
                let detail = format!("messageExpression {error}");
                errors.push(self.refused(at.child("messageExpression"), &detail));
            })
            .ok()
    }
}

impl Draft<'_> {
    /// The error of a rule that does not compile; it shows the whole rule with all of its parts.
    fn refused(&self, at: FieldPath, detail: &str) -> FieldError {
        let optional = |text: &str| if text.is_empty() { Value::Null } else { json!(text) };
        let parts = [
            ("Rule", json!(self.rule)),
            ("Message", json!(self.message)),
            ("MessageExpression", json!(self.message_expression)),
            ("Reason", optional(self.reason)),
            ("FieldPath", json!(self.field_path)),
            ("OptionalOldSelf", json!(self.optional_old_self)),
        ];
        let shown: Vec<String> =
            parts.iter().map(|(name, value)| format!("\"{name}\":{value}")).collect();
        let message = format!("Invalid value: {{{}}}: {detail}", shown.join(","));
        FieldError::of(FieldErrorKind::Invalid, at, message)
    }
}

fn reason_kind(reason: &str) -> FieldErrorKind {
    match reason {
        "FieldValueForbidden" => FieldErrorKind::Forbidden,
        "FieldValueRequired" => FieldErrorKind::Required,
        "FieldValueDuplicate" => FieldErrorKind::Duplicate,
        _ => FieldErrorKind::Invalid,
    }
}
