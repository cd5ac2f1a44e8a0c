//! What an installation decides about outbound calls.

use std::{path::PathBuf, time::Duration};

use core_clock::{Environment, SettingError, Variables};
use reqwest::Url;

use super::{Network, Policy, TlsError, origin, proxy::Proxies};

/// Networks that this installation denies.
const DENIED: &str = "OUTBOUND_DENIED_NETWORKS";

/// How long each part of an exchange may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Deadlines {
    /// Name resolution, TCP and TLS together.
    pub connect: Duration,
    /// From there to the end of the response's headers.
    pub headers: Duration,
    /// The longest silence while a body is read.
    pub idle: Duration,
}

impl Default for Deadlines {
    fn default() -> Self {
        let half_minute = Duration::from_secs(30);
        Self { connect: half_minute, headers: half_minute, idle: half_minute }
    }
}

/// Everything clients have in common.
#[derive(Clone)]
pub struct Settings {
    pub policy: Policy,
    pub deadlines: Deadlines,
    /// Sent with every request.
    pub user_agent: String,
    pub(super) certificate_file: Option<PathBuf>,
    pub(super) certificate_directory: Option<PathBuf>,
    pub(super) proxies: Proxies,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            policy: Policy::default(),
            deadlines: Deadlines::default(),
            user_agent: concat!("Kargo/", env!("CARGO_PKG_VERSION")).to_owned(),
            certificate_file: None,
            certificate_directory: None,
            proxies: Proxies::default(),
        }
    }
}

impl Settings {
    /// The same settings with one proxy for everything, which users name.
    pub(super) fn through(self, proxy: &str) -> Result<Self, TlsError> {
        let wrong =
            || TlsError::Setup("the proxy is not an http or https URL with a host".to_owned());
        let url = Url::parse(proxy).map_err(|_| wrong())?;
        if !matches!(url.scheme(), "http" | "https") || url.host_str().is_none_or(str::is_empty) {
            return Err(wrong());
        }
        if let Some(address) = origin::literal(&url) {
            self.policy.check(address).map_err(|refusal| {
                TlsError::Setup(format!("the proxy {address} is refused, because {refusal}"))
            })?;
        }
        Ok(Self { proxies: Proxies::only(url), ..self })
    }

    /// `OUTBOUND_DENIED_NETWORKS` (comma-separated networks), `SSL_CERT_FILE`, `SSL_CERT_DIR` and the proxy variables.
    pub fn from_environment(environment: &dyn Environment) -> Result<Self, SettingError> {
        let variables = Variables::new(environment);
        let denied = variables
            .list(DENIED)
            .iter()
            .map(|text| network(text))
            .collect::<Result<Vec<_>, _>>()?;
        let proxies = Proxies::from_environment(environment);
        // Its value may hold a credential and is not repeated.
        proxies
            .build()
            .map_err(|variable| SettingError::refused(variable, "***", "the address of a proxy"))?;
        Ok(Self {
            policy: Policy::denying(denied),
            certificate_file: variables.path("SSL_CERT_FILE"),
            certificate_directory: variables.path("SSL_CERT_DIR"),
            proxies,
            ..Self::default()
        })
    }

    /// The same for the metadata service of the cloud we run in, which is dialled directly.
    pub(super) fn for_metadata(self) -> Self {
        Self { policy: Policy::allow_metadata(), proxies: Proxies::default(), ..self }
    }
}

fn network(text: &str) -> Result<Network, SettingError> {
    text.parse().map_err(|_| SettingError::refused(DENIED, text, "a network such as 10.0.0.0/8"))
}

#[cfg(test)]
mod tests {
    use core_clock::FixedEnvironment;

    use super::*;

    #[test]
    fn denied_networks_come_from_the_environment_and_mistakes_are_told() {
        let environment: FixedEnvironment =
            [("OUTBOUND_DENIED_NETWORKS", "10.0.0.0/8, 192.168.0.0/16")].into_iter().collect();
        let settings = Settings::from_environment(&environment).unwrap();
        assert!(settings.policy.check("192.168.7.7".parse().unwrap()).is_err());
        let wrong: FixedEnvironment =
            [("OUTBOUND_DENIED_NETWORKS", "intranet")].into_iter().collect();
        assert_eq!(
            Settings::from_environment(&wrong).err().map(|error| error.to_string()).unwrap(),
            "OUTBOUND_DENIED_NETWORKS: \"intranet\" is not a network such as 10.0.0.0/8"
        );
    }
}
