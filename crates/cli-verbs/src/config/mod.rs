//! What the command line remembers between calls.
//!
//! The file is the reference's: one server, flat. Beside it, in the same file, there may be named contexts, each with the
//! same fields; the flat one is the context without a name. A file without contexts stays one that the reference reads. Who
//! has logged in nowhere gets the server that runs on the same machine, if one does.

pub(crate) mod local;
mod store;
mod vault;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

pub(crate) use store::Store;
use vault::TokenStore;

use crate::exit::{CliResult, Failure};

/// What stands for a secret where it is not shown.
pub(crate) const REDACTED: &str = "*** REDACTED ***";

/// How a user proves who they are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum AuthMethod {
    Admin,
    Kubeconfig,
    Sso,
}

/// One server, and who the user is there.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct Connection {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) auth_method: Option<AuthMethod>,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(crate) api_address: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(crate) bearer_token: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(crate) refresh_token: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    token_store: Option<TokenStore>,
    #[serde(rename = "insecureSkipTLSVerify", skip_serializing_if = "std::ops::Not::not")]
    pub(crate) insecure_skip_tls_verify: bool,
    #[serde(skip_serializing_if = "is_zero")]
    pub(crate) callback_port: u16,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(crate) project: String,
}

/// The whole file.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct Config {
    #[serde(flatten)]
    flat: Connection,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(crate) current_context: String,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub(crate) contexts: BTreeMap<String, Connection>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes references")]
fn is_zero(port: &u16) -> bool {
    *port == 0
}

impl Config {
    /// The context that is meant: the one that was asked for, else the current one. Empty is the flat one.
    pub(crate) fn context_name<'a>(&'a self, asked: Option<&'a str>) -> &'a str {
        asked.unwrap_or(&self.current_context)
    }

    /// The connection of a context.
    pub(crate) fn connection(&self, name: &str) -> CliResult<&Connection> {
        if name.is_empty() {
            return Ok(&self.flat);
        }
        self.contexts.get(name).ok_or_else(|| {
            Failure::usage(format!("there is no context {name:?}"))
                .hint("list them with `kargo config get-contexts`, or make one with `kargo login --context NAME`")
        })
    }

    /// All connections, by the names of their contexts.
    fn connections_mut(&mut self) -> impl Iterator<Item = (&str, &mut Connection)> {
        let named = self.contexts.iter_mut().map(|(name, connection)| (name.as_str(), connection));
        std::iter::once(("", &mut self.flat)).chain(named)
    }

    /// The connection of a context to change; a new one where there is none.
    pub(crate) fn connection_mut(&mut self, name: &str) -> &mut Connection {
        if name.is_empty() {
            return &mut self.flat;
        }
        self.contexts.entry(name.to_owned()).or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FLAT: &str = "authMethod: sso\napiAddress: https://kargo.example.com\n\
        bearerToken: t\nrefreshToken: r\ninsecureSkipTLSVerify: true\ncallbackPort: 8085\nproject: p\n";

    #[test]
    fn the_flat_file_of_the_reference_is_read_and_written() {
        let config: Config = serde_saphyr::from_str(FLAT).unwrap();
        let connection = config.connection("").unwrap();
        assert_eq!(connection.auth_method, Some(AuthMethod::Sso));
        assert!(connection.insecure_skip_tls_verify);
        assert_eq!((connection.callback_port, connection.project.as_str()), (8085, "p"));
        assert_eq!(serde_saphyr::to_string(&config).unwrap(), FLAT);
    }

    #[test]
    fn a_context_is_asked_for_or_current_or_nameless() {
        let text =
            "apiAddress: https://a\ncurrentContext: b\ncontexts:\n  b: {apiAddress: https://b}\n";
        let config: Config = serde_saphyr::from_str(text).unwrap();
        let address =
            |asked| config.connection(config.context_name(asked)).map(|c| &*c.api_address);
        assert_eq!(address(None).unwrap(), "https://b");
        assert_eq!(address(Some("")).unwrap(), "https://a");
        assert_eq!(address(Some("c")).unwrap_err().message, "there is no context \"c\"");
    }
}
