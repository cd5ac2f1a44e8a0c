//! `kargo update freight`: another alias.

use crate::{
    cobra,
    env::Env,
    exit::{CliResult, Context as _},
    scope_args::ProjectArg,
    session::ConnectionArgs,
};

#[derive(clap::Args, Debug)]
pub(super) struct FreightArgs {
    #[command(flatten)]
    project: ProjectArg,
    /// Name of the Freight
    #[arg(long, value_name = "NAME")]
    name: Option<String>,
    /// Alias that the Freight has
    #[arg(long, value_name = "ALIAS")]
    old_alias: Option<String>,
    /// Alias that it gets
    #[arg(long, value_name = "ALIAS")]
    new_alias: Option<String>,
    #[command(flatten)]
    connection: ConnectionArgs,
}

pub(super) async fn update(env: &Env, args: &FreightArgs) -> CliResult {
    let choices = [("name", args.name.is_some()), ("old-alias", args.old_alias.is_some())];
    cobra::required(&[("new-alias", args.new_alias.is_some())])?;
    cobra::one_required(&choices)?;
    cobra::exclusive(&choices)?;
    let session = env.session(&args.connection).await?;
    let project = args.project.resolve(env, &session)?;
    let freight = args.name.as_deref().or(args.old_alias.as_deref()).unwrap_or_default();
    let alias = args.new_alias.as_deref().unwrap_or_default();
    session.client.change_alias(&project, freight, alias).await.context("update freight")
}
