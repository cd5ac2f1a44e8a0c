//! Tokens that Kubernetes projects into files and renews there.

use std::{fs::File, io::Read, path::Path};

use core_rules::credential::Secret;

use super::ProviderError;

/// A projected token has one or two kilobytes.
const MAX_BYTES: u64 = 64 * 1024;

/// Reads the token now in the file that the variable `name` names. Read on each use, because it is
/// renewed; the file is in memory, so this does not wait.
pub(crate) fn read(name: &'static str, path: &Path) -> Result<Secret, ProviderError> {
    let failed = |error: std::io::Error| ProviderError::value(name, error.kind().to_string());
    let mut token = String::new();
    let file = File::open(path).map_err(failed)?;
    file.take(MAX_BYTES).read_to_string(&mut token).map_err(failed)?;
    match token.trim() {
        "" => Err(ProviderError::value(name, "the file is empty")),
        token => Ok(Secret::new(token)),
    }
}
