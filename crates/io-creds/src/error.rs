//! Why there is no answer to "which credential?".

use crate::{Kind, ProviderError, ReadError};

/// Why it is not known whether there is a credential. No secret is in it, nor in its sources.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// The Secrets of a namespace could not be read.
    #[error("failed to get {kind} creds for {url} in {shared}namespace {namespace:?}")]
    Read {
        /// What for.
        kind: Kind,
        /// The repository.
        url: String,
        /// `shared ` for the shared namespace.
        shared: &'static str,
        /// Where.
        namespace: String,
        /// What went wrong.
        #[source]
        source: ReadError,
    },
    /// A Secret matches, and what it holds could not be turned into a credential.
    #[error("failed to get {kind} creds for {url} from Secret {namespace}/{name}")]
    Secret {
        /// What for.
        kind: Kind,
        /// The repository.
        url: String,
        /// The namespace of the Secret.
        namespace: String,
        /// The name of the Secret.
        name: String,
        /// What went wrong.
        #[source]
        source: ProviderError,
    },
    /// No Secret matches, and the identity of this process could not be turned into a credential.
    #[error("failed to get {kind} creds for {url} by this controller's identity in {cloud}")]
    Ambient {
        /// What for.
        kind: Kind,
        /// The repository.
        url: String,
        /// Who gave us the identity.
        cloud: &'static str,
        /// What went wrong.
        #[source]
        source: ProviderError,
    },
}
