//! A reply together with the request that brought it, so that a failed check shows both.

use std::ops::Deref;

use anyhow::{Result, ensure};
use dev_testkit::Reply;
use serde_json::{Value, json};

/// The cause that comes last when an object of a kind with CEL rules has errors that keep them from running.
pub(crate) const RULES_UNCHECKED: (&str, &str, &str) = (
    "<nil>",
    "FieldValueInvalid",
    "Invalid value: null: some validation rules were not checked because the object was invalid; correct the existing \
     errors to complete validation",
);

/// A reply and what was asked.
pub(crate) struct Answer {
    request: String,
    reply: Reply,
}

impl Deref for Answer {
    type Target = Reply;

    fn deref(&self) -> &Reply {
        &self.reply
    }
}

impl Answer {
    pub(crate) fn new(request: String, reply: Reply) -> Self {
        Self { request, reply }
    }

    /// The JSON body of a reply that must have this code.
    pub(crate) fn is(&self, code: u16) -> Result<Value> {
        ensure!(self.status.as_u16() == code, "{self}, want {code}");
        Ok(self.json())
    }

    /// The Status of a failure with this code and reason.
    pub(crate) fn fails(&self, code: u16, reason: &str) -> Result<Value> {
        let status = self.is(code)?;
        let want = json!({"kind": "Status", "apiVersion": "v1", "status": "Failure",
            "reason": reason, "code": code});
        for (field, want) in want.as_object().into_iter().flatten() {
            ensure!(status[field] == *want, "{self}, want {field} {want}");
        }
        ensure!(status["metadata"].is_object(), "{self}, want metadata");
        Ok(status)
    }

    /// The Status of a failure with this code, reason and exact message.
    pub(crate) fn fails_saying(&self, code: u16, reason: &str, message: &str) -> Result<Value> {
        let status = self.fails(code, reason)?;
        ensure!(status["message"] == *message, "{self}, want message {message:?}");
        Ok(status)
    }

    /// The Status of a failure whose message has this part.
    pub(crate) fn fails_with(&self, code: u16, reason: &str, part: &str) -> Result<Value> {
        let status = self.fails(code, reason)?;
        let message = status["message"].as_str().unwrap_or_default();
        ensure!(message.contains(part), "{self}, want a message with {part:?}");
        Ok(status)
    }

    /// A 422 with exactly these causes: field, reason, message.
    pub(crate) fn invalid(&self, causes: &[(&str, &str, &str)]) -> Result<Value> {
        let status = self.fails(422, "Invalid")?;
        let want: Vec<Value> = causes
            .iter()
            .map(|(field, reason, message)| json!({"field": field, "reason": reason, "message": message}))
            .collect();
        let want = Value::Array(want);
        ensure!(status["details"]["causes"] == want, "{self}, want causes {want}");
        Ok(status)
    }

    /// A header's text; empty when it is not there.
    pub(crate) fn header(&self, name: &str) -> &str {
        self.headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default()
    }
}

impl std::fmt::Display for Answer {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let text = self.text();
        let body: String = text.chars().take(1500).collect();
        write!(formatter, "{}: got {} {}", self.request, self.status.as_u16(), body.trim_end())
    }
}
