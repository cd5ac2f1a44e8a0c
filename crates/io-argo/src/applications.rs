//! The Applications of the cluster where Argo CD runs.

use kube::Client;

/// Reads and changes Applications. Cheap to clone.
#[derive(Clone)]
pub struct Applications {
    client: Client,
    /// Where Applications are looked for that are named without a namespace.
    default_namespace: String,
}

impl Applications {
    /// Applications behind a client of the cluster where Argo CD runs.
    pub fn new(client: Client, default_namespace: impl Into<String>) -> Self {
        Self { client, default_namespace: default_namespace.into() }
    }
}
