//! `kargo delete`: objects less, from files or by name.

mod freight;
mod named;
mod scoped;

use super::batch::{Action, BatchArgs};
use crate::{
    env::Env,
    exit::{CliResult, Failure},
    session::Session,
};

/// Delete objects
#[derive(clap::Args, Debug)]
#[command(args_conflicts_with_subcommands = true, disable_help_subcommand = true)]
pub struct DeleteArgs {
    #[command(subcommand)]
    what: Option<What>,
    #[command(flatten)]
    batch: BatchArgs,
}

#[derive(clap::Subcommand, Debug)]
enum What {
    /// Delete the settings of the installation
    #[command(name = "clusterconfig", alias = "clusterconfigs")]
    ClusterConfig(named::ClusterConfigArgs),
    /// Delete ConfigMaps
    #[command(name = "configmap", aliases = ["configmaps", "cm"])]
    ConfigMap(scoped::AnyArgs),
    /// Delete pieces of Freight
    Freight(freight::FreightArgs),
    /// Delete credentials of any kind
    #[command(name = "generic-credentials", aliases = super::get::GENERIC_CREDENTIALS)]
    GenericCredentials(scoped::AnyArgs),
    /// Delete Projects and all that is in them
    #[command(alias = "projects")]
    Project(named::ProjectsArgs),
    /// Delete the settings of a Project
    #[command(name = "projectconfig", alias = "projectconfigs")]
    ProjectConfig(named::ProjectConfigArgs),
    /// Delete credentials of repositories
    #[command(name = "repo-credentials", aliases = super::get::REPO_CREDENTIALS)]
    RepoCredentials(scoped::SharedArgs),
    /// Delete roles
    #[command(alias = "roles")]
    Role(named::NamedArgs),
    /// Delete Stages
    #[command(alias = "stages")]
    Stage(named::NamedArgs),
    /// Delete API tokens
    #[command(alias = "tokens")]
    Token(scoped::SystemArgs),
    /// Delete Warehouses
    #[command(alias = "warehouses")]
    Warehouse(named::NamedArgs),
}

pub(super) async fn delete(env: &Env, args: &DeleteArgs) -> CliResult {
    let Some(what) = &args.what else { return from_files(env, args).await };
    match what {
        What::ClusterConfig(args) => named::delete_cluster_config(env, args).await,
        What::ConfigMap(args) => scoped::delete_config_maps(env, args).await,
        What::Freight(args) => freight::delete(env, args).await,
        What::GenericCredentials(args) => scoped::delete_generic_credentials(env, args).await,
        What::Project(args) => named::delete_projects(env, args).await,
        What::ProjectConfig(args) => named::delete_project_config(env, args).await,
        What::RepoCredentials(args) => scoped::delete_repo_credentials(env, args).await,
        What::Role(args) => named::delete_roles(env, args).await,
        What::Stage(args) => named::delete_stages(env, args).await,
        What::Token(args) => scoped::delete_tokens(env, args).await,
        What::Warehouse(args) => named::delete_warehouses(env, args).await,
    }
}

async fn from_files(env: &Env, args: &DeleteArgs) -> CliResult {
    let action = Action { name: "delete resource", word: None, guess: "deleted" };
    let send = async |session: &Session, manifests, effect| {
        session.client.delete_resources(manifests, effect).await.map_err(Failure::from)
    };
    args.batch.send(env, &action, send).await
}
