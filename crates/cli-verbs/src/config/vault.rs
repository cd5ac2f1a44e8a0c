//! Tokens in the keyring of the system. The file then only says that they are there.

use base64::{Engine as _, prelude::BASE64_STANDARD_NO_PAD};
use serde::{Deserialize, Serialize};

use super::{Config, Connection};
use crate::ports::Keyring;

/// Where the tokens of a connection are, if not in the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum TokenStore {
    Keyring,
}

/// What the keyring keeps for one connection.
#[derive(Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Tokens {
    bearer_token: String,
    refresh_token: String,
}

/// Moves the tokens of a configuration that is about to be written to the keyring. Those that it does not take stay.
pub(super) fn put_away(config: &mut Config, keyring: &dyn Keyring) {
    for (name, connection) in config.connections_mut() {
        if connection.bearer_token.is_empty() {
            // What could not be had from the keyring is still there.
            continue;
        }
        let is_kept = keyring.set(&account(name), &sealed(connection)).is_ok();
        connection.token_store = is_kept.then_some(TokenStore::Keyring);
        if is_kept {
            connection.bearer_token.clear();
            connection.refresh_token.clear();
        }
    }
}

/// Puts the tokens of the keyring into a configuration that was read. Without them the user is not logged in.
pub(super) fn bring_back(config: &mut Config, keyring: &dyn Keyring) {
    for (name, connection) in config.connections_mut() {
        if connection.token_store.is_none() {
            continue;
        }
        let secret = keyring.get(&account(name)).ok().flatten();
        let tokens = secret.and_then(|secret| opened(&secret)).unwrap_or_default();
        connection.bearer_token = tokens.bearer_token;
        connection.refresh_token = tokens.refresh_token;
    }
}

/// Takes everything out of the keyring that a configuration has there.
pub(super) fn forget(config: &mut Config, keyring: &dyn Keyring) {
    for (name, connection) in config.connections_mut() {
        if connection.token_store.is_some() {
            // What is not there any more is forgotten, too.
            let _ = keyring.delete(&account(name));
        }
    }
}

fn account(context: &str) -> String {
    format!("context/{context}")
}

/// In letters that need no quoting anywhere.
fn sealed(connection: &Connection) -> String {
    let tokens = Tokens {
        bearer_token: connection.bearer_token.clone(),
        refresh_token: connection.refresh_token.clone(),
    };
    BASE64_STANDARD_NO_PAD.encode(serde_json::to_vec(&tokens).unwrap_or_default())
}

fn opened(secret: &str) -> Option<Tokens> {
    let bytes = BASE64_STANDARD_NO_PAD.decode(secret.trim()).ok()?;
    serde_json::from_slice(&bytes).ok()
}
