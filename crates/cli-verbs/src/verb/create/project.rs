//! `kargo create project`.

use cli_client::Kind;

use super::show_batch;
use crate::{
    cobra,
    env::Env,
    exit::{CliResult, Context as _},
    output::PrintArgs,
    session::ConnectionArgs,
};

#[derive(clap::Args, Debug)]
pub(super) struct ProjectArgs {
    /// The Project
    #[arg(value_name = "NAME")]
    names: Vec<String>,
    #[command(flatten)]
    print: PrintArgs,
    #[command(flatten)]
    pub(super) connection: ConnectionArgs,
}

pub(super) async fn create(env: &Env, args: &ProjectArgs) -> CliResult {
    let name = cobra::exactly_one(&args.names, "create project")?;
    let session = env.session(&args.connection).await?;
    let manifest = Kind::PROJECT.named(name.trim()).to_string();
    let result = session.client.create_resources(manifest).await.context("create project")?;
    show_batch(env, &args.print, &result)
}
