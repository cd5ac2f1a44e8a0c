//! One file per verb.

mod apply;
mod approve;
mod batch;
mod complete;
mod config;
mod create;
mod dashboard;
mod data_args;
mod delete;
mod describe;
mod diff;
mod doctor;
mod explain;
mod freight_and_stage;
mod get;
mod grant;
mod login;
mod logout;
mod logs;
mod manager_args;
mod promote;
mod refresh;
mod repo_args;
mod respond;
mod rollback;
mod update;
mod verify;
mod version;

use crate::{env::Env, exit::CliResult};

/// What a user can do with a server.
#[derive(clap::Subcommand, Debug)]
pub enum Verb {
    /// Create objects or replace them, from files
    Apply(apply::ApplyArgs),
    /// Let a piece of Freight into a Stage without verification
    Approve(approve::ApproveArgs),
    /// Print the names that a word may become
    #[command(name = "__complete", hide = true)]
    Complete(complete::CompleteArgs),
    /// Show or change what the command line remembers
    Config(config::ConfigArgs),
    /// Create objects
    Create(create::CreateArgs),
    /// Open the dashboard in the browser
    Dashboard(dashboard::DashboardArgs),
    /// Delete objects
    Delete(delete::DeleteArgs),
    /// Show all that is known of objects, and what happened to them
    Describe(describe::DescribeArgs),
    /// Show what `apply` would change, from files
    Diff(diff::DiffArgs),
    /// Check the configuration, the server and the way to it, and say what to do
    Doctor(doctor::DoctorArgs),
    /// Say whether a piece of Freight may enter a Stage, and why not
    Explain(explain::ExplainArgs),
    /// Show objects
    Get(get::GetArgs),
    /// Give users or permissions to a role
    Grant(grant::GrantArgs),
    /// Log in to a server
    Login(login::LoginArgs),
    /// Forget the server and the token
    Logout,
    /// Show the log of an AnalysisRun or of a Promotion
    Logs(logs::LogsArgs),
    /// Promote a piece of Freight, or abort a Promotion
    Promote(promote::PromoteArgs),
    /// Have the controllers look at an object again
    Refresh(refresh::RefreshArgs),
    /// Answer a step of a Promotion that asks people
    Respond(respond::RespondArgs),
    /// Take users or permissions from a role
    Revoke(grant::GrantArgs),
    /// Promote what a Stage had before
    Rollback(rollback::RollbackArgs),
    /// Change objects
    Update(update::UpdateArgs),
    /// Verify a Stage again, or abort its verification
    Verify(verify::VerifyArgs),
    /// Show the versions of the command line and of the server
    Version(version::VersionArgs),
}

/// Carries a verb out.
pub(crate) async fn run(env: &Env, verb: Verb) -> CliResult {
    match verb {
        Verb::Apply(args) => apply::apply(env, &args).await,
        Verb::Approve(args) => approve::approve(env, &args).await,
        Verb::Complete(args) => complete::complete(env, &args).await,
        Verb::Config(args) => config::config(env, &args),
        Verb::Create(args) => create::create(env, &args).await,
        Verb::Dashboard(args) => dashboard::dashboard(env, &args).await,
        Verb::Delete(args) => delete::delete(env, &args).await,
        Verb::Describe(args) => describe::describe(env, &args).await,
        Verb::Diff(args) => diff::diff(env, &args).await,
        Verb::Doctor(args) => doctor::doctor(env, &args).await,
        Verb::Explain(args) => explain::explain(env, &args).await,
        Verb::Get(args) => get::get(env, &args).await,
        Verb::Grant(args) => grant::grant(env, &args).await,
        Verb::Login(args) => login::login(env, &args).await,
        Verb::Logout => logout::logout(env),
        Verb::Logs(args) => logs::logs(env, &args).await,
        Verb::Promote(args) => promote::promote(env, &args).await,
        Verb::Refresh(args) => refresh::refresh(env, &args).await,
        Verb::Respond(args) => respond::respond(env, &args).await,
        Verb::Revoke(args) => grant::revoke(env, &args).await,
        Verb::Rollback(args) => rollback::rollback(env, &args).await,
        Verb::Update(args) => update::update(env, &args).await,
        Verb::Verify(args) => verify::verify(env, &args).await,
        Verb::Version(args) => version::version(env, &args).await,
    }
}
