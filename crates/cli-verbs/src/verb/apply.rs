//! `kargo apply`: creates objects, or replaces those that exist.

use cli_client::{BatchResult, Outcome};

use crate::{
    env::Env,
    exit::{CliResult, Context as _, Failure},
    manifest::ManifestArgs,
    output::PrintArgs,
    session::ConnectionArgs,
};

/// Create objects or replace them, from files
#[derive(clap::Args, Debug)]
pub struct ApplyArgs {
    #[command(flatten)]
    files: ManifestArgs,
    #[command(flatten)]
    print: PrintArgs,
    #[command(flatten)]
    pub(super) connection: ConnectionArgs,
}

/// Created objects are told before changed ones, as scripts expect.
pub(super) async fn apply(env: &Env, args: &ApplyArgs) -> CliResult {
    let manifests = args.files.read(env).await?;
    let session = env.session(&args.connection).await?;
    let mut result = session.client.apply_resources(manifests).await.context("apply resources")?;
    result.done.sort_by_key(|(outcome, _)| *outcome == Outcome::Updated);
    show_batch(env, &args.print, &result)
}

/// What became of a batch: what was done, then all that was not.
pub(super) fn show_batch(env: &Env, print: &PrintArgs, result: &BatchResult) -> CliResult {
    for (outcome, object) in &result.done {
        let operation = match outcome {
            Outcome::Created => "created",
            Outcome::Updated => "configured",
            Outcome::Deleted => "deleted",
        };
        env.show_done(print, object, operation)?;
    }
    Failure::joined(result.errors.iter().map(Failure::error).collect())
}
