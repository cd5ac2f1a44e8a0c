//! Settings, by the names that the chart gives them.

use std::{fmt, path::PathBuf};

use core_clock::Environment;
use core_rules::admission::{Identities, warehouse::CacheByTagPolicy};

const DEFAULT_PORT: u16 = 9443;
const DEFAULT_CERTIFICATES: &str = "/tmp/k8s-webhook-server/serving-certs";
const DEFAULT_ARGOCD_NAMESPACE: &str = "argocd";

/// A variable has a value that cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{variable}: {problem}")]
pub struct SettingError {
    variable: &'static str,
    problem: String,
}

/// Where the certificate of the server comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Certificate {
    /// From `tls.crt` and `tls.key` in this directory, which others keep up.
    Files(PathBuf),
    /// From an authority of our own, whose trust we keep up in the webhook configurations.
    Own,
}

/// What admission is told.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The namespace of the installation.
    pub namespace: String,
    /// Which users are components.
    pub identities: Identities,
    /// Whether what is known of an image's tag may be kept.
    pub cache_by_tag_policy: CacheByTagPolicy,
    /// Where Argo CD keeps Applications that name no namespace.
    pub argocd_namespace: String,
    /// Whether a controller may write objects of its own shard only.
    pub restrict_controllers_to_shard: bool,
    /// The port of the server.
    pub port: u16,
    /// The certificate of the server.
    pub certificate: Certificate,
    /// Host names and addresses under which the server is reached beside its Service, for a
    /// certificate of our own.
    pub hosts: Vec<String>,
}

impl Settings {
    /// Settings for the namespace `namespace` in which nobody is a component.
    pub fn new(namespace: impl Into<String>) -> Self {
        Self {
            namespace: namespace.into(),
            identities: Identities::default(),
            cache_by_tag_policy: CacheByTagPolicy::default(),
            argocd_namespace: DEFAULT_ARGOCD_NAMESPACE.to_owned(),
            restrict_controllers_to_shard: true,
            port: DEFAULT_PORT,
            certificate: Certificate::Files(DEFAULT_CERTIFICATES.into()),
            hosts: Vec::new(),
        }
    }

    /// Reads the variables; what is not set, or empty, has its default.
    pub fn from_environment(environment: &dyn Environment) -> Result<Self, SettingError> {
        let variables = Variables(environment);
        let namespace = variables.text("KARGO_NAMESPACE").ok_or_else(|| {
            error("KARGO_NAMESPACE", "must name the namespace of the installation")
        })?;
        let defaults = Self::new(namespace);
        let text = |variable| variables.text(variable).unwrap_or_default();
        let identities = Identities::new(
            &text("CONTROLPLANE_USER_REGEX"),
            &text("MANAGEMENT_CONTROLLER_USERNAME"),
            &text("EXTERNAL_WEBHOOKS_SERVER_USERNAME"),
        )
        .map_err(|problem| error("CONTROLPLANE_USER_REGEX", problem))?;
        Ok(Self {
            identities,
            cache_by_tag_policy: variables.read(
                "CACHE_BY_TAG_POLICY",
                "Forbid, Allow, Require or Force",
                |text| text.parse().ok(),
                defaults.cache_by_tag_policy,
            )?,
            argocd_namespace: variables
                .text("ARGOCD_NAMESPACE")
                .unwrap_or(defaults.argocd_namespace),
            restrict_controllers_to_shard: variables.read(
                "RESTRICT_CONTROLLERS_TO_SHARD",
                "true or false",
                |text| text.parse().ok(),
                defaults.restrict_controllers_to_shard,
            )?,
            port: variables.read(
                "WEBHOOK_SERVER_PORT",
                "a port",
                |text| text.parse().ok(),
                defaults.port,
            )?,
            certificate: variables.certificate()?.unwrap_or(defaults.certificate),
            hosts: text("WEBHOOK_HOSTS")
                .split(',')
                .map(str::trim)
                .filter(|host| !host.is_empty())
                .map(str::to_owned)
                .collect(),
            namespace: defaults.namespace,
        })
    }
}

