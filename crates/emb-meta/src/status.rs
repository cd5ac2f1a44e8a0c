//! The `Status` object: the body of every reply that is not an object.

use std::fmt;

use serde_json::{Map, Value, json};

use crate::{FieldError, GroupKind, GroupResource, ObjectExt};

/// The machine-readable reason of a failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "the names are the wire format")]
pub enum Reason {
    Unknown,
    BadRequest,
    Unauthorized,
    Forbidden,
    NotFound,
    MethodNotAllowed,
    NotAcceptable,
    AlreadyExists,
    Conflict,
    Expired,
    RequestEntityTooLarge,
    UnsupportedMediaType,
    Invalid,
    TooManyRequests,
    InternalError,
    ServiceUnavailable,
    Timeout,
}

impl Reason {
    const ALL: [Self; 17] = [
        Self::Unknown,
        Self::BadRequest,
        Self::Unauthorized,
        Self::Forbidden,
        Self::NotFound,
        Self::MethodNotAllowed,
        Self::NotAcceptable,
        Self::AlreadyExists,
        Self::Conflict,
        Self::Expired,
        Self::RequestEntityTooLarge,
        Self::UnsupportedMediaType,
        Self::Invalid,
        Self::TooManyRequests,
        Self::InternalError,
        Self::ServiceUnavailable,
        Self::Timeout,
    ];

    /// The reason of this name, if it is one of ours.
    fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|reason| format!("{reason:?}") == name)
    }

    /// The HTTP status code that goes with the reason.
    pub fn code(self) -> u16 {
        match self {
            Self::BadRequest => 400,
            Self::Unauthorized => 401,
            Self::Forbidden => 403,
            Self::NotFound => 404,
            Self::MethodNotAllowed => 405,
            Self::NotAcceptable => 406,
            Self::AlreadyExists | Self::Conflict => 409,
            Self::Expired => 410,
            Self::RequestEntityTooLarge => 413,
            Self::UnsupportedMediaType => 415,
            Self::Invalid => 422,
            Self::TooManyRequests => 429,
            Self::Unknown | Self::InternalError => 500,
            Self::ServiceUnavailable => 503,
            Self::Timeout => 504,
        }
    }
}

/// One cause in the details of a failure.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Cause {
    /// Machine-readable; left out when empty.
    pub reason: String,
    /// For people.
    pub message: String,
    /// The field to blame; left out when empty.
    pub field: String,
}

/// What a Status is about.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Details {
    /// The object's name.
    pub name: String,
    /// The API group; empty for the core group.
    pub group: String,
    /// The plural resource for storage errors, the kind for Invalid.
    pub kind: String,
    /// The object's uid.
    pub uid: String,
    /// What exactly is wrong.
    pub causes: Vec<Cause>,
    /// When to try again; also sent as the `Retry-After` header. 0: not said.
    pub retry_after_seconds: u32,
}

/// A failure as the API reports it. Every error of the embedded server becomes one of these before it leaves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Status {
    /// HTTP status code.
    pub code: u16,
    /// Machine-readable reason.
    pub reason: Reason,
    /// The reason that somebody else gave, where it is none of ours.
    pub foreign_reason: Option<Box<str>>,
    /// One sentence for people.
    pub message: String,
    /// What it is about; boxed, because a Status is the error of most functions and errors should be small.
    pub details: Option<Box<Details>>,
    /// A continue token that resumes an expired list on current data.
    pub continue_token: Option<String>,
}

impl Status {
    /// A failure without details.
    pub fn new(reason: Reason, message: impl Into<String>) -> Self {
        Self {
            code: reason.code(),
            reason,
            foreign_reason: None,
            message: message.into(),
            details: None,
            continue_token: None,
        }
    }

    /// The same failure with details.
    #[must_use]
    pub fn with_details(mut self, details: Details) -> Self {
        self.details = Some(Box::new(details));
        self
    }

    /// 400: the request itself is wrong.
    pub fn bad_request(message: impl Into<String>) -> Self {
        Self::new(Reason::BadRequest, message)
    }

    /// 401: the credentials are not valid.
    pub fn unauthorized() -> Self {
        Self::new(Reason::Unauthorized, "Unauthorized")
    }

    /// 404: `stages.kargo.akuity.io "x" not found`.
    pub fn not_found(resource: &GroupResource, name: &str) -> Self {
        Self::new(Reason::NotFound, format!("{resource} {name:?} not found"))
            .with_details(about(resource, name))
    }

