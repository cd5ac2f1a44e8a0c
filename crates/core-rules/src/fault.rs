//! What kind of mistake a refused request is.
//!
//! The rules of the REST API refuse with errors of their own; this is the one thing all of them
//! say about themselves, so that the server needs no table of errors to choose a status.

/// The kind of a refusal, each with its HTTP status.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// The request makes no sense, whatever is stored.
    BadRequest,
    /// The caller may not.
    Forbidden,
    /// What the request is about does not exist.
    NotFound,
    /// What is stored is in the way.
    Conflict,
    /// What the request holds does not fit what is asked for.
    Invalid,
    /// The installation does not offer this.
    NotImplemented,
    /// Somebody whom the server asked gave no useful answer.
    BadGateway,
}

impl Class {
    /// The HTTP status.
    pub const fn code(self) -> u16 {
        match self {
            Self::BadRequest => 400,
            Self::Forbidden => 403,
            Self::NotFound => 404,
            Self::Conflict => 409,
            Self::Invalid => 422,
            Self::NotImplemented => 501,
            Self::BadGateway => 502,
        }
    }
}

/// An error that says what kind of refusal it is. Its [`message`] is meant for the caller.
pub trait Fault: std::error::Error {
    /// The kind.
    fn class(&self) -> Class;
}

/// The text of an error and of what caused it: `a: b: c`.
pub fn message(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        text.push_str(": ");
        text.push_str(&error.to_string());
        cause = error.source();
    }
    text
}
