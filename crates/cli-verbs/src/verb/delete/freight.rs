//! Freight, by name or alias.

use super::named::Deleting;
use crate::{
    cobra,
    env::Env,
    exit::{CliResult, Failure},
    output::PrintArgs,
    scope_args::ProjectArg,
    session::ConnectionArgs,
};

#[derive(clap::Args, Debug)]
pub(super) struct FreightArgs {
    #[command(flatten)]
    project: ProjectArg,
    /// Name of a piece; repeat it for more
    #[arg(long = "name", value_name = "NAME")]
    names: Vec<String>,
    /// Alias of a piece; repeat it for more
    #[arg(long = "alias", value_name = "ALIAS")]
    aliases: Vec<String>,
    #[command(flatten)]
    print: PrintArgs,
    #[command(flatten)]
    connection: ConnectionArgs,
}

/// The Project is looked at before the names.
pub(super) async fn delete(env: &Env, args: &FreightArgs) -> CliResult {
    let session = env.session(&args.connection).await?;
    let namespace = args.project.resolve(env, &session)?;
    let mut names = cobra::distinct(&args.names);
    names.extend(cobra::distinct(&args.aliases));
    if names.is_empty() {
        return Err(Failure::usage("name or alias is required"));
    }
    let freight = session.client.freight(&namespace);
    let doing = Deleting { noun: "freight", namespace, print: &args.print };
    doing.all(env, &freight, &names).await
}
