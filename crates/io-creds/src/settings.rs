//! What credential lookup is told by its environment.
//!
//! The variables of the clouds are those their own tools read; they are set in the Pod by the
//! cloud's admission webhooks, not by hand.

use std::{fmt, path::PathBuf};

use core_clock::{Environment, SettingError, Variables};
use core_rules::credential::Secret;

/// Where the agent of ECS is.
pub(crate) const ECS_AGENT: &str = "http://169.254.170.2";

/// Settings of credential lookup.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Where Secrets for all Projects are (`SHARED_RESOURCES_NAMESPACE`); `None`: nowhere.
    pub shared_namespace: Option<String>,
    /// Whether credentials may be sent unencrypted (`ALLOW_CREDENTIALS_OVER_HTTP`).
    pub allow_over_http: bool,
    /// Whether anything is looked up at all (`CREDENTIAL_PROVIDERS_ENABLED`).
    pub providers_enabled: bool,
    /// Whether Secrets of the local cluster count when the control plane is another one and has
    /// none (`LOCAL_CLUSTER_CREDS_FALLBACK`).
    pub local_cluster_fallback: bool,
    /// The shard of this controller (`SHARD_NAME`), which shows in the audit logs of AWS.
    pub shard: Option<String>,
    /// AWS as this process sees it.
    pub aws: Aws,
    /// Google Cloud as this process sees it.
    pub google: Google,
    /// The identity that Azure gave this process.
    pub azure: Option<Azure>,
    /// Where tokens for a registry of Azure are exchanged, when not at the registry.
    pub acr_endpoint: Option<String>,
}

/// AWS as this process sees it.
#[derive(Clone, Debug, Default)]
pub struct Aws {
    /// The region we run in (`AWS_REGION`, `AWS_DEFAULT_REGION`).
    pub region: Option<String>,
    /// Who we are.
    pub identity: Option<AwsIdentity>,
    /// Where ECR is, when not where AWS has it (`AWS_ENDPOINT_URL_ECR`, `AWS_ENDPOINT_URL`).
    pub ecr_endpoint: Option<String>,
    /// Where STS is, when not where AWS has it (`AWS_ENDPOINT_URL_STS`, `AWS_ENDPOINT_URL`).
    pub sts_endpoint: Option<String>,
}

/// How AWS gives this process its identity.
#[derive(Clone, Debug)]
pub enum AwsIdentity {
    /// A token of our ServiceAccount stands for a role (IRSA).
    WebIdentity {
        /// `AWS_ROLE_ARN`.
        role_arn: String,
        /// `AWS_WEB_IDENTITY_TOKEN_FILE`.
        token_file: PathBuf,
    },
    /// An agent on the node hands out keys (EKS Pod Identity, ECS).
    Agent {
        /// `AWS_CONTAINER_CREDENTIALS_FULL_URI`, or that of ECS.
        uri: String,
        /// What the agent wants to see.
        token: AgentToken,
    },
}

/// What the agent on the node wants to see.
#[derive(Clone, Debug)]
pub enum AgentToken {
    /// The content of a file (`AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE`).
    File(PathBuf),
    /// A text (`AWS_CONTAINER_AUTHORIZATION_TOKEN`).
    Text(Secret),
    /// Nothing.
    None,
}

/// Google Cloud as this process sees it.
#[derive(Clone, Debug)]
pub struct Google {
    /// Host and port of the metadata server (`GCE_METADATA_HOST`).
    pub metadata_host: String,
    /// Where service accounts are impersonated.
    pub iam_endpoint: String,
}

impl Default for Google {
    fn default() -> Self {
        Self {
            // The number: a name would be looked up, slowly and in vain, outside Google Cloud.
            metadata_host: "169.254.169.254".into(),
            iam_endpoint: "https://iamcredentials.googleapis.com".into(),
        }
    }
}

/// The identity that Azure gave this process (workload identity).
#[derive(Clone)]
pub struct Azure {
    /// `AZURE_TENANT_ID`.
    pub tenant: String,
    /// `AZURE_CLIENT_ID`.
    pub client: String,
    /// `AZURE_FEDERATED_TOKEN_FILE`.
    pub token_file: PathBuf,
    /// `AZURE_AUTHORITY_HOST`.
    pub authority: String,
}

impl fmt::Debug for Azure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Azure").field("authority", &self.authority).finish_non_exhaustive()
    }
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            shared_namespace: None,
            allow_over_http: false,
            providers_enabled: true,
            local_cluster_fallback: false,
            shard: None,
            aws: Aws::default(),
            google: Google::default(),
            azure: None,
            acr_endpoint: None,
        }
    }
}

