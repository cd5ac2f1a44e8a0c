//! All objects of a kind, or those that were named.

use cli_client::{Client, Collection, Error, Kind, Object};

use super::{arrange::ArrangeArgs, watch};
use crate::{
    cobra,
    env::Env,
    exit::{CliResult, Context as _, Exit, Failure},
    output::{Columns, PrintArgs},
    scope_args::{AnyScopeArgs, ProjectArg, SharedScopeArgs},
    session::ConnectionArgs,
};

#[derive(clap::Args, Debug)]
pub(super) struct Args {
    /// Their names; without any, all are shown
    #[arg(value_name = "NAME")]
    pub(super) names: Vec<String>,
    #[command(flatten)]
    pub(super) arrange: ArrangeArgs,
    #[command(flatten)]
    pub(super) print: PrintArgs,
    /// A table without the names of its columns
    #[arg(long)]
    pub(super) no_headers: bool,
    #[command(flatten)]
    pub(super) connection: ConnectionArgs,
}

#[derive(clap::Args, Debug)]
pub(super) struct InProjectArgs {
    #[command(flatten)]
    pub(super) list: Args,
    #[command(flatten)]
    project: ProjectArg,
    /// Go on and show what changes
    #[arg(short, long)]
    watch: bool,
}

#[derive(clap::Args, Debug)]
pub(super) struct OfStageArgs {
    #[command(flatten)]
    pub(super) list: Args,
    #[command(flatten)]
    project: ProjectArg,
    /// Only those of a Stage
    #[arg(long, value_name = "STAGE")]
    stage: Option<String>,
    /// Go on and show what changes
    #[arg(short, long)]
    watch: bool,
}

#[derive(clap::Args, Debug)]
pub(super) struct AnyScopeListArgs {
    #[command(flatten)]
    pub(super) list: Args,
    #[command(flatten)]
    scope: AnyScopeArgs,
}

#[derive(clap::Args, Debug)]
pub(super) struct SharedScopeListArgs {
    #[command(flatten)]
    pub(super) list: Args,
    #[command(flatten)]
    scope: SharedScopeArgs,
}

/// What is shown, and what it is called in messages.
#[derive(Clone, Copy)]
pub(super) struct Shown {
    pub(super) noun: &'static str,
    pub(super) plural: &'static str,
    pub(super) columns: Columns,
}

const fn shown(noun: &'static str, plural: &'static str, columns: Columns) -> Shown {
    Shown { noun, plural, columns }
}

pub(super) const PROJECTS: Shown = shown("project", "projects", Columns::Projects);
pub(super) const STAGES: Shown = shown("stage", "stages", Columns::Stages);
pub(super) const WAREHOUSES: Shown = shown("warehouse", "warehouses", Columns::Warehouses);
pub(super) const PROMOTIONS: Shown = shown("promotion", "promotions", Columns::Promotions);
const REQUESTS: Shown =
    shown("promotion request", "promotion requests", Columns::PromotionRequests);
const TARGETS: Shown = shown("target", "targets", Columns::Targets);
const EVENTS: Shown = shown("event", "events", Columns::Events);
const TASKS: Shown = shown("promotion task", "promotion tasks", Columns::NameAndAge);
const TEMPLATES: Shown = shown("analysis template", "analysis templates", Columns::NameAndAge);
const RUNS: Shown = shown("analysis run", "analysis runs", Columns::NameAndAge);
const CONFIG_MAPS: Shown = shown("configmap", "configmaps", Columns::ConfigMaps);
const REPO: Shown = shown("repo credentials", "repo credentials", Columns::RepoCredentials);
const GENERIC: Shown =
    shown("generic credentials", "generic credentials", Columns::GenericCredentials);

pub(super) async fn projects(env: &Env, args: &Args) -> CliResult {
    let session = env.session(&args.connection).await?;
    args.show(env, &session.client.projects(), PROJECTS).await
}

pub(super) async fn cluster_promotion_tasks(env: &Env, args: &Args) -> CliResult {
    let session = env.session(&args.connection).await?;
    args.show(env, &session.client.cluster_promotion_tasks(), TASKS).await
}

pub(super) async fn cluster_analysis_templates(env: &Env, args: &Args) -> CliResult {
    let session = env.session(&args.connection).await?;
    args.show(env, &session.client.cluster_analysis_templates(), TEMPLATES).await
}

pub(super) async fn stages(env: &Env, args: &InProjectArgs) -> CliResult {
    args.show_or_watch(env, Client::stages, STAGES).await
}

pub(super) async fn warehouses(env: &Env, args: &InProjectArgs) -> CliResult {
    args.show_or_watch(env, Client::warehouses, WAREHOUSES).await
}

pub(super) async fn promotion_tasks(env: &Env, args: &InProjectArgs) -> CliResult {
    args.show_only(env, Client::promotion_tasks, TASKS).await
}

pub(super) async fn analysis_templates(env: &Env, args: &InProjectArgs) -> CliResult {
    args.show_only(env, Client::analysis_templates, TEMPLATES).await
}

