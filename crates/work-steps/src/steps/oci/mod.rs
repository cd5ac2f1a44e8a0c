//! What the steps on artifacts of registries share.

use io_creds::Kind;
use io_http::outbound::Tls;
use io_oci::{Access, Error, Reference};

use crate::{Credentials, StepCx, StepError};

/// Whether certificates of registries are checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Certificates {
    Checked,
    Ignored,
}

impl Certificates {
    pub(super) fn ignored_if(ignored: bool) -> Self {
        if ignored { Self::Ignored } else { Self::Checked }
    }
}

/// Who asks the registry of an artifact, and as whom.
pub(super) async fn access(
    reference: &Reference,
    certificates: Certificates,
    credentials: &Credentials,
    cx: &StepCx<'_>,
) -> Result<Access, StepError> {
    let kind = if reference.is_chart() { Kind::Helm } else { Kind::Image };
    Ok(Access {
        project: cx.subject.project.clone(),
        warehouse: cx.subject.promotion.clone(),
        credential: credentials.find(cx, kind, &reference.repository_url()).await?,
        tls: Tls::skip_verify(certificates == Certificates::Ignored),
    })
}

/// A registry's failure, which another attempt may not meet.
pub(super) fn failure(what: impl Into<String>, error: Error) -> StepError {
    let after = match &error {
        Error::RateLimited { after, .. } => Some(*after),
        _ => None,
    };
    let failure = StepError::retryable(what).because(error);
    match after {
        Some(after) => failure.not_before(after),
        None => failure,
    }
}
