//! `kargo update`: objects with some of their fields changed.

mod data;
mod freight;
mod repo_credentials;

use crate::{env::Env, exit::CliResult};

/// Change objects
#[derive(clap::Args, Debug)]
#[command(disable_help_subcommand = true)]
pub struct UpdateArgs {
    #[command(subcommand)]
    what: What,
}

#[derive(clap::Subcommand, Debug)]
enum What {
    /// Change a ConfigMap
    #[command(name = "configmap", aliases = ["configmaps", "cm"])]
    ConfigMap(data::ChangeArgs),
    /// Change the alias of a piece of Freight
    Freight(freight::FreightArgs),
    /// Change credentials of any kind
    #[command(name = "generic-credentials", aliases = super::get::GENERIC_CREDENTIALS)]
    GenericCredentials(data::ChangeArgs),
    /// Change credentials of a repository
    #[command(name = "repo-credentials", aliases = super::get::REPO_CREDENTIALS)]
    RepoCredentials(repo_credentials::ChangeArgs),
}

pub(super) async fn update(env: &Env, args: &UpdateArgs) -> CliResult {
    match &args.what {
        What::ConfigMap(args) => data::update_config_map(env, args).await,
        What::Freight(args) => freight::update(env, args).await,
        What::GenericCredentials(args) => data::update_generic_credentials(env, args).await,
        What::RepoCredentials(args) => repo_credentials::update(env, args).await,
    }
}
