//! `kargo apply`: creates objects, or replaces those that exist; or has the server merge them.

use cli_client::Effect;

use super::{
    batch::{Action, BatchArgs},
    manager_args::ManagerArgs,
};
use crate::{
    env::Env,
    exit::{CliResult, Failure},
    session::Session,
};

/// Create objects or replace them, from files
#[derive(clap::Args, Debug)]
pub struct ApplyArgs {
    #[command(flatten)]
    batch: BatchArgs,
    #[command(flatten)]
    manager: ManagerArgs,
}

pub(super) async fn apply(env: &Env, args: &ApplyArgs) -> CliResult {
    let manager = args.manager.resolve()?;
    let word = manager.as_ref().map(|_| "serverside-applied");
    let action = Action { name: "apply resources", word, guess: "applied" };
    let send = async |session: &Session, manifests, effect| {
        // Who knows dry runs merges too.
        if manager.is_some() && effect == Effect::Real {
            session.check_merges().await?;
        }
        let applied = session.client.apply_resources(manifests, manager.as_ref(), effect).await;
        applied.map_err(Failure::from)
    };
    args.batch.send(env, &action, send).await
}
