//! `kargo approve`: lets Freight into a Stage without verification.

use crate::{
    cobra,
    env::Env,
    exit::{CliResult, Context as _},
    scope_args::ProjectArg,
    session::ConnectionArgs,
};

/// Let a piece of Freight into a Stage without verification
#[derive(clap::Args, Debug)]
pub struct ApproveArgs {
    #[command(flatten)]
    project: ProjectArg,
    /// Name of the Freight
    #[arg(long, value_name = "NAME")]
    freight: Option<String>,
    /// Alias of the Freight
    #[arg(long, value_name = "ALIAS")]
    freight_alias: Option<String>,
    /// The Stage
    #[arg(long, value_name = "STAGE")]
    stage: Option<String>,
    #[command(flatten)]
    pub(super) connection: ConnectionArgs,
}

pub(super) async fn approve(env: &Env, args: &ApproveArgs) -> CliResult {
    let choices =
        [("freight", args.freight.is_some()), ("freight-alias", args.freight_alias.is_some())];
    cobra::required(&[("stage", args.stage.is_some())])?;
    cobra::one_required(&choices)?;
    cobra::exclusive(&choices)?;
    let session = env.session(&args.connection).await?;
    let project = args.project.resolve(env, &session)?;
    let freight = args.freight.as_deref().or(args.freight_alias.as_deref()).unwrap_or_default();
    let stage = args.stage.as_deref().unwrap_or_default();
    session.client.approve(&project, freight, stage).await.context("approve freight")
}
