//! What a server says about itself, and the login of its admin.

use serde::Deserialize;
use serde_json::Value;

use crate::{BearerToken, Client, Error, Route};

/// What everybody may know.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct PublicConfig {
    /// Whether there is an admin account.
    pub admin_account_enabled: bool,
    /// The identity provider, if there is one.
    pub oidc_config: Option<OidcConfig>,
    /// Whether nobody has to log in.
    pub skip_auth: bool,
}

/// How users log in with an identity provider.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct OidcConfig {
    /// Where the provider is.
    pub issuer_url: String,
    /// The client of the dashboard.
    pub client_id: String,
    /// The client of the command line, if it has one of its own.
    pub cli_client_id: String,
    /// What to ask for.
    pub scopes: Vec<String>,
}

/// What users who logged in may know.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ServerConfig {
    /// Whether credentials can be written.
    pub secret_management_enabled: bool,
    /// Where objects of the installation are.
    pub system_resources_namespace: String,
    /// Where objects are that all Projects share.
    pub shared_resources_namespace: String,
    /// Where the installation is.
    pub kargo_namespace: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct LoginAnswer {
    id_token: String,
}

impl OidcConfig {
    /// The client that the command line is.
    pub fn command_line_client(&self) -> &str {
        if self.cli_client_id.is_empty() { &self.client_id } else { &self.cli_client_id }
    }
}

impl Client {
    /// What everybody may know.
    pub async fn public_config(&self) -> Result<PublicConfig, Error> {
        self.get(&Route::of(&["system", "public-server-config"])).await
    }

    /// What users who logged in may know.
    pub async fn server_config(&self) -> Result<ServerConfig, Error> {
        self.get(&Route::of(&["system", "server-config"])).await
    }

    /// The version of the server.
    pub async fn server_version(&self) -> Result<Value, Error> {
        self.get(&Route::of(&["system", "server-version"])).await
    }

    /// Which controllers are alive.
    pub async fn controller_heartbeats(&self) -> Result<Value, Error> {
        self.get(&Route::of(&["system", "controller-heartbeats"])).await
    }

    /// A token for the admin account.
    pub async fn login_as_admin(&self, password: &str) -> Result<BearerToken, Error> {
        let answer: LoginAnswer = self.with_password(&Route::of(&["login"]), password).await?;
        Ok(BearerToken::new(answer.id_token))
    }
}
