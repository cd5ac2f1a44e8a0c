//! What an operator may say about hosts: whose they are, and where their API is.

use std::collections::BTreeMap;

use core_clock::{Environment, SettingError, Variables};

use crate::{Provider, address::Address, commit_url, provider::host_of};

const HOSTS: &str = "GIT_PROVIDER_HOSTS";
const FORM: &str = "a list of HOST=PROVIDER or HOST=PROVIDER=API-URL";

/// Which provider a host belongs to. A provider that a step names goes before this table, and the table before
/// what the name of the host suggests.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Settings {
    hosts: BTreeMap<String, Host>,
}

/// A host that an operator named.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Host {
    /// Whose it is.
    pub provider: Provider,
    /// Address of its API, where that is not the usual one.
    pub api: Option<String>,
}

impl Settings {
    /// Reads `GIT_PROVIDER_HOSTS`: `git.example.com=gitea, code.example.com=gitlab=https://example.com/api/v4`.
    pub fn from_environment(environment: &dyn Environment) -> Result<Self, SettingError> {
        let mut settings = Self::default();
        for entry in Variables::new(environment).list(HOSTS) {
            let (host, known) =
                parse_host(&entry).ok_or_else(|| SettingError::refused(HOSTS, &entry, FORM))?;
            settings.hosts.insert(host, known);
        }
        Ok(settings)
    }

    /// With one more host.
    #[must_use]
    pub fn with_host(mut self, host: &str, provider: Provider, api: Option<&str>) -> Self {
        let known = Host { provider, api: api.map(str::to_owned) };
        self.hosts.insert(host.to_ascii_lowercase(), known);
        self
    }

    /// The provider of a repository: the one that was named, else by its host.
    pub fn provider_of(&self, named: Option<Provider>, url: &str) -> Option<Provider> {
        named.or_else(|| self.host(url).map(|host| host.provider)).or_else(|| Provider::of_url(url))
    }

    /// The page of a commit, as far as the provider is known.
    pub fn commit_url(&self, named: Option<Provider>, url: &str, commit: &str) -> Option<String> {
        commit_url(self.provider_of(named, url)?, url, commit)
    }

    /// What was said about the host of an address.
    pub(crate) fn host(&self, url: &str) -> Option<&Host> {
        let host = host_of(url).or_else(|| Address::parse(url).map(|address| address.host))?;
        self.hosts.get(&host)
    }
}

fn parse_host(entry: &str) -> Option<(String, Host)> {
    let mut parts = entry.splitn(3, '=').map(str::trim);
    let host = parts.next().filter(|host| !host.is_empty() && !host.contains('/'))?;
    let provider = Provider::from_name(parts.next()?)?;
    let api = parts.next().map(str::to_owned);
    if api.as_ref().is_some_and(|api| host_of(api).is_none() || !api.starts_with("http")) {
        return None;
    }
    Some((host.to_ascii_lowercase(), Host { provider, api }))
}

#[cfg(test)]
mod tests {
    use core_clock::FixedEnvironment;

    use super::*;

    fn read(value: &'static str) -> Result<Settings, String> {
        let environment: FixedEnvironment = [(HOSTS, value)].into_iter().collect();
        Settings::from_environment(&environment).map_err(|error| error.to_string())
    }

    #[test]
    fn a_named_provider_goes_before_the_table_and_the_table_before_the_name_of_the_host() {
        let settings = read("github.example.com=gitea").unwrap();
        let url = "https://GitHub.example.com/a/b";
        let named = settings.provider_of(Some(Provider::Gitlab), url);
        assert_eq!(named, Some(Provider::Gitlab));
        assert_eq!(settings.provider_of(None, url), Some(Provider::Gitea));
        assert_eq!(Settings::default().provider_of(None, url), Some(Provider::Github));
        assert_eq!(settings.provider_of(None, "https://example.com/a/b"), None);
    }

    #[test]
    fn a_host_may_name_its_api_and_mistakes_are_told() {
        let settings = read("code.example.com=gitlab=https://code.example.com/git/api/v4").unwrap();
        let host = settings.host("https://code.example.com/a/b").unwrap();
        assert_eq!(host.api.as_deref(), Some("https://code.example.com/git/api/v4"));
        insta::assert_snapshot!(read("code.example.com=sourcehut").unwrap_err(), @r#"GIT_PROVIDER_HOSTS: "code.example.com=sourcehut" is not a list of HOST=PROVIDER or HOST=PROVIDER=API-URL"#);
        assert!(read("code.example.com=gitlab=nowhere").is_err());
    }
}