impl Settings {
    /// Reads the settings. Empty values count as absent.
    pub fn from_environment(environment: &dyn Environment) -> Result<Self, SettingError> {
        let variables = Variables::new(environment);
        Ok(Self {
            shared_namespace: variables.text("SHARED_RESOURCES_NAMESPACE"),
            allow_over_http: variables.flag("ALLOW_CREDENTIALS_OVER_HTTP", false)?,
            providers_enabled: variables.flag("CREDENTIAL_PROVIDERS_ENABLED", false)?,
            local_cluster_fallback: variables.flag("LOCAL_CLUSTER_CREDS_FALLBACK", false)?,
            shard: variables.text("SHARD_NAME"),
            aws: Aws::read(&variables),
            google: Google::read(&variables),
            azure: Azure::read(&variables),
            acr_endpoint: None,
        })
    }
}

impl Aws {
    pub(crate) fn read(variables: &Variables<'_>) -> Self {
        let either = |first, second| variables.text(first).or_else(|| variables.text(second));
        Self {
            region: either("AWS_REGION", "AWS_DEFAULT_REGION"),
            identity: AwsIdentity::read(variables),
            ecr_endpoint: either("AWS_ENDPOINT_URL_ECR", "AWS_ENDPOINT_URL"),
            sts_endpoint: either("AWS_ENDPOINT_URL_STS", "AWS_ENDPOINT_URL"),
        }
    }
}

impl AwsIdentity {
    /// The order is that of the tools of AWS.
    fn read(variables: &Variables<'_>) -> Option<Self> {
        let role_arn = variables.text("AWS_ROLE_ARN");
        let token_file = variables.path("AWS_WEB_IDENTITY_TOKEN_FILE");
        if let (Some(role_arn), Some(token_file)) = (role_arn, token_file) {
            return Some(Self::WebIdentity { role_arn, token_file });
        }
        let uri = variables.text("AWS_CONTAINER_CREDENTIALS_FULL_URI")?;
        Some(Self::Agent { uri, token: AgentToken::read(variables) })
    }

    /// The same with the agent of ECS, which comes before another one.
    pub(crate) fn of_process(variables: &Variables<'_>) -> Result<Option<Self>, SettingError> {
        let variable = "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI";
        match (Self::read(variables), variables.text(variable)) {
            (identity @ Some(Self::WebIdentity { .. }), _) | (identity, None) => Ok(identity),
            (_, Some(path)) if path.starts_with('/') => {
                let uri = format!("{ECS_AGENT}{path}");
                Ok(Some(Self::Agent { uri, token: AgentToken::read(variables) }))
            }
            (_, Some(path)) => {
                Err(SettingError::refused(variable, &path, "a path that begins with /"))
            }
        }
    }
}

impl AgentToken {
    fn read(variables: &Variables<'_>) -> Self {
        let file = variables.path("AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE");
        let text = variables.text("AWS_CONTAINER_AUTHORIZATION_TOKEN");
        match (file, text) {
            (Some(file), _) => Self::File(file),
            (None, Some(text)) => Self::Text(Secret::new(text)),
            (None, None) => Self::None,
        }
    }
}

impl Google {
    fn read(variables: &Variables<'_>) -> Self {
        let default = Self::default();
        let metadata_host = variables.text_or("GCE_METADATA_HOST", &default.metadata_host);
        Self { metadata_host, ..default }
    }
}

impl Azure {
    fn read(variables: &Variables<'_>) -> Option<Self> {
        Some(Self {
            tenant: variables.text("AZURE_TENANT_ID")?,
            client: variables.text("AZURE_CLIENT_ID")?,
            token_file: variables.path("AZURE_FEDERATED_TOKEN_FILE")?,
            authority: variables
                .text_or("AZURE_AUTHORITY_HOST", "https://login.microsoftonline.com/"),
        })
    }
}

#[cfg(test)]
mod tests {
    use core_clock::FixedEnvironment;

    use super::*;

    fn read(variables: &[(&str, &str)]) -> Settings {
        let environment: FixedEnvironment = variables.iter().copied().collect();
        Settings::from_environment(&environment).unwrap()
    }

