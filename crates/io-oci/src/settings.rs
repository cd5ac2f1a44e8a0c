//! What an installation decides about registries.

use std::{path::PathBuf, sync::Arc, time::Duration};

use core_clock::{Clock, Entropy, Environment, SettingError, Tasks, Variables};

use crate::Mirrors;

const MIRRORS: &str = "IMAGE_REGISTRY_MIRRORS";
/// Requests per second to one registry unless the installation says otherwise.
const DEFAULT_RATE: u32 = 20;
/// Remembered images unless the installation says otherwise.
const DEFAULT_ENTRIES: usize = 100_000;

/// How registries are treated.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settings {
    /// Requests per second to one host, whoever asks.
    pub rate_per_second: u32,
    /// How many images, tags and chart lists are remembered.
    pub cache_entries: usize,
    /// Where they are remembered across restarts; `None` keeps them in memory.
    pub cache_directory: Option<PathBuf>,
    /// Whether a credential may be sent to a registry that turned out to speak plain HTTP.
    pub credentials_over_http: bool,
    /// Registries that others stand in for.
    pub mirrors: Mirrors,
    pub limits: Limits,
}

/// How much a server may send.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Tags of one repository.
    pub tags: usize,
    /// Bytes of one page of tags.
    pub page_bytes: u64,
    /// Bytes of a manifest, an index or an image configuration.
    pub manifest_bytes: u64,
    /// Bytes of the index of a chart repository.
    pub chart_index_bytes: u64,
    /// One exchange, from sending to the end of the body.
    pub exchange: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            tags: 500_000,
            page_bytes: 16 * 1024 * 1024,
            manifest_bytes: 8 * 1024 * 1024,
            chart_index_bytes: 128 * 1024 * 1024,
            exchange: Duration::from_mins(3),
        }
    }
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            rate_per_second: DEFAULT_RATE,
            cache_entries: DEFAULT_ENTRIES,
            cache_directory: None,
            credentials_over_http: false,
            mirrors: Mirrors::default(),
            limits: Limits::default(),
        }
    }
}

impl Settings {
    /// `IMAGE_REGISTRY_RATE_LIMIT`, `IMAGE_REGISTRY_TIMEOUT`, `MAX_IMAGE_CACHE_ENTRIES`,
    /// `IMAGE_REGISTRY_MIRRORS` and `ALLOW_CREDENTIALS_OVER_HTTP`.
    pub fn from_environment(environment: &dyn Environment) -> Result<Self, SettingError> {
        let variables = Variables::new(environment);
        let limits = Limits::default();
        let exchange = variables.interval("IMAGE_REGISTRY_TIMEOUT", limits.exchange)?;
        Ok(Self {
            rate_per_second: variables.count("IMAGE_REGISTRY_RATE_LIMIT", 1.., DEFAULT_RATE)?,
            cache_entries: variables.count("MAX_IMAGE_CACHE_ENTRIES", 1.., DEFAULT_ENTRIES)?,
            credentials_over_http: variables.flag("ALLOW_CREDENTIALS_OVER_HTTP", false)?,
            mirrors: mirrors(&variables)?,
            limits: Limits { exchange, ..limits },
            ..Self::default()
        })
    }
}

fn mirrors(variables: &Variables<'_>) -> Result<Mirrors, SettingError> {
    let accepted = "a list such as docker.io=mirror.example.com,ghcr.io=registry.example.com/ghcr";
    let entries = variables.list(MIRRORS);
    Mirrors::parse(entries.iter().map(String::as_str))
        .map_err(|entry| SettingError::refused(MIRRORS, &entry, accepted))
}

/// The outside world as this crate sees it, beside the network.
#[derive(Clone)]
pub struct Ports {
    pub clock: Arc<dyn Clock>,
    pub entropy: Arc<dyn Entropy>,
    pub tasks: Arc<dyn Tasks>,
}

#[cfg(test)]
mod tests {
    use core_clock::FixedEnvironment;

    use super::*;

    #[test]
    fn settings_come_from_the_environment_and_zero_is_refused() {
        let environment: FixedEnvironment = [
            ("IMAGE_REGISTRY_RATE_LIMIT", "5"),
            ("IMAGE_REGISTRY_TIMEOUT", "7s"),
            ("ALLOW_CREDENTIALS_OVER_HTTP", "true"),
            ("IMAGE_REGISTRY_MIRRORS", "docker.io=mirror.example"),
        ]
        .into_iter()
        .collect();
        let settings = Settings::from_environment(&environment).unwrap();
        assert_eq!((settings.rate_per_second, settings.cache_entries), (5, 100_000));
        assert_eq!(settings.limits.exchange, Duration::from_secs(7));
        assert!(settings.credentials_over_http && settings.mirrors != Mirrors::default());
        for zero in [("MAX_IMAGE_CACHE_ENTRIES", "0"), ("IMAGE_REGISTRY_TIMEOUT", "0s")] {
            let zero: FixedEnvironment = [zero].into_iter().collect();
            assert!(Settings::from_environment(&zero).is_err());
        }
    }
}
