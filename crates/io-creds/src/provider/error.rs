//! Why a provider has no answer.

use io_http::outbound;

use crate::flight::Lost;

/// Why a provider could not say whether it has a credential. No secret is in it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ProviderError {
    /// The service could not be asked.
    #[error("error asking {service}")]
    Unreachable {
        /// Who was asked.
        service: &'static str,
        /// What went wrong.
        #[source]
        source: outbound::Error,
    },
    /// The service said no.
    #[error("{service} answered {status}{}", parenthesized(.reason))]
    Refused {
        /// Who was asked.
        service: &'static str,
        /// The HTTP status.
        status: u16,
        /// What the service says about it, bounded and cleaned; may be empty.
        reason: String,
    },
    /// The service answered something that cannot be used.
    #[error("{service} sent an answer that cannot be used: {problem}")]
    Answer {
        /// Who was asked.
        service: &'static str,
        /// What is wrong with it.
        problem: &'static str,
    },
    /// A value of the Secret or of the environment cannot be used.
    #[error("{name} cannot be used: {problem}")]
    Value {
        /// The key of the Secret, the annotation or the variable.
        name: &'static str,
        /// What is wrong with it.
        problem: String,
    },
    /// The load of a token ended without one.
    #[error("error loading a token")]
    Lost(#[from] Lost),
    /// No connection to anything can be made.
    #[error("error preparing TLS")]
    Tls(#[from] outbound::TlsError),
}

impl ProviderError {
    pub(crate) fn value(name: &'static str, problem: impl Into<String>) -> Self {
        Self::Value { name, problem: problem.into() }
    }

    /// Whether the service understood who asks, and does not let them.
    pub(crate) fn is_denied(&self) -> bool {
        match self {
            Self::Refused { status: 403, .. } => true,
            // Services of AWS that speak JSON put it into the body of a 400.
            Self::Refused { status: 400, reason, .. } => reason.starts_with("AccessDenied"),
            _ => false,
        }
    }

    /// Whether what was asked for is not there.
    pub(crate) fn is_absent(&self) -> bool {
        matches!(self, Self::Refused { status: 404, .. })
    }
}

fn parenthesized(reason: &str) -> String {
    if reason.is_empty() { String::new() } else { format!(" ({reason})") }
}
