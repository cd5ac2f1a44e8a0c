//! The audit log: one JSON line for each completed request.

mod event;
mod request;

pub(crate) use event::Record;
pub(crate) use request::RequestObject;

/// How much is recorded of a request.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum AuditLevel {
    /// Who did what, when, and how it ended.
    #[default]
    Metadata,
    /// Also what they sent; never the content of Secrets, nor tokens.
    Request,
}

impl AuditLevel {
    /// The name that audit events carry.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Metadata => "Metadata",
            Self::Request => "Request",
        }
    }
}

/// Where audit lines go. A line has no line end of its own.
pub trait AuditSink: Send + Sync {
    /// Takes one line. Must not block: what cannot be taken is dropped and counted.
    fn record(&self, line: &str);

    /// How much it wants to know.
    fn level(&self) -> AuditLevel {
        AuditLevel::Metadata
    }

    /// How many lines were dropped.
    fn dropped(&self) -> u64 {
        0
    }
}
