//! From the address of a repository to its provider's API.

use std::sync::Arc;

use core_clock::Clock;
use core_rules::credential::Secret;
use io_http::outbound::{Outbound, Tls};

use crate::{
    Place, Provider, Repository, Settings,
    address::Address,
    api::{Api, Login},
    error::Error,
};

/// How a repository's provider is reached.
pub struct Access<'a> {
    pub settings: &'a Settings,
    pub outbound: &'a Outbound,
    pub clock: Arc<dyn Clock>,
    /// The repository.
    pub url: &'a str,
    /// The provider, where it is named.
    pub provider: Option<Provider>,
    /// `None` for anonymous requests.
    pub token: Option<Secret>,
    /// Whether any certificate is accepted; hosts of Bitbucket and Azure DevOps are always checked.
    pub insecure_skip_tls_verify: bool,
}

/// A provider's API and the repository there.
pub(crate) struct Connection {
    pub(crate) provider: Provider,
    pub(crate) repository: Repository,
    pub(crate) api: Api,
}

impl Access<'_> {
    pub(crate) fn connect(self) -> Result<Connection, Error> {
        let provider = self
            .settings
            .provider_of(self.provider, self.url)
            .ok_or_else(|| Error::UnknownProvider { url: Address::shown(self.url) })?;
        let host = self.settings.host(self.url).filter(|host| host.provider == provider);
        let repository = match host {
            Some(_) => Repository::parse_known(provider, self.url)?,
            None => Repository::parse(provider, self.url)?,
        };
        check(provider, &repository, self.url)?;
        let base = match host.and_then(|host| host.api.clone()) {
            Some(base) => base.trim_end_matches('/').to_owned(),
            None => api_base(provider, &repository),
        };
        let can_skip = !matches!(provider, Provider::Bitbucket | Provider::Azure);
        let tls = Tls::skip_verify(can_skip && self.insecure_skip_tls_verify);
        let login = login(provider, self.token, &repository)?;
        let client = self.outbound.client(&tls)?;
        let name = repository.place.to_string();
        let api = Api::new(client, self.clock, base, login, provider, name);
        Ok(Connection { provider, repository, api })
    }
}

/// A path of any depth is read without a look at it, so that the look is here.
fn check(provider: Provider, repository: &Repository, url: &str) -> Result<(), Error> {
    let wrong = |expected| Error::Address { provider, url: Address::shown(url), expected };
    if repository.host.is_empty() {
        return Err(wrong("it has no host"));
    }
    match &repository.place {
        Place::Nested { path } if matches!(path.as_str(), "" | "." | "..") => {
            Err(wrong("it has no path"))
        }
        _ => Ok(()),
    }
}

/// Where the API of a provider usually is.
fn api_base(provider: Provider, repository: &Repository) -> String {
    let Repository { scheme, host, place } = repository;
    match (provider, place) {
        (Provider::Github, _) if host == "github.com" => "https://api.github.com".to_owned(),
        (Provider::Github, _) if host.ends_with(".ghe.com") => format!("https://api.{host}"),
        (Provider::Github, _) => format!("{scheme}://{host}/api/v3"),
        (Provider::Gitlab, _) => format!("{scheme}://{host}/api/v4"),
        (Provider::Gitea, _) => format!("{scheme}://{host}/api/v1"),
        (Provider::Bitbucket, _) => "https://api.bitbucket.org/2.0".to_owned(),
        (Provider::Azure, _) => "https://dev.azure.com".to_owned(),
    }
}

fn login(
    provider: Provider,
    token: Option<Secret>,
    repository: &Repository,
) -> Result<Login, Error> {
    let Some(token) = token else {
        return match provider {
            Provider::Azure => {
                let repository = repository.place.to_string();
                Err(Error::TokenMissing { provider, repository })
            }
            _ => Ok(Login::Anonymous),
        };
    };
    Ok(match provider {
        Provider::Github | Provider::Bitbucket => Login::Bearer(token),
        Provider::Gitlab => Login::PrivateToken(token),
        Provider::Gitea => Login::Token(token),
        Provider::Azure => Login::Password(token),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn base(provider: Provider, url: &str) -> String {
        api_base(provider, &Repository::parse(provider, url).unwrap())
    }

    #[test]
    fn each_provider_has_its_api_where_it_documents_it() {
        for (provider, url, expected) in [
            (Provider::Github, "https://github.com/a/b", "https://api.github.com"),
            (Provider::Github, "https://acme.ghe.com/a/b", "https://api.acme.ghe.com"),
            (
                Provider::Github,
                "http://github.acme.io:8080/a/b",
                "http://github.acme.io:8080/api/v3",
            ),
            (Provider::Gitlab, "https://gitlab.com/a/b/c", "https://gitlab.com/api/v4"),
            (Provider::Gitea, "https://gitea.acme.io/a/b", "https://gitea.acme.io/api/v1"),
            (Provider::Bitbucket, "https://bitbucket.org/a/b", "https://api.bitbucket.org/2.0"),
            (Provider::Azure, "https://acme.visualstudio.com/p/_git/r", "https://dev.azure.com"),
        ] {
            assert_eq!(base(provider, url), expected, "{url}");
        }
    }
}
