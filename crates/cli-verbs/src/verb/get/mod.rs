//! `kargo get`: objects as tables and documents.

mod arrange;
mod freight;
mod images;
mod list;
mod pipeline;
mod role;
mod selector;
mod settings;
mod watch;

use crate::{env::Env, exit::CliResult};

/// Other names that credentials go by.
pub(super) const REPO_CREDENTIALS: [&str; 7] = [
    "repo-credential",
    "repo-creds",
    "repo-cred",
    "repocredentials",
    "repocredential",
    "repocreds",
    "repocred",
];
pub(super) const GENERIC_CREDENTIALS: [&str; 7] = [
    "generic-credential",
    "generic-creds",
    "generic-cred",
    "genericcredentials",
    "genericcredential",
    "genericcreds",
    "genericcred",
];

/// Show objects
#[derive(clap::Args, Debug)]
#[command(disable_help_subcommand = true)]
pub struct GetArgs {
    #[command(subcommand)]
    what: What,
}

#[derive(clap::Subcommand, Debug)]
enum What {
    /// Show AnalysisRuns by name
    #[command(name = "analysisruns", alias = "analysisrun")]
    AnalysisRuns(list::InProjectArgs),
    /// Show AnalysisTemplates
    #[command(name = "analysistemplates", alias = "analysistemplate")]
    AnalysisTemplates(list::InProjectArgs),
    /// Show AnalysisTemplates of the installation
    #[command(name = "clusteranalysistemplates", alias = "clusteranalysistemplate")]
    ClusterAnalysisTemplates(list::Args),
    /// Show the settings of the installation
    #[command(name = "clusterconfig", alias = "clusterconfigs")]
    ClusterConfig(settings::ClusterConfigArgs),
    /// Show PromotionTasks of the installation
    #[command(name = "clusterpromotiontasks", alias = "clusterpromotiontask")]
    ClusterPromotionTasks(list::Args),
    /// Show ConfigMaps
    #[command(name = "configmaps", aliases = ["configmap", "cm"])]
    ConfigMaps(list::AnyScopeListArgs),
    /// Show what happened in a Project
    #[command(alias = "event")]
    Events(list::InProjectArgs),
    /// Show Freight
    Freight(freight::FreightArgs),
    /// Show credentials of any kind
    #[command(name = "generic-credentials", aliases = GENERIC_CREDENTIALS)]
    GenericCredentials(list::AnyScopeListArgs),
    /// Show which versions of images the Stages have and had
    #[command(alias = "image")]
    Images(images::ImagesArgs),
    /// Draw the Stages of a Project and what is in them
    Pipeline(pipeline::PipelineArgs),
    /// Show the settings of a Project
    #[command(name = "projectconfig", alias = "projectconfigs")]
    ProjectConfig(settings::ProjectConfigArgs),
    /// Show Projects
    #[command(alias = "project")]
    Projects(list::Args),
    /// Show Promotions
    #[command(aliases = ["promotion", "promos", "promo"])]
    Promotions(list::OfStageArgs),
    /// Show PromotionRequests
    #[command(name = "promotionrequests", alias = "promotionrequest")]
    PromotionRequests(list::OfStageArgs),
    /// Show PromotionTasks
    #[command(name = "promotiontasks", alias = "promotiontask")]
    PromotionTasks(list::InProjectArgs),
    /// Show credentials of repositories
    #[command(name = "repo-credentials", aliases = REPO_CREDENTIALS)]
    RepoCredentials(list::SharedScopeListArgs),
    /// Show roles
    #[command(alias = "role")]
    Roles(role::RolesArgs),
    /// Show Stages
    #[command(alias = "stage")]
    Stages(list::InProjectArgs),
    /// Show Targets
    #[command(alias = "target")]
    Targets(list::InProjectArgs),
    /// Show API tokens
    #[command(name = "token", alias = "tokens")]
    Tokens(role::TokensArgs),
    /// Show Warehouses
    #[command(alias = "warehouse")]
    Warehouses(list::InProjectArgs),
}

pub(super) async fn get(env: &Env, args: &GetArgs) -> CliResult {
    match &args.what {
        What::AnalysisRuns(args) => list::analysis_runs(env, args).await,
        What::AnalysisTemplates(args) => list::analysis_templates(env, args).await,
        What::ClusterAnalysisTemplates(args) => list::cluster_analysis_templates(env, args).await,
        What::ClusterConfig(args) => settings::cluster_config(env, args).await,
        What::ClusterPromotionTasks(args) => list::cluster_promotion_tasks(env, args).await,
        What::ConfigMaps(args) => list::config_maps(env, args).await,
        What::Events(args) => list::events(env, args).await,
        What::Freight(args) => freight::freight(env, args).await,
        What::GenericCredentials(args) => list::generic_credentials(env, args).await,
        What::Images(args) => images::images(env, args).await,
        What::Pipeline(args) => pipeline::pipeline(env, args).await,
        What::ProjectConfig(args) => settings::project_config(env, args).await,
        What::Projects(args) => list::projects(env, args).await,
        What::Promotions(args) => list::promotions(env, args).await,
        What::PromotionRequests(args) => list::promotion_requests(env, args).await,
        What::PromotionTasks(args) => list::promotion_tasks(env, args).await,
        What::RepoCredentials(args) => list::repo_credentials(env, args).await,
        What::Roles(args) => role::roles(env, args).await,
        What::Stages(args) => list::stages(env, args).await,
        What::Targets(args) => list::targets(env, args).await,
        What::Tokens(args) => role::tokens(env, args).await,
        What::Warehouses(args) => list::warehouses(env, args).await,
    }
}