    /// 404 for a path of a built-in group that no resource answers.
    pub fn no_such_resource() -> Self {
        Self::new(Reason::NotFound, "the server could not find the requested resource")
            .with_details(Details::default())
    }

    /// 409: `stages.kargo.akuity.io "x" already exists`.
    pub fn already_exists(resource: &GroupResource, name: &str) -> Self {
        Self::new(Reason::AlreadyExists, format!("{resource} {name:?} already exists"))
            .with_details(about(resource, name))
    }

    /// 409: the write was made on an older state than the stored one, or a precondition does not hold.
    pub fn conflict(resource: &GroupResource, name: &str, why: &str) -> Self {
        Self::new(
            Reason::Conflict,
            format!("Operation cannot be fulfilled on {resource} {name:?}: {why}"),
        )
        .with_details(about(resource, name))
    }

    /// 403: `stages.kargo.akuity.io "x" is forbidden: why`.
    pub fn forbidden(resource: &GroupResource, name: &str, why: &str) -> Self {
        let subject =
            if name.is_empty() { resource.to_string() } else { format!("{resource} {name:?}") };
        Self::new(Reason::Forbidden, format!("{subject} is forbidden: {why}"))
            .with_details(about(resource, name))
    }

    /// 422: `Stage.kargo.akuity.io "x" is invalid: …`, with a cause for each field.
    pub fn invalid(kind: &GroupKind, name: &str, errors: &[FieldError]) -> Self {
        let mut list: Vec<String> = Vec::with_capacity(errors.len());
        for error in errors.iter().map(ToString::to_string) {
            // Said once, however many rules say it.
            if !list.contains(&error) {
                list.push(error);
            }
        }
        let text = match list.as_slice() {
            [only] => only.clone(),
            many => format!("[{}]", many.join(", ")),
        };
        let causes = errors
            .iter()
            .map(|error| Cause {
                reason: error.kind.reason().to_owned(),
                message: error.message.clone(),
                field: error.field.clone(),
            })
            .collect();
        Self::new(Reason::Invalid, format!("{kind} {name:?} is invalid: {text}")).with_details(
            Details {
                name: name.to_owned(),
                group: kind.group.to_string(),
                kind: kind.kind.to_string(),
                causes,
                ..Details::default()
            },
        )
    }

    /// 500: something of ours failed; `message` must not carry anything secret.
    pub fn internal(message: impl fmt::Display) -> Self {
        let cause = Cause { message: message.to_string(), ..Cause::default() };
        Self::new(Reason::InternalError, format!("Internal error occurred: {message}"))
            .with_details(Details { causes: vec![cause], ..Details::default() })
    }

    /// 429: try again in a second.
    pub fn too_many_requests(message: impl Into<String>) -> Self {
        Self::new(Reason::TooManyRequests, message)
            .with_details(Details { retry_after_seconds: 1, ..Details::default() })
    }

    /// Reads a failure back from its wire form. What is missing or of the wrong type reads as not said.
    pub fn from_value(value: &Value) -> Self {
        let stated = value.text(&["reason"]);
        let known = Reason::named(stated);
        let reason = known.unwrap_or(Reason::Unknown);
        let code = value.get("code").and_then(Value::as_u64);
        Self {
            code: code.and_then(|code| u16::try_from(code).ok()).unwrap_or_else(|| reason.code()),
            reason,
            foreign_reason: (known.is_none() && !stated.is_empty()).then(|| stated.into()),
            message: value.text(&["message"]).to_owned(),
            details: value.get("details").map(|details| Box::new(Details::from_value(details))),
            continue_token: None,
        }
    }

    /// The wire form.
    pub fn to_value(&self) -> Value {
        let mut metadata = Map::new();
        if let Some(token) = &self.continue_token {
            metadata.insert("continue".into(), json!(token));
        }
        let mut body = json!({
            "kind": "Status", "apiVersion": "v1", "metadata": metadata,
            "status": "Failure", "message": self.message, "code": self.code,
        });
        if let Some(object) = body.as_object_mut() {
            if let Some(reason) = &self.foreign_reason {
                object.insert("reason".into(), json!(reason));
            } else if self.reason != Reason::Unknown {
                object.insert("reason".into(), json!(format!("{:?}", self.reason)));
            }
            if let Some(details) = &self.details {
                object.insert("details".into(), details.to_value());
            }
        }
        body
    }
}

