//! `kargo create project`.

use cli_client::{Effect, Kind};

use crate::{
    cobra,
    env::Env,
    exit::{CliResult, Context as _},
    output::PrintArgs,
    session::ConnectionArgs,
    verb::batch,
};

#[derive(clap::Args, Debug)]
pub(super) struct ProjectArgs {
    /// The Project
    #[arg(value_name = "NAME")]
    names: Vec<String>,
    #[command(flatten)]
    print: PrintArgs,
    #[command(flatten)]
    connection: ConnectionArgs,
}

pub(super) async fn create(env: &Env, args: &ProjectArgs) -> CliResult {
    let name = cobra::exactly_one(&args.names, "create project")?;
    let session = env.session(&args.connection).await?;
    let manifest = Kind::PROJECT.named(name.trim()).to_string();
    let result =
        session.client.create_resources(manifest, Effect::Real).await.context("create project")?;
    batch::show(env, &args.print, Effect::Real, None, result)
}
