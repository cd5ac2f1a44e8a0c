//! Why a search came to nothing.

use std::error::Error;

use api_kinds::warehouse::RepoSubscription;
use core_rules::{
    subscription::Unusable,
    warehouse::{FailedStep, Failure},
};

/// A failure whose subscription is not named yet.
#[derive(Debug)]
pub(crate) struct Problem {
    step: FailedStep,
    cause: Box<dyn Error + Send + Sync>,
}

impl Problem {
    pub(crate) fn credentials(cause: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        Self { step: FailedStep::Credentials, cause: cause.into() }
    }

    pub(crate) fn selector(cause: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        Self { step: FailedStep::Selector, cause: cause.into() }
    }

    pub(crate) fn discovery(cause: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        Self { step: FailedStep::Discovery, cause: cause.into() }
    }

    /// The failure of this subscription.
    pub(crate) fn of(self, subscription: &RepoSubscription) -> Failure {
        Failure::from_error(subscription, self.step, &*self.cause)
    }
}

impl From<Unusable> for Problem {
    fn from(error: Unusable) -> Self {
        Self::selector(error)
    }
}

impl From<io_git::Error> for Problem {
    fn from(error: io_git::Error) -> Self {
        Self::discovery(error)
    }
}

impl From<io_oci::Error> for Problem {
    fn from(error: io_oci::Error) -> Self {
        Self::discovery(error)
    }
}
