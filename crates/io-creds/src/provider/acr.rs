//! Registries of Azure (ACR) by the identity of this process.
//!
//! A token of our ServiceAccount becomes a token of Entra ID, and that a token of the registry.

use std::{sync::Arc, time::Duration};

use core_rules::credential::{Credential, Secret};
use form_urlencoded::Serializer;
use futures::FutureExt;
use io_http::outbound::Request as HttpRequest;
use io_kube::Ports;
use serde::Deserialize;

use super::{Ambient, Answer, ProviderError, Request, call::Caller, token_file};
use crate::{
    Kind, Settings,
    settings::Azure,
    tokens::{Keep, Key, Loaded, Terms, Tokens},
};

const ENTRA: &str = "Microsoft Entra ID";
const REGISTRY: &str = "the Azure container registry";
const FORM: &str = "application/x-www-form-urlencoded";
const SCOPE: &str = "https://containerregistry.azure.net/.default";
const ASSERTION: &str = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer";
/// The user name that says "the password is a token".
const USERNAME: &str = "00000000-0000-0000-0000-000000000000";
/// The registry does not say when its token expires; it is good for three hours.
const TERMS: Terms = Terms { ttl: Duration::from_mins(150), load_timeout: Duration::from_secs(30) };

/// For images and charts in ACR, where Azure gives this process an identity.
pub(crate) struct WorkloadIdentity {
    tokens: Tokens<Option<Credential>>,
    own: Option<Arc<Own>>,
}

/// Who we are in Azure.
struct Own {
    azure: Azure,
    caller: Caller,
    endpoint: Option<String>,
}

#[derive(Deserialize)]
struct AccessToken {
    access_token: String,
}

#[derive(Deserialize)]
struct RefreshToken {
    refresh_token: String,
}

impl WorkloadIdentity {
    pub(crate) fn new(settings: &Settings, caller: &Caller, ports: &Ports) -> Self {
        let own = settings.azure.clone().map(|azure| {
            let endpoint = settings.acr_endpoint.clone();
            Arc::new(Own { azure, caller: caller.clone(), endpoint })
        });
        Self { tokens: Tokens::new(TERMS, ports), own }
    }
}

impl Ambient for WorkloadIdentity {
    fn cloud(&self) -> &'static str {
        "Azure"
    }

    fn answer<'a>(&'a self, request: Request<'a>) -> Answer<'a> {
        async move {
            let Some(own) = &self.own else { return Ok(None) };
            if request.address.kind == Kind::Git {
                return Ok(None);
            }
            let Some(registry) = registry(&request.address.normalized) else { return Ok(None) };
            let load = || {
                let (own, registry) = (own.clone(), registry.to_owned());
                async move { own.load(&registry).await }
            };
            self.tokens.get(&Key::of("acr-workload-identity", &[registry]), load).await
        }
        .boxed()
    }
}

impl Own {
    async fn load(&self, registry: &str) -> Result<Loaded<Option<Credential>>, ProviderError> {
        let access = self.access_token().await?;
        let refresh = self.exchange(registry, &access).await?;
        let value = Credential::Basic { username: USERNAME.into(), password: refresh };
        Ok(Loaded { value: Some(value), keep: Keep::Default })
    }

    async fn access_token(&self) -> Result<Secret, ProviderError> {
        let Azure { tenant, client, token_file, authority } = &self.azure;
        let statement = token_file::read("AZURE_FEDERATED_TOKEN_FILE", token_file)?;
        let url = format!("{}/{tenant}/oauth2/v2.0/token", authority.trim_end_matches('/'));
        let body = Serializer::new(String::new())
            .append_pair("grant_type", "client_credentials")
            .append_pair("client_id", client)
            .append_pair("scope", SCOPE)
            .append_pair("client_assertion_type", ASSERTION)
            .append_pair("client_assertion", statement.expose())
            .finish();
        let request = HttpRequest::post(&url, FORM, body);
        let token: AccessToken = self.caller.ask(ENTRA, request).await?.json()?;
        Ok(Secret::new(token.access_token))
    }

    async fn exchange(&self, registry: &str, access: &Secret) -> Result<Secret, ProviderError> {
        let host = format!("{registry}.azurecr.io");
        let endpoint = self.endpoint.clone().unwrap_or_else(|| format!("https://{host}"));
        let body = Serializer::new(String::new())
            .append_pair("grant_type", "access_token")
            .append_pair("service", &host)
            .append_pair("tenant", &self.azure.tenant)
            .append_pair("access_token", access.expose())
            .finish();
        let request = HttpRequest::post(&format!("{endpoint}/oauth2/exchange"), FORM, body);
        let token: RefreshToken = self.caller.ask(REGISTRY, request).await?.json()?;
        Ok(Secret::new(token.refresh_token))
    }
}

/// The name of the registry that a repository is in; `None` when it is not in ACR.
fn registry(repository: &str) -> Option<&str> {
    let (host, _) = repository.split_once('/')?;
    let name = host.strip_suffix(".azurecr.io")?;
    let is_name = |b: u8| b.is_ascii_alphanumeric() || b == b'-';
    (!name.is_empty() && name.bytes().all(is_name)).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_registry_of_azure_is_told_by_its_host() {
        let table = [
            ("team.azurecr.io/app", Some("team")),
            ("team-hash.azurecr.io/a/b", Some("team-hash")),
            ("a.b.azurecr.io/app", None),
            (".azurecr.io/app", None),
            ("team.azurecr.io", None),
            ("team.azurecr.io.evil.example/app", None),
        ];
        for (repository, expected) in table {
            assert_eq!(registry(repository), expected, "{repository}");
        }
    }
}