impl Details {
    fn from_value(value: &Value) -> Self {
        let text = |key: &str| value.text(&[key]).to_owned();
        let causes = value.get("causes").and_then(Value::as_array);
        let seconds = value.get("retryAfterSeconds").and_then(Value::as_u64).unwrap_or_default();
        Self {
            name: text("name"),
            group: text("group"),
            kind: text("kind"),
            uid: text("uid"),
            causes: causes.into_iter().flatten().map(Cause::from_value).collect(),
            retry_after_seconds: u32::try_from(seconds).unwrap_or(u32::MAX),
        }
    }

    /// The wire form; empty members are left out.
    pub fn to_value(&self) -> Value {
        let mut object = Map::new();
        let texts = [
            ("name", &self.name),
            ("group", &self.group),
            ("kind", &self.kind),
            ("uid", &self.uid),
        ];
        for (key, text) in texts.into_iter().filter(|(_, text)| !text.is_empty()) {
            object.insert(key.into(), json!(text));
        }
        if !self.causes.is_empty() {
            object.insert("causes".into(), self.causes.iter().map(Cause::to_value).collect());
        }
        if self.retry_after_seconds > 0 {
            object.insert("retryAfterSeconds".into(), json!(self.retry_after_seconds));
        }
        Value::Object(object)
    }
}

impl Cause {
    fn from_value(value: &Value) -> Self {
        let text = |key: &str| value.text(&[key]).to_owned();
        Self { reason: text("reason"), message: text("message"), field: text("field") }
    }

    fn to_value(&self) -> Value {
        let parts = [("reason", &self.reason), ("message", &self.message), ("field", &self.field)];
        Value::Object(
            parts
                .into_iter()
                .filter(|(_, text)| !text.is_empty())
                .map(|(key, text)| (key.to_owned(), json!(text)))
                .collect(),
        )
    }
}

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Status {}

fn about(resource: &GroupResource, name: &str) -> Details {
    Details {
        name: name.to_owned(),
        group: resource.group.to_string(),
        kind: resource.resource.to_string(),
        ..Details::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn not_found_names_resource_and_object() {
        let status = Status::not_found(&GroupResource::new("probe.example.com", "widgets"), "nope");
        assert_eq!(
            status.to_value(),
            json!({
                "kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Failure",
                "message": "widgets.probe.example.com \"nope\" not found", "reason": "NotFound",
                "details": {"name": "nope", "group": "probe.example.com", "kind": "widgets"}, "code": 404
            })
        );
    }

    #[test]
    fn a_failure_survives_the_wire_whatever_its_reason() {
        let errors = [FieldError::required("spec.a", "")];
        let ours = Status::invalid(&GroupKind::new("g", "Kind"), "q", &errors);
        assert_eq!(Status::from_value(&ours.to_value()), ours);
        let foreign = json!({"reason": "PolicyViolation", "message": "no", "code": 418});
        let read = Status::from_value(&foreign);
        assert_eq!((read.code, read.reason), (418, Reason::Unknown));
        assert_eq!(read.to_value()["reason"], "PolicyViolation");
        assert_eq!(Status::from_value(&json!({"code": "x"})).code, 500);
    }

    #[test]
    fn what_two_rules_find_is_said_once_and_has_a_cause_each() {
        let error = FieldError::required("spec.a", "");
        let kind = GroupKind::new("", "ConfigMap");
        let status = Status::invalid(&kind, "x", &[error.clone(), error]);
        assert_eq!(status.message, "ConfigMap \"x\" is invalid: spec.a: Required value");
        assert_eq!(status.details.map(|details| details.causes.len()), Some(2));
    }

    #[test]
    fn several_field_errors_stand_in_brackets_with_a_cause_each() {
        let errors = [FieldError::required("spec.a", ""), FieldError::forbidden("spec.b", "no")];
        let status = Status::invalid(&GroupKind::new("", "ConfigMap"), "q", &errors);
        assert_eq!(
            status.message,
            "ConfigMap \"q\" is invalid: [spec.a: Required value, spec.b: Forbidden: no]"
        );
        assert_eq!(status.to_value()["details"]["causes"][1]["field"], "spec.b");
    }
}
