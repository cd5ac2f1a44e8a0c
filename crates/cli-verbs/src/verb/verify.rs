//! `kargo verify`: verifies what a Stage has once more, or stops doing so.

use crate::{
    cobra,
    env::Env,
    exit::{CliResult, Context as _},
    scope_args::ProjectArg,
    session::ConnectionArgs,
};

/// Verify a Stage again, or abort its verification
#[derive(clap::Args, Debug)]
#[command(disable_help_subcommand = true)]
pub struct VerifyArgs {
    #[command(subcommand)]
    what: What,
}

#[derive(clap::Subcommand, Debug)]
enum What {
    /// Verify what a Stage has
    Stage(StageArgs),
}

#[derive(clap::Args, Debug)]
struct StageArgs {
    /// The Stage
    #[arg(value_name = "NAME")]
    names: Vec<String>,
    #[command(flatten)]
    project: ProjectArg,
    /// End the verification that is under way
    #[arg(long)]
    abort: bool,
    #[command(flatten)]
    connection: ConnectionArgs,
}

pub(super) async fn verify(env: &Env, args: &VerifyArgs) -> CliResult {
    let What::Stage(args) = &args.what;
    let name = cobra::exactly_one(&args.names, "verify stage")?;
    let session = env.session(&args.connection).await?;
    let project = args.project.resolve(env, &session)?;
    if args.abort {
        let aborted = session.client.abort_verification(&project, name).await;
        return aborted.context(format!("abort verification of stage {name}"));
    }
    session.client.verify(&project, name).await.context(format!("verify stage {name}"))
}
