//! The one binary. A subcommand parses its settings, wires crates together and reports; what it does lives in the crates.

mod analysis_controller;
mod api;
mod argocd;
mod backup;
mod cli;
mod cluster;
mod component;
mod controller;
mod crds;
mod demo;
mod directory;
mod discover;
mod discovery;
mod exit;
mod file;
mod garbage_collector;
mod git_identity;
mod kubernetes_webhooks_server;
mod lint;
mod management_controller;
mod migrate;
mod place;
mod repair;
mod replica;
mod restore;
mod run;
mod server;
mod settings;
mod up;
mod version;

use std::process::ExitCode;

use clap::{CommandFactory as _, FromArgMatches as _, Parser};
use io_runtime::{SystemEnvironment, telemetry};

use crate::exit::{Exit, Failure};

/// Continuous promotion for GitOps: artifacts move from stage to stage as you declare it
#[derive(Parser)]
#[command(name = "kargo", version = version::number())]
enum Program {
    #[command(flatten)]
    Command(Box<Command>),
    #[command(flatten)]
    Verb(Box<cli_verbs::Verb>),
}

/// What runs here, without a server or as one.
#[derive(clap::Subcommand)]
enum Command {
    /// Start a whole control plane in this process, with no cluster or on one
    Up(Box<up::UpArgs>),
    /// Serve the REST API: logins, what people may see and do, and streams of changes
    Api,
    /// Serve the REST API to yourself: with the rights of your kubeconfig, without a login
    Server(server::ServerArgs),
    /// Look for artifacts and make Freight of them, for the objects of one shard
    Controller,
    /// Keep Projects, their namespaces and the permissions of the other components
    ManagementController,
    /// Carry out AnalysisRuns where no Argo Rollouts does
    AnalysisController,
    /// Answer what the API server of a cluster asks about writes
    KubernetesWebhooksServer,
    /// Delete Promotions and Freight that nobody needs any more
    GarbageCollector(garbage_collector::GarbageCollectorArgs),
    /// Show what Warehouses in a file would find, and why, with no server
    Discover(discover::DiscoverArgs),
    /// Carry out the Promotion in a file on this machine, with no server
    Run(run::RunArgs),
    /// Check the promotion processes in a file, with no server
    Lint(lint::LintArgs),
    /// Make things happen in the demo of a running `kargo up --demo`
    Demo(demo::DemoArgs),
    /// Save the state of a control plane, also while it runs
    Backup(backup::BackupArgs),
    /// Put a saved state into a data directory or a cluster
    Restore(restore::RestoreArgs),
    /// Move a control plane between a data directory and a cluster, with everything in it
    Migrate(migrate::MigrateArgs),
    /// Save what can be read of a damaged data directory
    Repair(repair::RepairArgs),
    /// Print the CustomResourceDefinitions as YAML
    Crds,
    /// Print what a shell needs to complete commands
    Completion(cli::completion::CompletionArgs),
    /// Write the manual pages of all commands into a directory
    Man(cli::man::ManArgs),
}

fn main() -> ExitCode {
    let matches = match Program::command().try_get_matches() {
        Ok(matches) => matches,
        Err(error) => return cli::refused(&error),
    };
    let command = match Program::from_arg_matches(&matches) {
        Ok(Program::Command(command)) => *command,
        Ok(Program::Verb(verb)) => return cli::run(*verb, &matches),
        Err(error) => return cli::refused(&error),
    };
    match run(command) {
        Ok(()) => Exit::Success.into(),
        Err(failure) => failure.report(),
    }
}

fn run(command: Command) -> Result<(), Failure> {
    let logs = telemetry::Settings::from_environment(&SystemEnvironment).map_err(Failure::usage)?;
    logs.install();
    match command {
        Command::Up(args) => up::run(&args),
        Command::Api => api::run(),
        Command::Server(args) => server::run(&args),
        Command::Controller => controller::run(),
        Command::ManagementController => management_controller::run(),
        Command::AnalysisController => analysis_controller::run(),
        Command::KubernetesWebhooksServer => kubernetes_webhooks_server::run(),
        Command::GarbageCollector(args) => garbage_collector::run(&args),
        Command::Discover(args) => discover::run(&args),
        Command::Run(args) => run::run(&args),
        Command::Lint(args) => lint::run(&args),
        Command::Demo(args) => demo::run(&args),
        Command::Backup(args) => backup::run(&args),
        Command::Restore(args) => restore::run(&args),
        Command::Migrate(args) => migrate::run(&args),
        Command::Repair(args) => repair::run(&args),
        Command::Crds => crds::run(),
        Command::Completion(args) => cli::completion::run(&args, Program::command()),
        Command::Man(args) => cli::man::run(&args, Program::command()),
    }
}
