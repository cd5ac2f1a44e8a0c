//! Where dependencies come from, as Helm is told: its list of repositories and its log-ins to registries.

use std::collections::BTreeMap;

use base64::{Engine as _, prelude::BASE64_STANDARD};
use core_pattern::normalize_chart;
use core_rules::credential::Credential;
use io_creds::Kind;
use io_http::outbound::{Outbound, Tls, Url, is_local_host};
use io_oci::Access;
use serde_json::{Map, Value, json};

use super::Dependency;
use crate::{Credentials, Registries, StepCx, StepError};

/// What Helm needs to know before it fetches anything.
#[derive(Default)]
pub(super) struct Sources {
    /// Repositories of archives, each once.
    repositories: Vec<Repository>,
    /// Log-ins by host.
    registries: BTreeMap<String, Option<Credential>>,
}

/// A repository of archives and one of the charts that it is asked for.
struct Repository {
    url: String,
    chart: String,
    credential: Option<Credential>,
}

impl Sources {
    /// Looks up the credentials of all repositories that dependencies name.
    pub(super) async fn of(
        dependencies: &[Dependency],
        credentials: &Credentials,
        outbound: &Outbound,
        cx: &StepCx<'_>,
    ) -> Result<Self, StepError> {
        let mut sources = Self::default();
        for dependency in dependencies {
            let address = dependency.repository.trim_end_matches('/');
            check_address(address, outbound)?;
            if let Some(place) = address.strip_prefix("oci://") {
                sources.add_registry(place, &dependency.name, credentials, cx).await?;
            } else if address.starts_with("https://") || address.starts_with("http://") {
                sources.add_repository(dependency, credentials, cx).await?;
            }
        }
        Ok(sources)
    }

    async fn add_repository(
        &mut self,
        dependency: &Dependency,
        credentials: &Credentials,
        cx: &StepCx<'_>,
    ) -> Result<(), StepError> {
        let url = &dependency.repository;
        if self.repositories.iter().any(|known| known.url == *url) {
            return Ok(());
        }
        // A password is not sent in plain text.
        let credential = if url.starts_with("https://") {
            credentials.find(cx, Kind::Helm, url).await?
        } else {
            None
        };
        let (url, chart) = (url.clone(), dependency.name.clone());
        self.repositories.push(Repository { url, chart, credential });
        Ok(())
    }

    async fn add_registry(
        &mut self,
        place: &str,
        chart: &str,
        credentials: &Credentials,
        cx: &StepCx<'_>,
    ) -> Result<(), StepError> {
        let host = place.split('/').next().unwrap_or_default();
        if self.registries.contains_key(host) {
            return Ok(());
        }
        let address = normalize_chart(&format!("oci://{place}/{chart}"));
        let address =
            if address.starts_with("oci://") { address } else { format!("oci://{address}") };
        let credential = credentials.find(cx, Kind::Helm, &address).await?;
        self.registries.insert(host.to_owned(), credential);
        Ok(())
    }

    /// Helm's `repositories.yaml`.
    pub(super) fn repositories(&self) -> String {
        let entries: Vec<Value> =
            self.repositories.iter().enumerate().map(|(index, entry)| entry.entry(index)).collect();
        let generated = "0001-01-01T00:00:00Z";
        json!({"apiVersion": "", "generated": generated, "repositories": entries}).to_string()
    }

    /// Why dependencies could not be fetched, if a repository is to blame: Helm keeps that to itself.
    pub(super) async fn blame(
        &self,
        registries: &Registries,
        cx: &StepCx<'_>,
    ) -> Option<StepError> {
        for Repository { url, chart, credential } in &self.repositories {
            let access = Access { credential: credential.clone(), ..anonymous(cx) };
            let asked = registries.registries.chart_versions(url, chart, &access).await;
            if let Err(error) = asked {
                let message = format!("the charts of {url} could not be fetched");
                return Some(StepError::retryable(message).because(error));
            }
        }
        None
    }

    /// Helm's log-ins to registries, in Docker's format.
    pub(super) fn logins(&self) -> String {
        let logins: BTreeMap<&String, Value> = self
            .registries
            .iter()
            .filter_map(|(host, credential)| match credential {
                Some(Credential::Basic { username, password }) => {
                    let login = format!("{username}:{}", password.expose());
                    Some((host, json!({"auth": BASE64_STANDARD.encode(login)})))
                }
                _ => None,
            })
            .collect();
        json!({"auths": logins}).to_string()
    }

    /// Whether all registries speak plain HTTP, which Helm has to be told. A password goes to such a
    /// registry only when it can be nowhere but in this network.
    pub(super) async fn speak_plain_http(
        &self,
        registries: &Registries,
        cx: &StepCx<'_>,
    ) -> Result<bool, StepError> {
        for (host, credential) in &self.registries {
            let asked = registries.registries.speaks_plain_http(host, &anonymous(cx)).await;
            let is_plain = asked.map_err(|error| {
                StepError::retryable(format!("the registry {host} could not be reached"))
                    .because(error)
            })?;
            if !is_plain {
                return Ok(false);
            }
            let name = host.rsplit_once(':').map_or(host.as_str(), |(name, _)| name);
            if credential.is_some() && !is_local_host(name) {
                return Err(StepError::retryable(format!(
                    "{host} answers in plain HTTP, and a credential is not sent over it: serve it over TLS"
                )));
            }
        }
        Ok(!self.registries.is_empty())
    }
}

impl Repository {
    /// As Helm lists it. Names are of no interest, addresses are what dependencies are found by.
    fn entry(&self, index: usize) -> Value {
        let mut entry = Map::new();
        entry.insert("name".into(), format!("repository-{index}").into());
        entry.insert("url".into(), self.url.clone().into());
        if let Some(Credential::Basic { username, password }) = &self.credential {
            entry.insert("username".into(), username.clone().into());
            entry.insert("password".into(), password.expose().into());
        }
        entry.into()
    }
}

fn anonymous(cx: &StepCx<'_>) -> Access {
    Access {
        project: cx.subject.project.clone(),
        warehouse: cx.subject.promotion.clone(),
        credential: None,
        tls: Tls::default(),
    }
}

/// Helm dials by itself, so an address that is refused to everybody else is refused before.
fn check_address(url: &str, outbound: &Outbound) -> Result<(), StepError> {
    // As Helm would read it: only of http and https are hosts in their normal form.
    let plain = url.replacen("oci://", "https://", 1);
    let host = Url::parse(&plain).ok().and_then(|url| url.host_str().map(str::to_owned));
    let host = host.unwrap_or_default();
    let Ok(address) = host.trim_matches(['[', ']']).parse() else { return Ok(()) };
    outbound.settings().policy.check(address).map_err(|refusal| {
        StepError::retryable(format!("the repository {url} is not asked, because {refusal}"))
    })
}
