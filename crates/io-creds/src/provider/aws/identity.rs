//! The identity that AWS gave this process.

use std::time::Duration;

use core_clock::Time;
use core_rules::credential::Secret;
use http::header;
use io_http::outbound::{Error, Request, aws::Keys};
use serde::Deserialize;

use super::sts::{Lease, Sts};
use crate::{
    provider::{ProviderError, call::Caller, token_file},
    settings::{AgentToken, AwsIdentity, ECS_AGENT},
    tokens::{Keep, Loaded},
};

/// The agent is on this node.
const AGENT_LIMIT: Duration = Duration::from_secs(5);

/// Keys as agents and machines hand them out.
#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
pub(super) struct HandedKeys {
    access_key_id: String,
    secret_access_key: String,
    token: Option<String>,
    expiration: Option<String>,
}

impl HandedKeys {
    pub(super) fn loaded(self) -> Loaded<Keys> {
        let expires: Option<Time> = self.expiration.and_then(|text| text.parse().ok());
        let keys = Keys {
            id: self.access_key_id,
            secret: Secret::new(self.secret_access_key),
            session: self.token.map(Secret::new),
        };
        // Who hands them out renews them in time and answers at once: without an expiry nothing is kept.
        Loaded { value: keys, keep: expires.map_or(Keep::No, Keep::Until) }
    }
}

/// Our own keys, asked anew.
pub(crate) async fn load(
    sts: &Sts,
    identity: &AwsIdentity,
    session: &str,
) -> Result<Loaded<Keys>, ProviderError> {
    match identity {
        AwsIdentity::WebIdentity { role_arn, token_file } => {
            let token = token_file::read("AWS_WEB_IDENTITY_TOKEN_FILE", token_file)?;
            let Lease { keys, expires } =
                sts.assume_role_with_token(role_arn, session, &token).await?;
            Ok(Loaded { value: keys, keep: Keep::Until(expires) })
        }
        AwsIdentity::Agent { uri, token } => ask_agent(&sts.caller, uri, token).await,
    }
}

async fn ask_agent(
    caller: &Caller,
    uri: &str,
    token: &AgentToken,
) -> Result<Loaded<Keys>, ProviderError> {
    let token = match token {
        AgentToken::File(file) => {
            Some(token_file::read("AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE", file)?)
        }
        AgentToken::Text(text) => Some(text.clone()),
        AgentToken::None => None,
    };
    // The address of the one begins as that of the other does.
    let is_ecs = uri.strip_prefix(ECS_AGENT).is_some_and(|path| path.starts_with('/'));
    let agent = if is_ecs { "the ECS agent" } else { "the EKS Pod Identity agent" };
    let reply = caller.ask_metadata(agent, question(uri, token), AGENT_LIMIT, None).await?;
    reply.json().map(HandedKeys::loaded)
}

fn question(uri: &str, token: Option<Secret>) -> Result<Request, Error> {
    let request = Request::get(uri)?;
    match token {
        Some(token) => request.try_header(header::AUTHORIZATION, token.expose()),
        None => Ok(request),
    }
}
