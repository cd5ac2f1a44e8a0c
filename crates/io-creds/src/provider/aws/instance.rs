//! The role of the machine this process runs on (EC2, metadata service of version 2).

use std::time::Duration;

use core_rules::credential::Secret;
use http::{HeaderName, HeaderValue, Method, StatusCode};
use io_http::outbound::{Request, aws::Keys};

use super::identity::HandedKeys;
use crate::{
    provider::{
        ProviderError,
        call::{Caller, Reply},
    },
    tokens::Loaded,
};

const SERVICE: &str = "the instance metadata of EC2";
const TOKEN: HeaderName = HeaderName::from_static("x-aws-ec2-metadata-token");
const TOKEN_LIFE: HeaderName = HeaderName::from_static("x-aws-ec2-metadata-token-ttl-seconds");
/// The service is on this machine; outside of EC2 often nobody says that there is none.
const LIMIT: Duration = Duration::from_secs(2);

/// The metadata service of this machine.
pub(super) struct Instance {
    pub(super) caller: Caller,
    /// Without a slash at its end.
    pub(super) endpoint: String,
}

impl Instance {
    /// The keys of the machine's role, asked anew.
    pub(super) async fn load(&self) -> Result<Loaded<Keys>, ProviderError> {
        let token = self.token().await?;
        let role = self.role(&token).await?;
        let reply = self.credentials(&token, &role).await?.accepted()?;
        let keys: Option<HandedKeys> = serde_json::from_slice(&reply.body).ok();
        // An answer without keys says why, and that with the status of success.
        keys.map(HandedKeys::loaded).ok_or_else(|| reply.refused())
    }

    /// Proves to the service that nobody has us ask on their behalf.
    async fn token(&self) -> Result<Secret, ProviderError> {
        let url = format!("{}/latest/api/token", self.endpoint);
        let life = HeaderValue::from_static("60");
        let request = Request::new(Method::PUT, &url).map(|it| it.header(TOKEN_LIFE, life));
        let reply = self.caller.ask_metadata(SERVICE, request, LIMIT, None).await?;
        reply.text().map(Secret::new)
    }

    /// The name of the machine's role.
    async fn role(&self, token: &Secret) -> Result<String, ProviderError> {
        let reply = self.credentials(token, "").await?;
        if reply.status == StatusCode::NOT_FOUND {
            let reason = "the machine has no role".to_owned();
            return Err(ProviderError::Refused { service: SERVICE, status: 404, reason });
        }
        let nameless = reply.unusable("it names no role");
        let names = reply.text()?;
        let is_letter = |one: char| one.is_ascii_alphanumeric() || "+=,.@-_".contains(one);
        let name = names.lines().next().unwrap_or_default().trim();
        let is_name = !name.is_empty() && name.chars().all(is_letter);
        if is_name { Ok(name.to_owned()) } else { Err(nameless) }
    }

    /// What is said about a role, or about all of them.
    async fn credentials(&self, token: &Secret, role: &str) -> Result<Reply, ProviderError> {
        let url = format!("{}/latest/meta-data/iam/security-credentials/{role}", self.endpoint);
        let request = Request::get(&url).and_then(|it| it.secret_header(TOKEN, token.expose()));
        self.caller.ask_metadata(SERVICE, request, LIMIT, None).await
    }
}
