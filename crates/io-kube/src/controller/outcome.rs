//! How a pass can end.

use std::{fmt::Display, time::Duration};

/// Any error, where only its text matters.
pub type BoxError = Box<dyn std::error::Error + Send + Sync>;

/// When to look at a key again after a pass that did all it could.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next {
    /// When something changes.
    Done,
    /// At once, after the caches have seen what this pass wrote.
    Now,
    /// After a while, or when something changes.
    After(Duration),
}

/// Why a pass could not do what it should.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    /// Trying again may help: it is done with growing waits.
    #[error("{0}")]
    Transient(#[source] BoxError),
    /// Something else must happen first; it is looked for after a while.
    #[error("waiting: {reason}")]
    Waiting {
        /// When to look again.
        after: Duration,
        /// What must happen.
        reason: String,
    },
    /// A person must change something; until then there is nothing to do.
    #[error("stalled: {reason}")]
    Stalled {
        /// What is wrong and what would help.
        reason: String,
    },
    /// We are wrong. Tried again with growing waits, and logged as an error.
    #[error("bug: {0}")]
    Bug(String),
}

impl Failure {
    /// A failure that trying again may heal.
    pub fn transient(reason: impl Display) -> Self {
        Self::Transient(reason.to_string().into())
    }
}

impl From<kube::Error> for Failure {
    fn from(error: kube::Error) -> Self {
        match error {
            kube::Error::Api(status) => match retry_after(&status) {
                Some(after) => Self::Waiting { after, reason: status.message.clone() },
                None => Self::Transient(status.message.clone().into()),
            },
            kube::Error::BuildRequest(_) | kube::Error::SerdeError(_) => {
                Self::Bug(error.to_string())
            }
            other => Self::Transient(other.into()),
        }
    }
}

/// When the API server itself says how long to wait.
fn retry_after(status: &kube::core::Status) -> Option<Duration> {
    let seconds = status.details.as_ref()?.retry_after_seconds;
    (seconds > 0).then(|| Duration::from_secs(seconds.into()))
}

#[cfg(test)]
mod tests {
    use kube::core::{Status, response::StatusDetails};

    use super::*;

    #[test]
    fn refusals_are_tried_again_and_the_api_server_may_say_when() {
        let mut status = Status::failure("busy", "TooManyRequests").with_code(429);
        let failure = Failure::from(kube::Error::Api(status.clone().boxed()));
        assert!(matches!(&failure, Failure::Transient(error) if error.to_string() == "busy"));
        let details = json_details(3);
        status.details = Some(details);
        let failure = Failure::from(kube::Error::Api(status.boxed()));
        let Failure::Waiting { after, reason } = failure else { panic!("{failure}") };
        assert_eq!((after, reason.as_str()), (Duration::from_secs(3), "busy"));
    }

    #[test]
    fn a_reply_that_is_no_object_is_a_bug() {
        let error = serde_json::from_str::<u8>("x").unwrap_err();
        assert!(matches!(Failure::from(kube::Error::SerdeError(error)), Failure::Bug(_)));
    }

    fn json_details(seconds: u32) -> StatusDetails {
        serde_json::from_value(serde_json::json!({"retryAfterSeconds": seconds})).unwrap()
    }
}
