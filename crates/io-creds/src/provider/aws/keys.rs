//! The keys by which this process is known to AWS, for whatever it does there in its own name.

use std::time::Duration;

use core_clock::{Environment, SettingError};
use io_http::outbound::{Outbound, aws::Keys};
use io_kube::Ports;

use super::source::{Giver, Source};
use crate::{
    provider::{ProviderError, call::Caller},
    tokens::{Key, Terms, Tokens},
};

/// Whoever hands out keys says how long they last.
const TERMS: Terms = Terms { ttl: Duration::ZERO, load_timeout: Duration::from_secs(30) };
/// What was looked for in vain.
const NOTHING_SET: &str = "neither AWS_ACCESS_KEY_ID with AWS_SECRET_ACCESS_KEY, nor AWS_ROLE_ARN with \
     AWS_WEB_IDENTITY_TOKEN_FILE, nor AWS_CONTAINER_CREDENTIALS_RELATIVE_URI or \
     AWS_CONTAINER_CREDENTIALS_FULL_URI is set";

/// The keys of this process: from variables, from a role of its ServiceAccount, Pod or task, or from the machine.
pub struct AwsKeys {
    source: Source,
    kept: Tokens<Keys>,
}

/// Why this process has no keys for AWS. No secret is in it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AwsKeysError {
    /// Nothing is set, and the machine must not be asked.
    #[error("no keys for AWS: {NOTHING_SET}, and AWS_EC2_METADATA_DISABLED is true")]
    Nobody,
    /// Nothing is set, and the machine gives none.
    #[error("no keys for AWS: {NOTHING_SET}, and the machine gives none")]
    Machine {
        /// What the machine says.
        #[source]
        source: ProviderError,
    },
    /// Whoever is to give them does not.
    #[error("no keys for AWS")]
    Identity {
        /// What went wrong.
        #[source]
        source: ProviderError,
    },
}

impl AwsKeysError {
    /// Whether nobody is known who would ever give keys.
    pub fn is_final(&self) -> bool {
        match self {
            Self::Nobody => true,
            Self::Machine { source } => matches!(
                source,
                ProviderError::Unreachable { .. } | ProviderError::Refused { status: 400..500, .. }
            ),
            Self::Identity { .. } => false,
        }
    }
}

impl AwsKeys {
    /// The keys that the variables in `environment` lead to. Nobody is asked yet.
    pub fn from_environment(
        environment: &dyn Environment,
        outbound: Outbound,
        ports: &Ports,
    ) -> Result<Self, SettingError> {
        let source = Source::read(environment, Caller::new(outbound))?;
        Ok(Self { source, kept: Tokens::new(TERMS, ports) })
    }

    /// Keys that are good for a while. Of many who ask when there are none, the first asks for all.
    pub async fn get(&self) -> Result<Keys, AwsKeysError> {
        let giver = match &self.source {
            Source::Given(keys) => return Ok(keys.clone()),
            Source::Nobody => return Err(AwsKeysError::Nobody),
            Source::Asked(giver) => giver,
        };
        let load = || {
            let giver = giver.clone();
            async move { giver.load().await }
        };
        self.kept.get(&key(), load).await.map_err(|source| match **giver {
            Giver::Identity { .. } => AwsKeysError::Identity { source },
            Giver::Machine(_) => AwsKeysError::Machine { source },
        })
    }

    /// Does not hand out keys again that were refused, as they are when they were revoked, or have expired while the
    /// machine slept. Returns whether others can be had.
    pub fn give_up(&self, refused: &Keys) -> bool {
        self.kept.forget(&key(), |keys| keys.id == refused.id);
        matches!(self.source, Source::Asked(_))
    }
}

fn key() -> Key {
    Key::of("aws", &[])
}
