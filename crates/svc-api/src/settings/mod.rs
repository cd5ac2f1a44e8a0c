//! Settings, by the names that the chart gives them.

mod admin;
mod base_path;
mod oidc;
#[cfg(test)]
mod tests;

pub use admin::AdminSettings;
pub use base_path::BasePath;
pub(crate) use base_path::Place;
pub use oidc::{DexSettings, OidcSettings};

use std::{
    collections::BTreeMap,
    net::{IpAddr, SocketAddr},
    path::PathBuf,
    time::Duration,
};

use core_clock::{Environment, SettingError, Variables};
use core_rules::{
    analysis::log::{Headers, LogSettings},
    credential::Secret,
};

use crate::rate::Rate;

const ARGOCD_URLS: &str = "ARGOCD_URLS";
const DEFAULT_PORT: u16 = 8080;
/// A few for each processor: these questions keep one busy.
const DEFAULT_EXPENSIVE_QUERIES: usize = 16;
const DEFAULT_GRACE: Duration = Duration::from_secs(30);

/// What the API server is told.
#[derive(Clone)]
pub struct Settings {
    /// Where it listens.
    pub address: SocketAddr,
    /// What all paths begin with, where a proxy shares a host among programs.
    pub base_path: BasePath,
    /// The certificate, where it serves TLS itself.
    pub tls: Option<TlsFiles>,
    /// Whether browsers on any page may call it.
    pub permissive_cors: bool,
    /// How long requests are still served after the order to stop.
    pub grace: Duration,
    /// Where the components run and system roles live.
    pub namespace: String,
    /// Where objects of the whole installation live.
    pub system_namespace: String,
    /// Where objects that all Projects share live.
    pub shared_namespace: String,
    /// The controller of objects that name no shard.
    pub default_controller: String,
    /// Whether credentials can be written.
    pub secret_management: bool,
    /// The login of the administrator, where there is one.
    pub admin: Option<AdminSettings>,
    /// The identity provider, where there is one.
    pub oidc: Option<OidcSettings>,
    /// Argo CD by shard: the address of its web interface.
    pub argocd_urls: BTreeMap<String, String>,
    /// The namespace of Argo CD.
    pub argocd_namespace: String,
    /// Whether AnalysisTemplates and AnalysisRuns are used.
    pub rollouts: bool,
    /// Where logs of AnalysisRuns are read, where they are.
    pub analysis_logs: Option<LogSettings>,
    /// How often one caller may ask, where that is limited.
    pub rate: Option<Rate>,
    /// How many questions are answered at once that are much work.
    pub expensive_queries: usize,
    /// Whether everybody is let in as if by their own kubeconfig: a server for one person.
    pub is_local: bool,
}

/// A certificate and its key as files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TlsFiles {
    /// The certificate with its chain.
    pub certificate: PathBuf,
    /// Its key.
    pub key: PathBuf,
}

impl Settings {
    /// Reads the variables; what is not set, or empty, has its default.
    pub fn from_environment(environment: &dyn Environment) -> Result<Self, SettingError> {
        let variables = Variables::new(environment);
        let rollouts = variables.flag("ROLLOUTS_INTEGRATION_ENABLED", true)?;
        Ok(Self {
            address: address(variables)?,
            base_path: BasePath::new(&variables.text_or("API_BASE_PATH", "")),
            tls: tls(variables)?,
            permissive_cors: variables.flag("PERMISSIVE_CORS_POLICY_ENABLED", false)?,
            grace: variables.duration("GRACEFUL_SHUTDOWN_TIMEOUT", DEFAULT_GRACE)?,
            namespace: variables.text_or("KARGO_NAMESPACE", "kargo"),
            system_namespace: variables
                .text_or("SYSTEM_RESOURCES_NAMESPACE", "kargo-system-resources"),
            shared_namespace: variables
                .text_or("SHARED_RESOURCES_NAMESPACE", "kargo-shared-resources"),
            default_controller: variables.text_or("DEFAULT_CONTROLLER_NAME", ""),
            secret_management: variables.flag("SECRET_MANAGEMENT_ENABLED", false)?,
            admin: AdminSettings::from_variables(variables)?,
            oidc: OidcSettings::from_variables(variables)?,
            argocd_urls: argocd_urls(&variables.text_or(ARGOCD_URLS, ""))?,
            argocd_namespace: variables.text_or("ARGOCD_NAMESPACE", "argocd"),
            rollouts,
            analysis_logs: if rollouts { analysis_logs(variables)? } else { None },
            rate: rate(variables)?,
            expensive_queries: variables.count(
                "API_MAX_EXPENSIVE_QUERIES",
                1..=10_000,
                DEFAULT_EXPENSIVE_QUERIES,
            )?,
            is_local: false,
        })
    }
}

fn address(variables: Variables<'_>) -> Result<SocketAddr, SettingError> {
    let everywhere = IpAddr::from([0, 0, 0, 0]);
    let host = variables.parsed(
        "BIND_ADDRESS",
        "an address of this machine, such as 0.0.0.0",
        |text| text.trim_start_matches('[').trim_end_matches(']').parse().ok(),
        everywhere,
    )?;
    Ok(SocketAddr::new(host, variables.count("PORT", 0..=u16::MAX, DEFAULT_PORT)?))
}

/// Where logs are kept; nowhere without a template of their address.
fn analysis_logs(variables: Variables<'_>) -> Result<Option<LogSettings>, SettingError> {
    const HEADERS: &str = "ANALYSIS_RUN_LOG_HTTP_HEADERS";
    let Some(url) = variables.text("ANALYSIS_RUN_LOG_URL_TEMPLATE") else { return Ok(None) };
    let headers: Headers = variables
        .text_or(HEADERS, "")
        .parse()
        // Not repeated: it may hold a token.
        .map_err(|_| SettingError::refused(HEADERS, "***", "of the form name=value,name=value"))?;
    let token = Secret::new(variables.text_or("ANALYSIS_RUN_LOG_TOKEN", ""));
    Ok(Some(LogSettings { url, headers, token }))
}

/// How often one caller may ask; as often as they like unless a rate is set.
fn rate(variables: Variables<'_>) -> Result<Option<Rate>, SettingError> {
    let per_second = variables.count("API_RATE_LIMIT", 0..=1_000_000, 0_u32)?;
    let burst =
        variables.count("API_RATE_BURST", 1..=10_000_000, per_second.saturating_mul(2).max(1))?;
    let rate = Rate { per_second: per_second.into(), burst: burst.into() };
    Ok((per_second > 0).then_some(rate))
}

fn tls(variables: Variables<'_>) -> Result<Option<TlsFiles>, SettingError> {
    if !variables.flag("TLS_ENABLED", false)? {
        return Ok(None);
    }
    let path = |variable, what| variables.required(variable, what).map(PathBuf::from);
    Ok(Some(TlsFiles {
        certificate: path("TLS_CERT_PATH", "the path of a certificate in PEM form")?,
        key: path("TLS_KEY_PATH", "the path of a private key in PEM form")?,
    }))
}

/// Reads `shard=url,shard=url`; the shard may be empty, and blanks do not count.
fn argocd_urls(text: &str) -> Result<BTreeMap<String, String>, SettingError> {
    let items = text.split(',').map(str::trim).filter(|item| !item.is_empty());
    let pair = |item: &str| {
        let (shard, url) = item
            .split_once('=')
            .ok_or_else(|| SettingError::refused(ARGOCD_URLS, item, "of the form shard=url"))?;
        Ok((shard.trim().to_owned(), url.trim().to_owned()))
    };
    items.map(pair).collect()
}
