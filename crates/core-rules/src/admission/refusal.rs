//! Why a write is refused, as the API reports it.

use std::fmt;

use api_kinds::{GROUP, Kind};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{
    ListMeta, Status, StatusCause, StatusDetails,
};

use super::field::FieldError;

/// The machine-readable reason of a refusal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names are the wire format")]
pub enum Reason {
    BadRequest,
    Forbidden,
    NotFound,
    Conflict,
    Invalid,
    InternalError,
}

impl Reason {
    /// The HTTP status code that goes with it.
    pub fn code(self) -> u16 {
        match self {
            Self::BadRequest => 400,
            Self::Forbidden => 403,
            Self::NotFound => 404,
            Self::Conflict => 409,
            Self::Invalid => 422,
            Self::InternalError => 500,
        }
    }
}

/// A write that is refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// For programs.
    pub reason: Reason,
    /// For people.
    pub message: String,
    about: About,
}

/// What the refusal is about; boxed, because it is the error of most functions here.
type About = Option<Box<Subject>>;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Subject {
    group: &'static str,
    kind: String,
    name: String,
    errors: Vec<FieldError>,
}

impl Refusal {
    /// 422: fields are wrong.
    pub fn invalid<K: Kind>(name: &str, errors: Vec<FieldError>) -> Self {
        let kind = K::DEFINITION.kind;
        let list: Vec<String> = errors.iter().map(ToString::to_string).collect();
        let text = match list.as_slice() {
            [only] => only.clone(),
            many => format!("[{}]", many.join(", ")),
        };
        let message = format!("{kind}.{GROUP} {name:?} is invalid: {text}");
        let about = Subject { group: GROUP, kind: kind.to_owned(), name: name.to_owned(), errors };
        Self { reason: Reason::Invalid, message, about: Some(Box::new(about)) }
    }

    /// Nothing when no field is wrong, else 422.
    pub fn unless_valid<K: Kind>(name: &str, errors: Vec<FieldError>) -> Result<(), Self> {
        if errors.is_empty() { Ok(()) } else { Err(Self::invalid::<K>(name, errors)) }
    }

    /// 403: the rules do not allow it for this object.
    pub fn forbidden<K: Kind>(name: &str, why: &str) -> Self {
        let resource = resource::<K>();
        let message = format!("{resource} {name:?} is forbidden: {why}");
        Self { reason: Reason::Forbidden, message, about: Some(Box::new(about::<K>(name))) }
    }

    /// 409: another object or state is in the way.
    pub fn conflict<K: Kind>(name: &str, why: &str) -> Self {
        let resource = resource::<K>();
        let message = format!("Operation cannot be fulfilled on {resource} {name:?}: {why}");
        Self { reason: Reason::Conflict, message, about: Some(Box::new(about::<K>(name))) }
    }

    /// 404: an object that must exist does not.
    pub fn not_found<K: Kind>(name: &str) -> Self {
        let message = format!("{} {name:?} not found", resource::<K>());
        Self { reason: Reason::NotFound, message, about: Some(Box::new(about::<K>(name))) }
    }

    /// 404: the namespace does not exist.
    pub fn namespace_not_found(name: &str) -> Self {
        let about =
            Subject { kind: "Namespace".to_owned(), name: name.to_owned(), ..Subject::default() };
        let message = format!("Namespace {name:?} not found");
        Self { reason: Reason::NotFound, message, about: Some(Box::new(about)) }
    }

    /// 403 in the caller's words.
    pub fn denied(message: impl Into<String>) -> Self {
        Self { reason: Reason::Forbidden, message: message.into(), about: None }
    }

    /// 400: the object cannot be read.
    pub fn bad_request(message: impl Into<String>) -> Self {
        Self { reason: Reason::BadRequest, message: message.into(), about: None }
    }

    /// 500: something could not be found out, so nothing is allowed.
    pub fn internal(message: impl fmt::Display) -> Self {
        let message = format!("Internal error occurred: {message}");
        Self { reason: Reason::InternalError, message, about: None }
    }

    /// The same refusal with words in front of its message.
    #[must_use]
    pub fn within(mut self, context: &str) -> Self {
        self.message = format!("{context}: {}", self.message);
        self
    }

    /// The HTTP status code.
    pub fn code(&self) -> u16 {
        self.reason.code()
    }

    /// The wire form.
    pub fn to_status(&self) -> Status {
        Status {
            code: Some(i32::from(self.code())),
            details: self.about.as_deref().map(Subject::to_details),
            message: Some(self.message.clone()),
            metadata: ListMeta::default(),
            reason: Some(format!("{:?}", self.reason)),
            status: Some("Failure".to_owned()),
        }
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Refusal {}

impl Subject {
    fn to_details(&self) -> StatusDetails {
        let causes: Vec<StatusCause> = self
            .errors
            .iter()
            .map(|error| StatusCause {
                field: Some(error.field.clone()),
                message: Some(error.message.clone()),
                reason: Some(error.kind.reason().to_owned()),
            })
            .collect();
        StatusDetails {
            causes: Some(causes).filter(|causes| !causes.is_empty()),
            group: Some(self.group.to_owned()).filter(|group| !group.is_empty()),
            kind: Some(self.kind.clone()),
            name: Some(self.name.clone()),
            retry_after_seconds: None,
            uid: None,
        }
    }
}

fn resource<K: Kind>() -> String {
    format!("{}.{GROUP}", K::DEFINITION.plural)
}

fn about<K: Kind>(name: &str) -> Subject {
    Subject {
        group: GROUP,
        kind: K::DEFINITION.plural.to_owned(),
        name: name.to_owned(),
        errors: Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use api_kinds::Stage;

    use super::{FieldError, Refusal};

    #[test]
    fn several_wrong_fields_stand_in_brackets_and_each_is_a_cause() {
        let errors =
            vec![FieldError::forbidden("spec.a", "no"), FieldError::duplicate("spec.b", "x")];
        let status = Refusal::invalid::<Stage>("dev", errors).to_status();
        assert_eq!(
            status.message.as_deref(),
            Some(
                r#"Stage.kargo.akuity.io "dev" is invalid: [spec.a: Forbidden: no, spec.b: Duplicate value: "x"]"#
            )
        );
        assert_eq!(status.code, Some(422));
        let causes = status.details.and_then(|details| details.causes).unwrap();
        assert_eq!(causes[1].reason.as_deref(), Some("FieldValueDuplicate"));
    }

    #[test]
    fn each_reason_has_its_words() {
        assert_eq!(
            Refusal::not_found::<Stage>("dev").message,
            r#"stages.kargo.akuity.io "dev" not found"#
        );
        assert_eq!(Refusal::namespace_not_found("demo").message, r#"Namespace "demo" not found"#);
        assert_eq!(
            Refusal::conflict::<Stage>("dev", "why").message,
            r#"Operation cannot be fulfilled on stages.kargo.akuity.io "dev": why"#
        );
        assert_eq!(
            Refusal::forbidden::<Stage>("dev", "why").within("context").message,
            r#"context: stages.kargo.akuity.io "dev" is forbidden: why"#
        );
        assert_eq!(Refusal::internal("why").code(), 500);
    }
}