struct Variables<'a>(&'a dyn Environment);

impl Variables<'_> {
    fn text(&self, variable: &str) -> Option<String> {
        self.0.var(variable).filter(|value| !value.is_empty())
    }

    fn read<T>(
        &self,
        variable: &'static str,
        expected: &str,
        read: impl Fn(&str) -> Option<T>,
        default: T,
    ) -> Result<T, SettingError> {
        match self.text(variable) {
            None => Ok(default),
            Some(text) => {
                read(&text).ok_or_else(|| error(variable, format!("{text:?} is not {expected}")))
            }
        }
    }

    fn certificate(&self) -> Result<Option<Certificate>, SettingError> {
        let directory = || self.text("WEBHOOK_CERT_DIR").map(PathBuf::from);
        let files = || Certificate::Files(directory().unwrap_or(DEFAULT_CERTIFICATES.into()));
        let read = |text: &str| match text {
            "Own" => Some(Some(Certificate::Own)),
            "Files" => Some(Some(files())),
            _ => None,
        };
        let default = directory().map(Certificate::Files);
        self.read("WEBHOOK_CERT_SOURCE", "Files or Own", read, default)
    }
}

fn error(variable: &'static str, problem: impl fmt::Display) -> SettingError {
    SettingError { variable, problem: problem.to_string() }
}

#[cfg(test)]
mod tests {
    use core_clock::FixedEnvironment;
    use core_rules::admission::warehouse::CacheByTagPolicy;

    use super::{Certificate, Settings};

    fn settings(vars: &[(&str, &str)]) -> Result<Settings, String> {
        let environment: FixedEnvironment = vars.iter().copied().collect();
        Settings::from_environment(&environment).map_err(|error| error.to_string())
    }

    #[test]
    fn only_the_namespace_is_needed() {
        assert!(settings(&[]).unwrap_err().starts_with("KARGO_NAMESPACE: "));
        let defaults =
            settings(&[("KARGO_NAMESPACE", "kargo"), ("WEBHOOK_SERVER_PORT", "")]).unwrap();
        assert_eq!((defaults.port, defaults.restrict_controllers_to_shard), (9443, true));
        let directory = "/tmp/k8s-webhook-server/serving-certs";
        assert_eq!(defaults.certificate, Certificate::Files(directory.into()));
    }

    #[test]
    fn values_are_read() {
        let read = settings(&[
            ("KARGO_NAMESPACE", "kargo"),
            ("CACHE_BY_TAG_POLICY", "Require"),
            ("WEBHOOK_CERT_SOURCE", "Own"),
            ("RESTRICT_CONTROLLERS_TO_SHARD", "false"),
            ("WEBHOOK_SERVER_PORT", "1234"),
            ("WEBHOOK_HOSTS", "localhost, ,10.0.0.1"),
        ])
        .unwrap();
        assert_eq!(read.cache_by_tag_policy, CacheByTagPolicy::Require);
        assert_eq!((read.port, read.certificate), (1234, Certificate::Own));
        assert!(!read.restrict_controllers_to_shard);
        assert_eq!(read.hosts, ["localhost", "10.0.0.1"]);
    }

    #[test]
    fn a_bad_value_is_named() {
        for (variable, value) in [
            ("CONTROLPLANE_USER_REGEX", "("),
            ("CACHE_BY_TAG_POLICY", "Sometimes"),
            ("WEBHOOK_SERVER_PORT", "99999"),
            ("RESTRICT_CONTROLLERS_TO_SHARD", "perhaps"),
            ("WEBHOOK_CERT_SOURCE", "Elsewhere"),
        ] {
            let error = settings(&[("KARGO_NAMESPACE", "kargo"), (variable, value)]).unwrap_err();
            assert!(error.starts_with(&format!("{variable}: ")), "{error}");
        }
    }
}
