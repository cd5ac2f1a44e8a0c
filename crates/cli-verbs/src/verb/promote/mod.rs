//! `kargo promote`: moves Freight on, or ends a Promotion that is under way.

mod follow;
mod preview;
mod progress;

use cli_client::{FreightChoice, Object};

pub(super) use follow::{Outcome, TimeoutArg, WaitArgs, timed_out};

use crate::{
    cobra,
    env::Env,
    exit::{CliResult, Context as _, Failure},
    output::PrintArgs,
    scope_args::ProjectArg,
    session::{ConnectionArgs, Session},
};

/// Promote a piece of Freight, or abort a Promotion
#[derive(clap::Args, Debug)]
pub struct PromoteArgs {
    #[command(flatten)]
    project: ProjectArg,
    /// Name of the Freight
    #[arg(long, value_name = "NAME")]
    freight: Option<String>,
    /// Alias of the Freight
    #[arg(long, value_name = "ALIAS")]
    freight_alias: Option<String>,
    /// Whatever automatic promotion would pick from this Warehouse
    #[arg(long, value_name = "WAREHOUSE")]
    warehouse: Option<String>,
    /// Name of the Promotion to abort
    #[arg(long, value_name = "NAME")]
    name: Option<String>,
    /// The Stage to promote to
    #[arg(long, value_name = "STAGE")]
    stage: Option<String>,
    /// Promote to all Stages behind this one
    #[arg(long, value_name = "STAGE")]
    downstream_from: Option<String>,
    /// End the Promotion
    #[arg(long)]
    abort: bool,
    /// Only show what the Promotion would do: its steps run on this machine, and nothing is pushed, opened or sent
    #[arg(long, conflicts_with_all = ["abort", "downstream_from", "wait"])]
    preview: bool,
    #[command(flatten)]
    wait: WaitArgs,
    #[command(flatten)]
    print: PrintArgs,
    #[command(flatten)]
    connection: ConnectionArgs,
}

pub(super) async fn promote(env: &Env, args: &PromoteArgs) -> CliResult {
    args.check()?;
    let session = env.session(&args.connection).await?;
    let project = args.project.resolve(env, &session)?;
    if let Some(name) = &args.name {
        let aborted = session.client.abort_promotion(&project, name).await;
        return aborted.context(format!("abort promotion {name}"));
    }
    if args.preview {
        return preview::preview(env, args, &session, &project).await;
    }
    let freight = args.choice();
    let (created, errors) = args.create(&session, &project, &freight).await?;
    let mut failures: Vec<Failure> =
        errors.lines().map(|line| Failure::error(format!("promote downstream: {line}"))).collect();
    let outcome = Outcome { session: &session, project: &project, print: &args.print };
    failures.extend(outcome.show(env, created, args.wait).await?);
    Failure::joined(failures)
}

impl PromoteArgs {
    fn check(&self) -> CliResult {
        let freight = ("freight", self.freight.is_some());
        let alias = ("freight-alias", self.freight_alias.is_some());
        let warehouse = ("warehouse", self.warehouse.is_some());
        let name = ("name", self.name.is_some());
        let stage = ("stage", self.stage.is_some());
        let downstream = ("downstream-from", self.downstream_from.is_some());
        let abort = ("abort", self.abort);
        cobra::one_required(&[freight, alias, warehouse, name])?;
        cobra::one_required(&[stage, downstream, abort])?;
        cobra::together(&[name, abort])?;
        cobra::exclusive(&[freight, alias, warehouse, name])?;
        cobra::exclusive(&[stage, downstream, abort])?;
        cobra::exclusive(&[warehouse, downstream])
    }

    fn choice(&self) -> FreightChoice {
        match (&self.freight, &self.freight_alias) {
            (Some(name), _) => FreightChoice::Name(name.clone()),
            (_, Some(alias)) => FreightChoice::Alias(alias.clone()),
            _ => FreightChoice::Warehouse(self.warehouse.clone().unwrap_or_default()),
        }
    }

    /// What was created, and what went wrong for some of the Stages.
    async fn create(
        &self,
        session: &Session,
        project: &str,
        freight: &FreightChoice,
    ) -> CliResult<(Vec<Object>, String)> {
        if let Some(stage) = &self.downstream_from {
            let promoted = session.client.promote_downstream(project, stage, freight).await;
            let result = promoted.context("promote downstream")?;
            return Ok((result.created, result.errors));
        }
        let stage = self.stage.as_deref().unwrap_or_default();
        let promoted = session.client.promote(project, stage, freight).await;
        let hint =
            format!("`kargo explain --stage {stage}` with the Freight says what is in the way");
        let created =
            promoted.context("promote to stage").map_err(|failure| match failure.exit {
                crate::exit::Exit::Error if failure.hint.is_none() => failure.hint(hint),
                _ => failure,
            })?;
        Ok((vec![created], String::new()))
    }
}
