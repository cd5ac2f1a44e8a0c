//! The way into a real cluster.

use core_clock::Environment;
use kube::{
    Client, Config,
    config::{KubeConfigOptions, Kubeconfig},
};

use crate::exit::{Exit, Failure};

/// A client for the cluster that `KUBECONFIG` names, or for the one that this process runs in.
pub(crate) async fn client(environment: &dyn Environment) -> Result<Client, Failure> {
    let config = match environment.var("KUBECONFIG") {
        Some(path) => from_file(&path).await?,
        None => Config::incluster().map_err(|error| {
            Failure::usage(error)
                .hint("set KUBECONFIG to the kubeconfig of a cluster, or run inside one")
        })?,
    };
    Client::try_from(config).map_err(|error| Failure::new(Exit::Error, error))
}

async fn from_file(path: &str) -> Result<Config, Failure> {
    let unusable = |error| Failure::usage(error).hint(format!("KUBECONFIG is {path}"));
    let kubeconfig = Kubeconfig::read_from(path).map_err(unusable)?;
    Config::from_custom_kubeconfig(kubeconfig, &KubeConfigOptions::default())
        .await
        .map_err(unusable)
}
