//! Objects in files, many at a time: what `apply`, `create` and `delete` have in common.

use cli_client::{BatchResult, Effect, Object, Outcome};
use serde_json::Value;

use crate::{
    env::Env,
    exit::{CliResult, Context as _, Failure},
    manifest::{self, ManifestArgs},
    output::{PrintArgs, full_name},
    session::{ConnectionArgs, Session},
};

/// Files with objects, and how the result is shown
#[derive(clap::Args, Debug)]
pub(super) struct BatchArgs {
    #[command(flatten)]
    files: ManifestArgs,
    /// Only say what would be done: the server checks everything and keeps nothing; =client does not ask it
    #[arg(
        long,
        value_name = "WHO",
        value_enum,
        default_value = "none",
        default_missing_value = "server",
        num_args = 0..=1,
        require_equals = true
    )]
    dry_run: DryRun,
    #[command(flatten)]
    print: PrintArgs,
    #[command(flatten)]
    connection: ConnectionArgs,
}

/// Who finds out what would be done.
#[derive(clap::ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
enum DryRun {
    /// Nobody: it is done
    None,
    /// The files are read, and nobody is asked
    Client,
    /// The server checks everything, and keeps nothing
    Server,
}

/// What is done with the objects.
pub(super) struct Action {
    /// What was being done when it failed.
    pub(super) name: &'static str,
    /// What is said of every object that something was done with, whatever it was.
    pub(super) word: Option<&'static str>,
    /// What is said where nobody was asked.
    pub(super) guess: &'static str,
}

impl BatchArgs {
    /// Sends the objects of the files and shows what became of them.
    pub(super) async fn send(
        &self,
        env: &Env,
        action: &Action,
        send: impl AsyncFnOnce(&Session, String, Effect) -> CliResult<BatchResult>,
    ) -> CliResult {
        if self.dry_run == DryRun::Client {
            for object in self.files.objects(env).await? {
                let operation = format!("{} (dry run)", action.guess);
                env.show_done(&self.print, &Object::new(object), &operation)?;
            }
            return Ok(());
        }
        let objects = self.files.objects(env).await?;
        let manifests = manifest::stream(&objects)?;
        let session = env.session(&self.connection).await?;
        let effect = match self.dry_run {
            DryRun::Server => Effect::DryRun,
            _ => Effect::Real,
        };
        if effect == Effect::DryRun {
            session.check_dry_runs().await?;
        }
        let result = send(&session, manifests, effect).await;
        let result = result.map_err(|failure| about(&objects, failure)).context(action.name)?;
        show(env, &self.print, effect, action.word, result)
    }
}

/// A failure that says which object it is about: the server does not where there is only one.
pub(super) fn about(objects: &[Value], failure: Failure) -> Failure {
    let [only] = objects else { return failure };
    let object = Object::new(only.clone());
    if object.name().is_empty() || failure.message.contains(&format!("{:?}", object.name())) {
        return failure;
    }
    failure.context(full_name(&object))
}

/// What was done, new objects before changed ones as scripts expect it, then all that was not done.
pub(super) fn show(
    env: &Env,
    print: &PrintArgs,
    effect: Effect,
    word: Option<&str>,
    mut result: BatchResult,
) -> CliResult {
    let note = if effect == Effect::DryRun { " (server dry run)" } else { "" };
    result.done.sort_by_key(|(outcome, _)| *outcome == Outcome::Updated);
    for (outcome, object) in &result.done {
        let operation = word.unwrap_or(match outcome {
            Outcome::Created => "created",
            Outcome::Updated => "configured",
            Outcome::Deleted => "deleted",
        });
        env.show_done(print, object, &format!("{operation}{note}"))?;
    }
    Failure::joined(result.errors.iter().map(Failure::error).collect())
}
