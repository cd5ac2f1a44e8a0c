//! `kargo approve`: lets Freight into a Stage without verification.

use super::freight_and_stage::FreightAndStageArgs;
use crate::{
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
    #[command(flatten)]
    what: FreightAndStageArgs,
    #[command(flatten)]
    connection: ConnectionArgs,
}

pub(super) async fn approve(env: &Env, args: &ApproveArgs) -> CliResult {
    let (freight, stage) = args.what.both()?;
    let session = env.session(&args.connection).await?;
    let project = args.project.resolve(env, &session)?;
    session.client.approve(&project, freight, stage).await.context("approve freight")
}
