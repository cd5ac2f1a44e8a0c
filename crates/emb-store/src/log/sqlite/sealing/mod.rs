//! Which keys the bodies in the file need, and how all of them come under the first key.

mod keyring;
mod rewrite;
mod scrub;
#[cfg(test)]
mod tests;

use rusqlite::{Connection, Result};

pub use keyring::{KeyError, KeyId, Keyring};
pub(super) use keyring::{Place, key_of};
pub(super) use rewrite::Rewrite;
pub(super) use scrub::scrub_if_due;

use super::{failure::open_error, schema};
use crate::OpenError;

/// The keys that bodies in the file may be sealed with.
const NEEDED: &str = "key_ids";
/// The key that all bodies are sealed with, once they are.
const COMPLETE: &str = "sealed_with";

/// Refuses a store that needs a key which is not here; says what is to be rewritten.
pub(super) fn begin(
    connection: &Connection,
    keyring: Option<&Keyring>,
) -> Result<Option<Rewrite>, OpenError> {
    let failed = |error: rusqlite::Error| open_error(&error);
    let mut needed = needed(connection).map_err(failed)?;
    let has = |id: &KeyId| keyring.is_some_and(|keyring| keyring.has(*id));
    if let Some(missing) = needed.iter().find(|id| !has(id)) {
        return Err(OpenError::MissingKey { key: missing.to_string() });
    }
    let Some(keyring) = keyring else { return Ok(None) };
    let complete: Option<String> = schema::get_meta(connection, COMPLETE).map_err(failed)?;
    if complete.is_some_and(|id| id == keyring.first().to_string()) {
        return Ok(None);
    }
    // On the disk before the first body is sealed: whoever opens the file from now on needs the key.
    needed.push(keyring.first());
    set_needed(connection, &needed).map_err(failed)?;
    Rewrite::begin(connection, keyring).map_err(failed)
}

/// The keys that the bodies of the file need.
fn needed(connection: &Connection) -> Result<Vec<KeyId>> {
    let listed: Option<String> = schema::get_meta(connection, NEEDED)?;
    Ok(listed.unwrap_or_default().split(' ').filter_map(KeyId::parse).collect())
}

/// Records the keys that the bodies of the file need.
pub(super) fn set_needed(connection: &Connection, needed: &[KeyId]) -> Result<()> {
    let mut ids: Vec<String> = needed.iter().map(ToString::to_string).collect();
    ids.sort();
    ids.dedup();
    schema::set_meta(connection, NEEDED, ids.join(" "))
}

/// Takes over what another file says about the keys of bodies that are put into this one.
pub(super) fn admit(connection: &Connection, keys: &Needs) -> Result<()> {
    let known = Needs::read(connection)?;
    if known == *keys {
        return Ok(());
    }
    let mut needed = needed(connection)?;
    needed.extend(keys.listed.split(' ').filter_map(KeyId::parse));
    set_needed(connection, &needed)?;
    clear_complete(connection)
}

/// What a file says about the keys of its bodies.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Needs {
    /// The names of the keys.
    pub(super) listed: String,
    /// The one that all bodies are sealed with; empty when that is not known.
    pub(super) complete: String,
}

impl Needs {
    pub(super) fn read(connection: &Connection) -> Result<Self> {
        let text = |key| schema::get_meta::<String>(connection, key).map(Option::unwrap_or_default);
        Ok(Self { listed: text(NEEDED)?, complete: text(COMPLETE)? })
    }
}

/// Records that every body is sealed with `key`: no other is needed any more.
fn set_complete(connection: &Connection, key: KeyId) -> Result<()> {
    let transaction = connection.unchecked_transaction()?;
    set_needed(&transaction, &[key])?;
    schema::set_meta(&transaction, COMPLETE, key.to_string())?;
    transaction.commit()
}

/// Records that some bodies are not sealed with the first key.
fn clear_complete(connection: &Connection) -> Result<()> {
    connection.execute("DELETE FROM meta WHERE key = ?1", [COMPLETE]).map(drop)
}
