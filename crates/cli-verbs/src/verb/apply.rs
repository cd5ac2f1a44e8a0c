//! `kargo apply`: creates objects, or replaces those that exist.

use cli_client::Client;

use super::batch::BatchArgs;
use crate::{env::Env, exit::CliResult};

/// Create objects or replace them, from files
#[derive(clap::Args, Debug)]
pub struct ApplyArgs {
    #[command(flatten)]
    batch: BatchArgs,
}

pub(super) async fn apply(env: &Env, args: &ApplyArgs) -> CliResult {
    let send =
        async |client: &Client, manifests, effect| client.apply_resources(manifests, effect).await;
    args.batch.send(env, "apply resources", send).await
}
