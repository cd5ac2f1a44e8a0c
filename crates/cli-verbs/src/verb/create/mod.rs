//! `kargo create`: new objects, from files or from arguments.

mod config_map;
mod generic_credentials;
mod project;
mod repo_credentials;
mod role;
mod token;

use super::apply::show_batch;
use crate::{
    env::Env,
    exit::{CliResult, Context as _},
    manifest::ManifestArgs,
    output::PrintArgs,
    session::ConnectionArgs,
};

/// Create objects
#[derive(clap::Args, Debug)]
#[command(args_conflicts_with_subcommands = true)]
pub struct CreateArgs {
    #[command(subcommand)]
    what: Option<What>,
    #[command(flatten)]
    files: ManifestArgs,
    #[command(flatten)]
    print: PrintArgs,
    #[command(flatten)]
    connection: ConnectionArgs,
}

#[derive(clap::Subcommand, Debug)]
enum What {
    /// Create a ConfigMap
    #[command(name = "configmap", aliases = ["configmaps", "cm"])]
    ConfigMap(config_map::ConfigMapArgs),
    /// Create credentials of any kind
    #[command(name = "generic-credentials", aliases = super::get::GENERIC_CREDENTIALS)]
    GenericCredentials(generic_credentials::GenericCredentialsArgs),
    /// Create a Project
    Project(project::ProjectArgs),
    /// Create credentials of a repository
    #[command(name = "repo-credentials", aliases = super::get::REPO_CREDENTIALS)]
    RepoCredentials(repo_credentials::RepoCredentialsArgs),
    /// Create a role
    Role(role::RoleArgs),
    /// Create an API token
    Token(token::TokenArgs),
}

impl CreateArgs {
    pub(super) fn connection(&self) -> &ConnectionArgs {
        match &self.what {
            None => &self.connection,
            Some(What::ConfigMap(args)) => &args.connection,
            Some(What::GenericCredentials(args)) => &args.connection,
            Some(What::Project(args)) => &args.connection,
            Some(What::RepoCredentials(args)) => &args.connection,
            Some(What::Role(args)) => &args.connection,
            Some(What::Token(args)) => &args.connection,
        }
    }
}

pub(super) async fn create(env: &Env, args: &CreateArgs) -> CliResult {
    match &args.what {
        None => from_files(env, args).await,
        Some(What::ConfigMap(args)) => config_map::create(env, args).await,
        Some(What::GenericCredentials(args)) => generic_credentials::create(env, args).await,
        Some(What::Project(args)) => project::create(env, args).await,
        Some(What::RepoCredentials(args)) => repo_credentials::create(env, args).await,
        Some(What::Role(args)) => role::create(env, args).await,
        Some(What::Token(args)) => token::create(env, args).await,
    }
}

async fn from_files(env: &Env, args: &CreateArgs) -> CliResult {
    let manifests = args.files.read(env).await?;
    let session = env.session(&args.connection).await?;
    let result = session.client.create_resources(manifests).await.context("create resource")?;
    show_batch(env, &args.print, &result)
}
