//! Why the server cannot run.

use io_http::{AuthorityError, BindError, CertificateError};

/// Why the server cannot run.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The port cannot be listened on.
    #[error(transparent)]
    Bind(#[from] BindError),
    /// The given certificate cannot be used.
    #[error("the certificate of the webhook server")]
    Certificate(#[from] CertificateError),
    /// Our own certificate cannot be made.
    #[error("the authority of the webhook server")]
    Authority(#[from] AuthorityError),
    /// The API server does not let us keep our own certificate or its trust.
    #[error("cannot {what}")]
    Api {
        /// What failed.
        what: &'static str,
        /// Why.
        #[source]
        source: Box<kube::Error>,
    },
    /// The kept authority is not what we wrote.
    #[error("Secret {0:?} holds no authority; delete it to get a new one")]
    Secret(String),
}

impl Error {
    pub(crate) fn api(what: &'static str) -> impl Fn(kube::Error) -> Self {
        move |source| Self::Api { what, source: Box::new(source) }
    }
}
