//! Who commits, as the environment has it: the same for controllers and for `kargo run`.

use std::path::Path;

use core_clock::{Environment, Variables};
use core_rules::credential::Secret;
use work_steps::GitIdentity;

use crate::exit::Failure;

const SIGNING_KEY: &str = "GITCLIENT_SIGNING_KEY_PATH";

/// Reads `GITCLIENT_NAME`, `GITCLIENT_EMAIL` and the file of `GITCLIENT_SIGNING_KEY_PATH`.
pub(crate) fn from_environment(environment: &dyn Environment) -> Result<GitIdentity, Failure> {
    let variables = Variables::new(environment);
    let signing_key = variables.path(SIGNING_KEY).map(|path| read_key(&path)).transpose()?;
    Ok(GitIdentity {
        name: variables.text_or("GITCLIENT_NAME", "Kargo"),
        email: variables.text_or("GITCLIENT_EMAIL", "no-reply@kargo.io"),
        signing_key,
    })
}

fn read_key(path: &Path) -> Result<Secret, Failure> {
    let text = std::fs::read_to_string(path).map_err(|error| {
        Failure::usage(format!("{SIGNING_KEY}: cannot read {}: {error}", path.display()))
    })?;
    Ok(Secret::new(text))
}
