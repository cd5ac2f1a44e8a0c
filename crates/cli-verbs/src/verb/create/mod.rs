//! `kargo create`: new objects, from files or from arguments.

mod data;
mod project;
mod repo_credentials;
mod role;
mod token;

use super::{
    batch::{Action, BatchArgs},
    data_args::DataArgs,
    repo_args::RepoArgs,
};
use crate::{
    env::Env,
    exit::{CliResult, Failure},
    session::Session,
};

/// Create objects
#[derive(clap::Args, Debug)]
#[command(args_conflicts_with_subcommands = true, disable_help_subcommand = true)]
pub struct CreateArgs {
    #[command(subcommand)]
    what: Option<What>,
    #[command(flatten)]
    batch: BatchArgs,
}

#[derive(clap::Subcommand, Debug)]
enum What {
    /// Create a ConfigMap
    #[command(name = "configmap", aliases = ["configmaps", "cm"])]
    ConfigMap(DataArgs),
    /// Create credentials of any kind
    #[command(name = "generic-credentials", aliases = super::get::GENERIC_CREDENTIALS)]
    GenericCredentials(DataArgs),
    /// Create a Project
    Project(project::ProjectArgs),
    /// Create credentials of a repository
    #[command(name = "repo-credentials", aliases = super::get::REPO_CREDENTIALS)]
    RepoCredentials(RepoArgs),
    /// Create a role
    Role(role::RoleArgs),
    /// Create an API token
    Token(token::TokenArgs),
}

pub(super) async fn create(env: &Env, args: &CreateArgs) -> CliResult {
    let Some(what) = &args.what else { return from_files(env, args).await };
    match what {
        What::ConfigMap(args) => data::create_config_map(env, args).await,
        What::GenericCredentials(args) => data::create_generic_credentials(env, args).await,
        What::Project(args) => project::create(env, args).await,
        What::RepoCredentials(args) => repo_credentials::create(env, args).await,
        What::Role(args) => role::create(env, args).await,
        What::Token(args) => token::create(env, args).await,
    }
}

async fn from_files(env: &Env, args: &CreateArgs) -> CliResult {
    let action = Action { name: "create resource", word: None, guess: "created" };
    let send = async |session: &Session, manifests, effect| {
        session.client.create_resources(manifests, effect).await.map_err(Failure::from)
    };
    args.batch.send(env, &action, send).await
}
