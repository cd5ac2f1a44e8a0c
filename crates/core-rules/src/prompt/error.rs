//! Why an answer is not taken.

use super::{response::UnreadableResponses, schema::Violation};
use crate::fault::{Class, Fault};

/// An answer that is not taken.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "the fields are what the texts name")]
pub enum ResponseError {
    #[error("Promotion {promotion:?} has no step {step:?}")]
    NoStep { promotion: String, step: String },
    #[error("step {step:?} is not waiting for an answer")]
    NotWaiting { step: String },
    #[error("step {step:?} may be answered by those with {rules} only")]
    NotAllowed { step: String, rules: String },
    #[error("{user:?} has already answered step {step:?}")]
    Answered { step: String, user: String },
    #[error("step {step:?} has been answered by {user:?} and is about to go on")]
    Decided { step: String, user: String },
    #[error("step {step:?} takes {allowed}, not {action:?}")]
    Action { step: String, allowed: &'static str, action: String },
    #[error("the message may have {limit} characters at most")]
    LongMessage { limit: usize },
    #[error("the values may have {limit} bytes at most")]
    LargeValues { limit: usize },
    #[error("the Promotion has no room for more answers")]
    Full,
    #[error("the values do not fit: {}", list(.0))]
    Values(Vec<Violation>),
    #[error("the schema of the step cannot be used: {0}")]
    Schema(String),
    #[error("the answers so far cannot be read")]
    Unreadable(#[from] UnreadableResponses),
}

impl ResponseError {
    /// What is wrong with the values, place by place.
    pub fn violations(&self) -> &[Violation] {
        match self {
            Self::Values(violations) => violations,
            _ => &[],
        }
    }
}

fn list(violations: &[Violation]) -> String {
    let lines: Vec<String> = violations.iter().map(ToString::to_string).collect();
    lines.join("; ")
}

impl Fault for ResponseError {
    fn class(&self) -> Class {
        match self {
            Self::NoStep { .. } => Class::NotFound,
            Self::NotAllowed { .. } => Class::Forbidden,
            Self::NotWaiting { .. }
            | Self::Answered { .. }
            | Self::Decided { .. }
            | Self::Full
            | Self::Schema(_)
            | Self::Unreadable(_) => Class::Conflict,
            Self::Action { .. } | Self::LongMessage { .. } | Self::LargeValues { .. } => {
                Class::BadRequest
            }
            Self::Values(_) => Class::Invalid,
        }
    }
}
