//! The identity provider.

use std::path::PathBuf;

use core_clock::{SettingError, Variables};

/// What is always asked for.
const SCOPES: [&str; 3] = ["openid", "profile", "email"];

/// Who logs people in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OidcSettings {
    /// The issuer of their tokens.
    pub issuer_url: String,
    /// The client of the web interface.
    pub client_id: String,
    /// The client of the command line, where it has one of its own.
    pub cli_client_id: Option<String>,
    /// What clients ask the provider for.
    pub scopes: Vec<String>,
    /// The claim that names a person.
    pub username_claim: String,
    /// Namespaces whose ServiceAccounts count for everything.
    pub global_namespaces: Vec<String>,
    /// The provider that comes with the installation, where it is used.
    pub dex: Option<DexSettings>,
}

/// Dex, which is reached inside the cluster by another address than from outside.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DexSettings {
    /// Its address inside the cluster.
    pub address: String,
    /// Whom its certificate must be from, beside the authorities of the machine.
    pub authority: Option<PathBuf>,
}

impl OidcSettings {
    pub(super) fn from_variables(variables: Variables<'_>) -> Result<Option<Self>, SettingError> {
        if !variables.flag("OIDC_ENABLED", false)? {
            return Ok(None);
        }
        let scopes = SCOPES.map(str::to_owned).into_iter();
        let globals = variables.text_or("GLOBAL_SERVICE_ACCOUNT_NAMESPACES", "");
        Ok(Some(Self {
            issuer_url: variables.required("OIDC_ISSUER_URL", "the URL of the issuer")?,
            client_id: variables.required("OIDC_CLIENT_ID", "the id of the web client")?,
            cli_client_id: variables.text("OIDC_CLI_CLIENT_ID"),
            scopes: scopes.chain(variables.list("OIDC_ADDITIONAL_SCOPES")).collect(),
            username_claim: variables.text_or("OIDC_USERNAME_CLAIM", "email"),
            global_namespaces: globals
                .split(',')
                .filter(|namespace| !namespace.is_empty())
                .map(str::to_owned)
                .collect(),
            dex: dex(variables)?,
        }))
    }

    /// The clients whose tokens are taken.
    pub(crate) fn audiences(&self) -> impl Iterator<Item = &str> {
        [self.client_id.as_str()].into_iter().chain(self.cli_client_id.as_deref())
    }
}

fn dex(variables: Variables<'_>) -> Result<Option<DexSettings>, SettingError> {
    if !variables.flag("DEX_ENABLED", false)? {
        return Ok(None);
    }
    Ok(Some(DexSettings {
        address: variables.required("DEX_SERVER_ADDRESS", "the URL of Dex inside the cluster")?,
        authority: variables.path("DEX_CA_CERT_PATH"),
    }))
}
