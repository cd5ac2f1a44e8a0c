//! How to run on a cluster.

use std::{
    path::{Path, PathBuf},
    time::Duration,
};

/// How to run on a cluster.
#[derive(clap::Args, Debug)]
#[command(next_help_heading = "On a cluster")]
pub(crate) struct ClusterArgs {
    /// Run on the cluster of this kubeconfig: install what is missing, serve its webhooks, run all components here
    #[arg(
        long,
        value_name = "FILE",
        conflicts_with_all = [
            "data_dir", "in_memory", "kube_address", "kube_port", "history_seconds", "event_ttl_seconds", "demo",
            "encryption_key_file", "allow_network_file_system", "audit_log", "replica",
        ]
    )]
    kubeconfig: Option<PathBuf>,
    /// Context of the kubeconfig, if not its current one
    #[arg(long, value_name = "NAME", requires = "kubeconfig")]
    pub(super) context: Option<String>,
    /// Name or address of this machine by which the cluster reaches it [default: the address that reaches the cluster]
    #[arg(long, value_name = "HOST", requires = "kubeconfig")]
    pub(super) webhook_host: Option<String>,
    /// Port of the webhooks; 0 picks a free one
    #[arg(long, value_name = "PORT", default_value_t = 9443, requires = "kubeconfig")]
    pub(super) webhook_port: u16,
    /// How long a component uses a token before it gets a new one, in seconds
    #[arg(
        long,
        value_name = "SECONDS",
        default_value_t = 2700,
        value_parser = clap::value_parser!(u64).range(1..=86_400),
        requires = "kubeconfig"
    )]
    token_renewal_seconds: u64,
    /// Only take the webhooks of a run that did not stop cleanly out of the cluster
    #[arg(long, requires = "kubeconfig")]
    pub(super) uninstall_webhooks: bool,
}

impl ClusterArgs {
    /// The kubeconfig; without one there is no cluster.
    pub(crate) fn kubeconfig(&self) -> Option<&Path> {
        self.kubeconfig.as_deref()
    }

    /// How long a component uses a token.
    pub(super) fn token_renewal(&self) -> Duration {
        Duration::from_secs(self.token_renewal_seconds)
    }
}
