//! Who may do what, proved on an API server: every identity is asked about every verb on every
//! resource in every kind of namespace. What the table lists is allowed, all else is refused.
//!
//! `permissions` starts the embedded engine; `permissions --kubeconfig FILE` takes a control plane
//! that already runs, for which FILE must be an administrator's.

#![allow(
    clippy::disallowed_methods,
    clippy::indexing_slicing,
    clippy::print_stdout,
    reason = "a test program on the real clock that reports to a person; what JSON lacks reads as null"
)]

mod catalog;
mod install;
mod named;
mod proof;
mod table;
#[cfg(test)]
mod tests;

use std::{path::PathBuf, process::ExitCode};

use anyhow::Result;
use clap::Parser;
use dev_testkit::engine::Engine;
use kube::{
    Client, Config,
    config::{KubeConfigOptions, Kubeconfig},
};

use crate::proof::Outcome;

/// Hold the permissions of every identity against a table
#[derive(Parser)]
struct Args {
    /// Use a control plane that already runs
    #[arg(long)]
    kubeconfig: Option<PathBuf>,
}

#[tokio::main]
async fn main() -> Result<ExitCode> {
    let args = Args::parse();
    let outcome = match args.kubeconfig {
        Some(file) => prove(&connect(file).await?).await?,
        None => prove(&Engine::start().await?.admin_client()).await?,
    };
    println!("{outcome}");
    Ok(if outcome.differences.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

async fn prove(client: &Client) -> Result<Outcome> {
    install::install(client).await?;
    proof::prove(client).await
}

async fn connect(file: PathBuf) -> Result<Client> {
    let kubeconfig = Kubeconfig::read_from(file)?;
    let config = Config::from_custom_kubeconfig(kubeconfig, &KubeConfigOptions::default()).await?;
    Ok(Client::try_from(config)?)
}
