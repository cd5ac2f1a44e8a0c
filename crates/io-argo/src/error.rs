//! What goes wrong with Applications.

/// Why an Application could not be read or changed.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The cluster does not know Applications.
    #[error(
        "the cluster does not serve Argo CD Applications (argoproj.io/v1alpha1): install Argo CD, or point the controller at its cluster"
    )]
    NotServed,
    /// Somebody else changed the Application meanwhile.
    #[error("Application \"{namespace}/{name}\" kept changing while it was being updated")]
    Conflict { namespace: String, name: String },
    /// An Application is not what Argo CD would write.
    #[error("Application {key:?} could not be read")]
    Unreadable {
        key: String,
        #[source]
        cause: serde_json::Error,
    },
    /// The cluster refused or did not answer.
    #[error("{action} failed")]
    Request {
        action: String,
        #[source]
        cause: Box<kube::Error>,
    },
    /// The cluster did not answer in time.
    #[error("{action} took longer than {seconds} s")]
    Deadline { action: String, seconds: u64 },
}
