//! The server of this machine: `kargo up` leaves where it is, and a token of its admin, to the user it runs as.

use std::{fs::File, io::Read as _, path::PathBuf};

use cli_client::expiry;
use core_clock::{Environment, Time};

use super::Connection;

/// No such file is larger.
const MAX_BYTES: u64 = 64 * 1024;

/// The connection to the server of this machine, if one runs and its token has not ended. A file that cannot be read is
/// none: it belongs to a program, and who has no login is told how to get one.
pub(crate) fn connection(environment: &dyn Environment, now: Time) -> Option<Connection> {
    let mut text = String::new();
    File::open(path(environment)?).ok()?.take(MAX_BYTES).read_to_string(&mut text).ok()?;
    let connection: Connection = serde_saphyr::from_str(&text).ok()?;
    let is_over = expiry(&connection.bearer_token).is_some_and(|end| end <= now);
    (!is_over && !connection.api_address.is_empty()).then_some(connection)
}

/// `$XDG_STATE_HOME/kargo/up.yaml`, or `~/.local/state/kargo/up.yaml`.
pub(crate) fn path(environment: &dyn Environment) -> Option<PathBuf> {
    let variable = |name| environment.var(name).filter(|value| !value.is_empty());
    let folder = match variable("XDG_STATE_HOME") {
        Some(folder) => PathBuf::from(folder),
        None => PathBuf::from(variable("HOME")?).join(".local").join("state"),
    };
    Some(folder.join("kargo").join("up.yaml"))
}
