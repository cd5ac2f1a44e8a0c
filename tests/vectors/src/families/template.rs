//! `template-expr`, `template-string`, `template-json`: templates against variables.

use core_expr::{Failure, Library, Scope, Template, Value, Variables, evaluate_document};
use jiff::Timestamp;
use serde_json::Value as Json;

use crate::{Answer, Case, Exception};

/// `${{}}` is refused instead of ending the template.
pub(super) const EMPTY_EXPRESSIONS: Exception = Exception {
    name: "empty-expressions",
    reason: "an empty expression is a mistake, not a way to leave the rest of a template as it is",
    applies: |case| ["${{}}", "${%%}"].iter().any(|empty| case.text("template").contains(empty)),
};

/// Texts that look like infinity or not-a-number stay texts.
pub(super) const NOT_A_NUMBER: Exception = Exception {
    name: "not-a-number",
    reason: "a text such as `inf` stays a text, because a number that JSON has not would fail later",
    applies: |case| {
        let template = case.text("template").to_ascii_lowercase();
        ["inf", "nan"].iter().any(|name| template.contains(name))
    },
};

/// The time at which all cases are evaluated, which is in this century.
pub(super) fn now() -> Timestamp {
    Timestamp::from_second(1_767_323_045).unwrap_or(Timestamp::UNIX_EPOCH)
}

/// The file's variables, or the case's own.
fn variables(case: &Case<'_>) -> Variables {
    let variables = case.member("env").or_else(|| case.fixture("env"));
    Variables::from_root(Value::from_json(variables.unwrap_or(&Json::Null)))
}

pub(super) fn run(case: &Case<'_>) -> Answer {
    let variables = variables(case);
    evaluate(case.text("template"), Library::PLAIN, &Scope::new(&variables, now()))
}

pub(super) fn run_document(case: &Case<'_>) -> Answer {
    let variables = variables(case);
    let scope = Scope::new(&variables, now());
    match evaluate_document(case.text("template"), Library::PLAIN, &scope) {
        Ok(document) => Answer::Values(vec![("want_text", document.text.into())]),
        Err(_) => Answer::refused(),
    }
}

/// The typed result of a template. The class of an error is no part of the contract.
pub(super) fn evaluate(template: &str, library: Library, scope: &Scope<'_>) -> Answer {
    let result = Template::parse(template)
        .map_err(Failure::Invalid)
        .and_then(|template| template.evaluate(library, scope));
    let json = result.ok().and_then(|value| value.to_json());
    json.map_or_else(Answer::refused, Answer::value)
}
