//! A controller as people write them with kube-rs: it brings its kind, works only while it leads, and ends when it no
//! longer does.

mod backoff;
mod controller;
mod election;
mod kind;

use std::path::PathBuf;

use anyhow::Result;
use clap::Parser;
use kube::{
    Client, Config,
    config::{KubeConfigOptions, Kubeconfig},
};

use crate::election::Election;

/// See to the Shelves of a namespace
#[derive(Parser)]
struct Args {
    /// The API server
    #[arg(long)]
    kubeconfig: PathBuf,
    /// Where the Shelves are
    #[arg(long)]
    namespace: String,
    /// A name that no other replica has
    #[arg(long)]
    identity: String,
    /// For how many seconds a replica leads without being heard of
    #[arg(long)]
    lease: u32,
}

#[tokio::main]
async fn main() -> Result<()> {
    let args = Args::parse();
    let kubeconfig = Kubeconfig::read_from(&args.kubeconfig)?;
    let config = Config::from_custom_kubeconfig(kubeconfig, &KubeConfigOptions::default()).await?;
    let client = Client::try_from(config)?;
    kind::install(&client).await?;
    let election = Election::new(client.clone(), &args.namespace, &args.identity, args.lease);
    election.win().await;
    println!("{} leads", args.identity);
    tokio::select! {
        () = controller::run(client, &args.namespace) => anyhow::bail!("the watches have ended"),
        lost = election.lose() => Err(lost),
    }
}
