//! `kargo logout`: forgets servers and tokens. The server is not asked.

use crate::{env::Env, exit::CliResult};

pub(super) fn logout(env: &Env) -> CliResult {
    env.store()?.delete()
}
