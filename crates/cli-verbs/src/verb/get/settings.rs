//! `kargo get projectconfig` and `kargo get clusterconfig`.

use crate::{
    env::Env,
    exit::{CliResult, Context as _},
    output::{Columns, PrintArgs},
    scope_args::ProjectArg,
    session::ConnectionArgs,
};

#[derive(clap::Args, Debug)]
pub(super) struct ProjectConfigArgs {
    #[command(flatten)]
    project: ProjectArg,
    #[command(flatten)]
    print: PrintArgs,
    /// A table without the names of its columns
    #[arg(long)]
    no_headers: bool,
    #[command(flatten)]
    connection: ConnectionArgs,
}

#[derive(clap::Args, Debug)]
pub(super) struct ClusterConfigArgs {
    #[command(flatten)]
    print: PrintArgs,
    /// A table without the names of its columns
    #[arg(long)]
    no_headers: bool,
    #[command(flatten)]
    connection: ConnectionArgs,
}

pub(super) async fn project_config(env: &Env, args: &ProjectConfigArgs) -> CliResult {
    let session = env.session(&args.connection).await?;
    let project = args.project.resolve(env, &session)?;
    let config = session.client.project_config(&project).get().await;
    let config = config.context("get project config")?;
    env.show_objects(&args.print, Columns::NameAndAge, !args.no_headers, &[config])
}

pub(super) async fn cluster_config(env: &Env, args: &ClusterConfigArgs) -> CliResult {
    let session = env.session(&args.connection).await?;
    let config = session.client.cluster_config().get().await.context("get cluster config")?;
    env.show_objects(&args.print, Columns::NameAndAge, !args.no_headers, &[config])
}