pub(super) async fn analysis_runs(env: &Env, args: &InProjectArgs) -> CliResult {
    cobra::at_least_one(&args.list.names, "get analysisruns")?;
    args.show_only(env, Client::analysis_runs, RUNS).await
}

pub(super) async fn events(env: &Env, args: &InProjectArgs) -> CliResult {
    if !args.list.names.is_empty() {
        return Err(Failure::usage("events have no names to be asked for by"));
    }
    args.show_only(env, Client::events, EVENTS).await
}

pub(super) async fn targets(env: &Env, args: &InProjectArgs) -> CliResult {
    args.show_or_watch(env, Client::targets, TARGETS).await
}

pub(super) async fn promotions(env: &Env, args: &OfStageArgs) -> CliResult {
    args.show(env, Client::promotions, PROMOTIONS).await
}

pub(super) async fn promotion_requests(env: &Env, args: &OfStageArgs) -> CliResult {
    args.show(env, Client::promotion_requests, REQUESTS).await
}

pub(super) async fn config_maps(env: &Env, args: &AnyScopeListArgs) -> CliResult {
    args.scope.check()?;
    let session = env.session(&args.list.connection).await?;
    let scope = args.scope.resolve(env, &session)?;
    args.list.show(env, &session.client.config_maps(&scope), CONFIG_MAPS).await
}

pub(super) async fn generic_credentials(env: &Env, args: &AnyScopeListArgs) -> CliResult {
    args.scope.check()?;
    let session = env.session(&args.list.connection).await?;
    let scope = args.scope.resolve(env, &session)?;
    args.list.show(env, &session.client.generic_credentials(&scope), GENERIC).await
}

pub(super) async fn repo_credentials(env: &Env, args: &SharedScopeListArgs) -> CliResult {
    args.scope.check()?;
    let session = env.session(&args.list.connection).await?;
    let scope = args.scope.resolve(env, &session)?;
    args.list.show(env, &session.client.repo_credentials(&scope), REPO).await
}

impl OfStageArgs {
    async fn show(
        &self,
        env: &Env,
        collection: impl Fn(&Client, &str) -> Collection,
        shown: Shown,
    ) -> CliResult {
        let session = env.session(&self.list.connection).await?;
        let mut collection = collection(&session.client, &self.project.resolve(env, &session)?);
        if let Some(stage) = self.stage.as_deref().filter(|_| self.list.names.is_empty()) {
            collection = collection.with("stage", stage);
        }
        if self.watch {
            return watch::watch(env, &self.list, &collection, shown).await;
        }
        self.list.show(env, &collection, shown).await
    }
}

impl InProjectArgs {
    async fn show_or_watch(
        &self,
        env: &Env,
        collection: impl Fn(&Client, &str) -> Collection,
        shown: Shown,
    ) -> CliResult {
        let session = env.session(&self.list.connection).await?;
        let collection = collection(&session.client, &self.project.resolve(env, &session)?);
        if self.watch {
            return watch::watch(env, &self.list, &collection, shown).await;
        }
        self.list.show(env, &collection, shown).await
    }

    /// The server has no stream of these.
    async fn show_only(
        &self,
        env: &Env,
        collection: impl Fn(&Client, &str) -> Collection,
        shown: Shown,
    ) -> CliResult {
        if self.watch {
            return Err(Failure::usage(format!("{} cannot be watched", shown.plural)));
        }
        self.show_or_watch(env, collection, shown).await
    }
}

impl Args {
    /// Shows what was asked for; what could not be had is told afterwards.
    pub(super) async fn show(&self, env: &Env, from: &Collection, shown: Shown) -> CliResult {
        let (objects, failures) = self.fetch(from, shown).await?;
        env.show_objects(&self.print, shown.columns, !self.no_headers, &objects)?;
        Failure::joined(failures)
    }

    async fn fetch(
        &self,
        from: &Collection,
        shown: Shown,
    ) -> CliResult<(Vec<Object>, Vec<Failure>)> {
        self.arrange.check(&self.names)?;
        if self.names.is_empty() {
            let list = from.list().await.context(format!("list {}", shown.plural))?;
            return Ok((self.arrange.arrange(list.items)?, Vec::new()));
        }
        Ok(fetch_named(from, shown, &cobra::distinct(&self.names)).await)
    }
}

/// The objects of some names, and what went wrong for others.
pub(super) async fn fetch_named(
    from: &Collection,
    shown: Shown,
    names: &[String],
) -> (Vec<Object>, Vec<Failure>) {
    let (mut objects, mut failures) = (Vec::new(), Vec::new());
    for name in names {
        match from.get(name).await {
            Ok(object) => objects.push(object),
            Err(error) => failures.push(missing(error, from, shown.noun, name)),
        }
    }
    (objects, failures)
}

fn missing(error: Error, from: &Collection, noun: &str, name: &str) -> Failure {
    let failure = Failure::from(error).context(format!("get {noun} {name}"));
    match failure.exit {
        // There is no list of AnalysisRuns to look into.
        Exit::NotFound if from.kind() != Kind::ANALYSIS_RUN => {
            failure.hint("the same command without a name shows those that are there")
        }
        _ => failure,
    }
}
