//! `kargo delete`: objects less, from files or by name.

mod freight;
mod named;
mod scoped;

use super::apply::show_batch;
use crate::{
    env::Env,
    exit::{CliResult, Context as _},
    manifest::ManifestArgs,
    output::PrintArgs,
    session::ConnectionArgs,
};

/// Delete objects
#[derive(clap::Args, Debug)]
#[command(args_conflicts_with_subcommands = true)]
pub struct DeleteArgs {
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

impl DeleteArgs {
    pub(super) fn connection(&self) -> &ConnectionArgs {
        match &self.what {
            None => &self.connection,
            Some(What::ClusterConfig(args)) => &args.connection,
            Some(What::ConfigMap(args) | What::GenericCredentials(args)) => &args.common.connection,
            Some(What::Freight(args)) => &args.connection,
            Some(What::Project(args)) => &args.connection,
            Some(What::ProjectConfig(args)) => &args.connection,
            Some(What::RepoCredentials(args)) => &args.common.connection,
            Some(What::Role(args) | What::Stage(args) | What::Warehouse(args)) => &args.connection,
            Some(What::Token(args)) => &args.common.connection,
        }
    }
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
    let manifests = args.files.read(env).await?;
    let session = env.session(&args.connection).await?;
    let result = session.client.delete_resources(manifests).await.context("delete resource")?;
    show_batch(env, &args.print, &result)
}
