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
    settings::{AgentToken, AwsIdentity},
    tokens::{Keep, Loaded},
};

const AGENT: &str = "the EKS Pod Identity agent";
/// The agent is on this node.
const AGENT_LIMIT: Duration = Duration::from_secs(5);

/// What the agent hands out.
#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct AgentKeys {
    access_key_id: String,
    secret_access_key: String,
    token: Option<String>,
    expiration: Option<String>,
}

/// Our own keys, asked anew.
pub(super) async fn load(
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
    let reply = caller.ask_metadata(AGENT, question(uri, token), AGENT_LIMIT, None).await?;
    let answer: AgentKeys = reply.json()?;
    let expires: Option<Time> = answer.expiration.and_then(|text| text.parse().ok());
    let keys = Keys {
        id: answer.access_key_id,
        secret: Secret::new(answer.secret_access_key),
        session: answer.token.map(Secret::new),
    };
    // The agent renews in time and answers at once: without an expiry nothing is kept.
    Ok(Loaded { value: keys, keep: expires.map_or(Keep::No, Keep::Until) })
}

fn question(uri: &str, token: Option<Secret>) -> Result<Request, Error> {
    let request = Request::get(uri)?;
    match token {
        Some(token) => request.try_header(header::AUTHORIZATION, token.expose()),
        None => Ok(request),
    }
}
