//! `--wait`: follows Promotions to their end.

use std::time::Duration;

use cli_client::{Change, Event, Object};
use futures::future::join_all;

use super::progress::Progress;
use crate::{
    env::Env,
    exit::{CliResult, Context as _, Exit, Failure},
    output::PrintArgs,
    session::Session,
};

/// How long to wait
#[derive(clap::Args, Clone, Copy, Debug, Default)]
pub(crate) struct TimeoutArg {
    /// How long to wait at most, such as 90s or 10m; without it, as long as it takes
    #[arg(long, value_name = "DURATION", value_parser = duration)]
    timeout: Option<Duration>,
}

/// Whether to wait for the end
#[derive(clap::Args, Clone, Copy, Debug, Default)]
pub(crate) struct WaitArgs {
    /// Wait until the Promotion ended, and fail if it did not end well
    #[arg(long)]
    wait: bool,
    #[command(flatten)]
    timeout: TimeoutArg,
}

/// What is done with what was created.
pub(in crate::verb) struct Outcome<'a> {
    pub(in crate::verb) session: &'a Session,
    pub(in crate::verb) project: &'a str,
    pub(in crate::verb) print: &'a PrintArgs,
}

impl Outcome<'_> {
    /// Shows what was created, and waits for it where that is wanted. A document is shown of how it ended, a name at once.
    pub(in crate::verb) async fn show(
        &self,
        env: &Env,
        created: Vec<Object>,
        wait: WaitArgs,
    ) -> CliResult<Vec<Failure>> {
        let shows_end = wait.wait && self.print.format()?.is_some();
        if !shows_end {
            created.iter().try_for_each(|object| self.show_one(env, object))?;
        }
        let mut failures = Vec::new();
        if wait.wait {
            for (object, result) in self.follow(env, created, wait.timeout.limit()).await {
                if shows_end {
                    self.show_one(env, &object)?;
                }
                failures.extend(result.err());
            }
        }
        Ok(failures)
    }

    fn show_one(&self, env: &Env, object: &Object) -> CliResult {
        let operation = match object.kind() {
            "PromotionRequest" => "promotion request created",
            _ => "promotion created",
        };
        env.show_done(self.print, object, operation)
    }

    /// Follows all of them at once; each comes back as it was last seen, with how it ended.
    async fn follow(
        &self,
        env: &Env,
        created: Vec<Object>,
        limit: Option<Duration>,
    ) -> Vec<(Object, CliResult)> {
        let is_alone = created.len() == 1;
        let each = created.into_iter().map(|object| async move {
            if object.kind() != "Promotion" {
                let name = object.name();
                let note = format!("{name} is not waited for: it makes Promotions of its own");
                let said = env.say(&note);
                return (object, said);
            }
            let name = object.name().to_owned();
            let mut last = object;
            let ended = self.to_its_end(env, &mut last, is_alone);
            let result = match env.within(limit, Box::pin(ended)).await {
                Some(result) => result,
                None => Err(timed_out().context(format!("promotion {name}"))),
            };
            (last, result)
        });
        join_all(each).await
    }

    async fn to_its_end(&self, env: &Env, last: &mut Object, is_alone: bool) -> CliResult {
        let name = last.name().to_owned();
        let action = format!("watch promotion {name}");
        let mut progress = Progress::new(&*env.terminal, &name, is_alone);
        let promotions = self.session.client.promotions(self.project);
        let mut watch = promotions.watch(&name).await.context(&action)?;
        loop {
            let Event::Object(change, object) = watch.next().await.context(&action)? else {
                continue;
            };
            if change == Change::Deleted {
                progress.end(&*env.streams)?;
                return Err(Failure::new(Exit::NotFound, format!("promotion {name} was deleted")));
            }
            progress.show(&*env.streams, &object)?;
            *last = object;
            if let Some(result) = ending(last) {
                progress.end(&*env.streams)?;
                return result;
            }
        }
    }
}

impl TimeoutArg {
    pub(crate) fn limit(self) -> Option<Duration> {
        self.timeout
    }
}

fn duration(text: &str) -> Result<Duration, String> {
    let parsed: api_kinds::duration::Duration =
        text.parse().map_err(|_| "a duration such as 90s or 10m is needed".to_owned())?;
    Duration::try_from(parsed).map_err(|_| "a duration cannot be below zero".to_owned())
}

pub(crate) fn timed_out() -> Failure {
    Failure::new(Exit::TimedOut, "timed out waiting")
}

/// How a Promotion ended, if it did.
fn ending(promotion: &Object) -> Option<CliResult> {
    let phase = promotion.text("/status/phase");
    match phase {
        "Succeeded" => Some(Ok(())),
        "Failed" | "Errored" | "Aborted" => {
            let mut message = format!("promotion {} ended: {phase}", promotion.name());
            let reason = promotion.text("/status/message");
            if !reason.is_empty() {
                message = format!("{message}: {reason}");
            }
            Some(Err(Failure::new(Exit::PromotionFailed, message)))
        }
        _ => None,
    }
}
