//! Where this process gets its own keys from, in the order in which the tools of AWS look.

use std::sync::Arc;

use core_clock::{Environment, SettingError, Variables};
use core_rules::credential::Secret;
use io_http::outbound::aws::Keys;

use super::{identity, instance::Instance, sts::Sts};
use crate::{
    provider::{ProviderError, call::Caller},
    settings::{Aws, AwsIdentity},
    tokens::Loaded,
};

const KEY_ID: &str = "AWS_ACCESS_KEY_ID";
const KEY_SECRET: &str = "AWS_SECRET_ACCESS_KEY";
/// The number: a name would be looked up, slowly and in vain, outside of EC2.
const METADATA: &str = "http://169.254.169.254";
/// How the logs of AWS name us, unless `AWS_ROLE_SESSION_NAME` does.
const SESSION: &str = "kargo";

/// Where keys come from.
pub(super) enum Source {
    /// They stand in variables.
    Given(Keys),
    /// Somebody is asked.
    Asked(Arc<Giver>),
    /// Nothing is set, and the machine must not be asked.
    Nobody,
}

/// Who is asked for keys.
pub(super) enum Giver {
    /// Whoever gives a role to our ServiceAccount, Pod or task.
    Identity { identity: AwsIdentity, sts: Sts, session: String },
    /// The machine, whether it is one of AWS or not.
    Machine(Instance),
}

impl Source {
    /// Reads the variables that the tools of AWS read.
    pub(super) fn read(
        environment: &dyn Environment,
        caller: Caller,
    ) -> Result<Self, SettingError> {
        let variables = &Variables::new(environment);
        if let Some(keys) = given(variables)? {
            return Ok(Self::Given(keys));
        }
        let giver = if let Some(identity) = AwsIdentity::of_process(variables)? {
            let sts = Sts::new(&Aws::read(variables), &caller);
            let session = variables.text_or("AWS_ROLE_SESSION_NAME", SESSION);
            Giver::Identity { identity, sts, session }
        } else if variables.flag("AWS_EC2_METADATA_DISABLED", false)? {
            return Ok(Self::Nobody);
        } else {
            let endpoint = variables.text_or("AWS_EC2_METADATA_SERVICE_ENDPOINT", METADATA);
            let endpoint = endpoint.trim_end_matches('/').to_owned();
            Giver::Machine(Instance { caller, endpoint })
        };
        Ok(Self::Asked(Arc::new(giver)))
    }
}

/// The keys in variables. One half of a key alone is a mistake, and looking elsewhere would hide it.
fn given(variables: &Variables<'_>) -> Result<Option<Keys>, SettingError> {
    if variables.text(KEY_ID).or_else(|| variables.text(KEY_SECRET)).is_none() {
        return Ok(None);
    }
    let other_half = "what belongs to the half of the key that is set";
    Ok(Some(Keys {
        id: variables.required(KEY_ID, other_half)?,
        secret: Secret::new(variables.required(KEY_SECRET, other_half)?),
        session: variables.text("AWS_SESSION_TOKEN").map(Secret::new),
    }))
}

impl Giver {
    /// Keys, asked anew.
    pub(super) async fn load(&self) -> Result<Loaded<Keys>, ProviderError> {
        match self {
            Self::Identity { identity, sts, session } => {
                identity::load(sts, identity, session).await
            }
            Self::Machine(instance) => instance.load().await,
        }
    }
}
