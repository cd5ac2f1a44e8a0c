//! Settings, by the names that the chart gives them.

use std::path::PathBuf;

use core_clock::{Environment, SettingError, Variables};
use core_rules::admission::{Identities, warehouse::CacheByTagPolicy};

const DEFAULT_PORT: u16 = 9443;
const DEFAULT_CERTIFICATES: &str = "/tmp/k8s-webhook-server/serving-certs";
const DEFAULT_ARGOCD_NAMESPACE: &str = "argocd";

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
        let variables = Variables::new(environment);
        let namespace =
            variables.required("KARGO_NAMESPACE", "the namespace of the installation")?;
        let defaults = Self::new(namespace);
        Ok(Self {
            identities: identities(variables)?,
            cache_by_tag_policy: CacheByTagPolicy::from_variables(variables)?,
            argocd_namespace: variables.text_or("ARGOCD_NAMESPACE", &defaults.argocd_namespace),
            restrict_controllers_to_shard: variables
                .flag("RESTRICT_CONTROLLERS_TO_SHARD", defaults.restrict_controllers_to_shard)?,
            port: variables.count("WEBHOOK_SERVER_PORT", 1..=u16::MAX, defaults.port)?,
            certificate: certificate(variables)?,
            hosts: variables.list("WEBHOOK_HOSTS"),
            namespace: defaults.namespace,
        })
    }
}

fn identities(variables: Variables<'_>) -> Result<Identities, SettingError> {
    const PATTERN: &str = "CONTROLPLANE_USER_REGEX";
    let text = |variable| variables.text(variable).unwrap_or_default();
    let (pattern, management, receivers) = (
        text(PATTERN),
        text("MANAGEMENT_CONTROLLER_USERNAME"),
        text("EXTERNAL_WEBHOOKS_SERVER_USERNAME"),
    );
    Identities::new(&pattern, &management, &receivers)
        .map_err(|_| SettingError::refused(PATTERN, &pattern, "a regular expression"))
}

fn certificate(variables: Variables<'_>) -> Result<Certificate, SettingError> {
    let is_own =
        variables.choice("WEBHOOK_CERT_SOURCE", &[("Files", false), ("Own", true)], false)?;
    Ok(if is_own {
        Certificate::Own
    } else {
        Certificate::Files(variables.text_or("WEBHOOK_CERT_DIR", DEFAULT_CERTIFICATES).into())
    })
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
        let lines = [
            ("KARGO_NAMESPACE", ""),
            ("CONTROLPLANE_USER_REGEX", "("),
            ("CACHE_BY_TAG_POLICY", "Sometimes"),
            ("WEBHOOK_SERVER_PORT", "99999"),
            ("WEBHOOK_SERVER_PORT", "0"),
            ("RESTRICT_CONTROLLERS_TO_SHARD", "perhaps"),
            ("WEBHOOK_CERT_SOURCE", "Elsewhere"),
        ]
        .map(|variable| settings(&[("KARGO_NAMESPACE", "kargo"), variable]).unwrap_err());
        insta::assert_snapshot!(lines.join("\n"), @r#"
        KARGO_NAMESPACE: must be set to the namespace of the installation
        CONTROLPLANE_USER_REGEX: "(" is not a regular expression
        CACHE_BY_TAG_POLICY: "Sometimes" is not Forbid, Allow, Require or Force
        WEBHOOK_SERVER_PORT: "99999" is not a number from 1 to 65535
        WEBHOOK_SERVER_PORT: "0" is not a number from 1 to 65535
        RESTRICT_CONTROLLERS_TO_SHARD: "perhaps" is not true or false
        WEBHOOK_CERT_SOURCE: "Elsewhere" is not one of Files, Own
        "#);
    }
}
