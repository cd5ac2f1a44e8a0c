//! `kargo __complete`: the names that the word being typed may become, for the scripts of shells.
//!
//! Whoever presses a key waits for it, and cannot be told what went wrong: it answers soon or not at all.

mod typed;

use std::time::Duration;

use api_kinds::labels;
use clap::CommandFactory as _;
use cli_client::{Collection, Object};

use self::typed::{Typed, Wanted};
use crate::{Verbs, env::Env, exit::CliResult};

/// How long somebody waits for a key.
const PATIENCE: Duration = Duration::from_secs(1);

/// Print the names that a word may become
#[derive(clap::Args, Debug)]
pub struct CompleteArgs {
    /// Which of the words is being typed, counted from 0
    #[arg(value_name = "INDEX")]
    index: usize,
    /// The words of the command, from the name of the program on
    #[arg(value_name = "WORD", trailing_var_arg = true, allow_hyphen_values = true)]
    words: Vec<String>,
}

pub(super) async fn complete(env: &Env, args: &CompleteArgs) -> CliResult {
    let mut root = Verbs::command();
    root.build();
    let Some(typed) = Typed::read(&root, &args.words, args.index) else { return Ok(()) };
    let found = env.within(Some(PATIENCE), names(env, &typed)).await;
    let mut names = found.and_then(Result::ok).unwrap_or_default();
    names.retain(|name| name.starts_with(&typed.prefix) && is_harmless(name));
    names.sort_unstable();
    names.dedup();
    names.iter().try_for_each(|name| env.out_line(name))
}

async fn names(env: &Env, typed: &Typed) -> CliResult<Vec<String>> {
    let session = env.session(&typed.connection).await?;
    let client = &session.client;
    let name = |object: &Object| object.name().to_owned();
    let alias = |object: &Object| object.label(labels::ALIAS).to_owned();
    let project = match typed.wanted {
        Wanted::Projects => String::new(),
        _ => typed.project.resolve(env, &session)?,
    };
    match typed.wanted {
        Wanted::Projects => list(client.projects(), name).await,
        Wanted::Stages => list(client.stages(&project), name).await,
        Wanted::Warehouses => list(client.warehouses(&project), name).await,
        Wanted::Promotions => list(client.promotions(&project), name).await,
        Wanted::PromotionRequests => list(client.promotion_requests(&project), name).await,
        Wanted::Targets => list(client.targets(&project), name).await,
        Wanted::Freight => list(client.freight(&project), name).await,
        Wanted::Aliases => list(client.freight(&project), alias).await,
    }
}

async fn list(collection: Collection, name: impl Fn(&Object) -> String) -> CliResult<Vec<String>> {
    // A server that knows nothing of it sends whole objects.
    let list = collection.with("fields", "metadata.labels").list().await?;
    Ok(list.items.iter().map(name).collect())
}

/// Shells expand the words they are given; names of objects have nothing in them that could be.
fn is_harmless(name: &str) -> bool {
    let is_plain = |one: char| one.is_ascii_alphanumeric() || matches!(one, '-' | '_' | '.');
    !name.is_empty() && name.chars().all(is_plain)
}
