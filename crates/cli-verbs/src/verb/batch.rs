//! Objects in files, many at a time: what `apply`, `create` and `delete` have in common.

use cli_client::{BatchResult, Client, Effect, Error, Outcome};

use crate::{
    env::Env,
    exit::{CliResult, Context as _, Failure},
    manifest::ManifestArgs,
    output::PrintArgs,
    session::ConnectionArgs,
};

/// Files with objects, and how the result is shown
#[derive(clap::Args, Debug)]
pub(super) struct BatchArgs {
    #[command(flatten)]
    files: ManifestArgs,
    /// Only say what would be done: the server checks everything and keeps nothing
    #[arg(long)]
    dry_run: bool,
    #[command(flatten)]
    print: PrintArgs,
    #[command(flatten)]
    connection: ConnectionArgs,
}

impl BatchArgs {
    /// Sends the objects of the files and shows what became of them.
    pub(super) async fn send(
        &self,
        env: &Env,
        action: &str,
        send: impl AsyncFnOnce(&Client, String, Effect) -> Result<BatchResult, Error>,
    ) -> CliResult {
        let manifests = self.files.read(env).await?;
        let session = env.session(&self.connection).await?;
        let effect = if self.dry_run { Effect::DryRun } else { Effect::Real };
        if self.dry_run {
            session.check_dry_runs().await?;
        }
        let result = send(&session.client, manifests, effect).await.context(action)?;
        show(env, &self.print, effect, result)
    }
}

/// What was done, new objects before changed ones as scripts expect it, then all that was not done.
pub(super) fn show(
    env: &Env,
    print: &PrintArgs,
    effect: Effect,
    mut result: BatchResult,
) -> CliResult {
    let note = if effect == Effect::DryRun { " (server dry run)" } else { "" };
    result.done.sort_by_key(|(outcome, _)| *outcome == Outcome::Updated);
    for (outcome, object) in &result.done {
        let operation = match outcome {
            Outcome::Created => "created",
            Outcome::Updated => "configured",
            Outcome::Deleted => "deleted",
        };
        env.show_done(print, object, &format!("{operation}{note}"))?;
    }
    Failure::joined(result.errors.iter().map(Failure::error).collect())
}