    #[test]
    fn an_empty_environment_shares_nothing_and_enables_nothing() {
        let settings = read(&[("SHARED_RESOURCES_NAMESPACE", "")]);
        assert_eq!(settings.shared_namespace, None);
        assert!(!settings.allow_over_http);
        assert!(!settings.providers_enabled);
        assert!(!settings.local_cluster_fallback);
        assert!(settings.aws.identity.is_none() && settings.azure.is_none());
        assert_eq!(settings.google.metadata_host, "169.254.169.254");
    }

    #[test]
    fn flags_are_read_and_wrong_ones_are_named() {
        let settings = read(&[
            ("SHARED_RESOURCES_NAMESPACE", "shared"),
            ("ALLOW_CREDENTIALS_OVER_HTTP", "true"),
            ("CREDENTIAL_PROVIDERS_ENABLED", "1"),
            ("SHARD_NAME", "west"),
        ]);
        assert_eq!(settings.shared_namespace.as_deref(), Some("shared"));
        assert!(settings.allow_over_http && settings.providers_enabled);
        assert_eq!(settings.shard.as_deref(), Some("west"));
        let wrong: FixedEnvironment =
            [("ALLOW_CREDENTIALS_OVER_HTTP", "maybe")].into_iter().collect();
        let error = Settings::from_environment(&wrong).unwrap_err();
        assert!(error.to_string().starts_with("ALLOW_CREDENTIALS_OVER_HTTP: "), "{error}");
    }

    #[test]
    fn the_clouds_need_all_of_their_variables() {
        let agent = ("AWS_CONTAINER_CREDENTIALS_FULL_URI", "http://169.254.170.23/v1/credentials");
        let role = ("AWS_ROLE_ARN", "arn:aws:iam::1:role/r");
        let file = ("AWS_WEB_IDENTITY_TOKEN_FILE", "/t");
        let identity = |variables: &[_]| read(variables).aws.identity;
        assert!(matches!(
            identity(&[agent]),
            Some(AwsIdentity::Agent { token: AgentToken::None, .. })
        ));
        assert!(identity(&[role]).is_none());
        assert!(matches!(identity(&[agent, role]), Some(AwsIdentity::Agent { .. })));
        assert!(matches!(identity(&[agent, role, file]), Some(AwsIdentity::WebIdentity { .. })));
        let tenant = ("AZURE_TENANT_ID", "t");
        let client = ("AZURE_CLIENT_ID", "c");
        assert!(read(&[tenant, client]).azure.is_none());
        let azure = read(&[tenant, client, ("AZURE_FEDERATED_TOKEN_FILE", "/t")]).azure.unwrap();
        assert_eq!(azure.authority, "https://login.microsoftonline.com/");
    }

    #[test]
    fn the_agent_of_ecs_comes_before_another_and_after_a_web_identity() {
        let relative = ("AWS_CONTAINER_CREDENTIALS_RELATIVE_URI", "/v2/credentials/7");
        let full = ("AWS_CONTAINER_CREDENTIALS_FULL_URI", "http://localhost/creds");
        let role = ("AWS_ROLE_ARN", "arn:aws:iam::1:role/r");
        let file = ("AWS_WEB_IDENTITY_TOKEN_FILE", "/t");
        let of_process = |variables: &[(&str, &str)]| {
            let environment: FixedEnvironment = variables.iter().copied().collect();
            AwsIdentity::of_process(&Variables::new(&environment))
        };
        let uri = |variables: &[_]| match of_process(variables) {
            Ok(Some(AwsIdentity::Agent { uri, .. })) => uri,
            other => panic!("{other:?}"),
        };
        assert_eq!(uri(&[relative]), "http://169.254.170.2/v2/credentials/7");
        assert_eq!(uri(&[full, relative]), "http://169.254.170.2/v2/credentials/7");
        assert_eq!(uri(&[full]), "http://localhost/creds");
        assert!(matches!(
            of_process(&[full, relative, role, file]),
            Ok(Some(AwsIdentity::WebIdentity { .. }))
        ));
        assert!(matches!(of_process(&[]), Ok(None)));
        let elsewhere = ("AWS_CONTAINER_CREDENTIALS_RELATIVE_URI", "@elsewhere/");
        assert!(of_process(&[elsewhere]).is_err());
        // Registries are not entered by it.
        assert!(read(&[relative]).aws.identity.is_none());
    }

    #[test]
    fn settings_show_no_token() {
        let settings = read(&[
            ("AWS_CONTAINER_CREDENTIALS_FULL_URI", "http://localhost/"),
            ("AWS_CONTAINER_AUTHORIZATION_TOKEN", "hunter2"),
        ]);
        assert!(!format!("{settings:?}").contains("hunter2"));
    }
}
