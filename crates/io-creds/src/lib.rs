//! Credentials of repositories: Secrets by label and address, and the tokens of cloud providers.
//!
//! [`Credentials::get`] goes from the address of a repository to the credential that opens it:
//!
//! ```text
//! address ── plain HTTP? ──▶ none
//!    │ matching: which Secrets, in which order
//!    ▼
//! secrets: the Project's namespace, then the shared one ──▶ provider: what the Secret holds ──▶ tokens
//!    │ nothing fits
//!    ▼
//! provider: who this process is in the cloud ──▶ tokens
//! ```
//!
//! [`AwsKeys`] are the keys of this process itself, for what it does in AWS in its own name.
//!
//! Cloud calls are a few signed HTTP requests under the dial policy of `io-http`; tokens are kept in
//! memory until shortly before they expire. No error and no log line holds a secret.

mod error;
mod flight;
mod given;
mod kind;
mod lookup;
mod matching;
mod provider;
mod secrets;
mod settings;
mod source;
mod tokens;

pub use self::{
    error::Error,
    flight::Lost,
    kind::Kind,
    lookup::{Clusters, Credentials},
    provider::{AwsKeys, AwsKeysError, ProviderError},
    secrets::ReadError,
    settings::{AgentToken, Aws, AwsIdentity, Azure, Google, Settings},
    source::{CredentialError, CredentialSource},
};
