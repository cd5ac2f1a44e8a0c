//! What went wrong on a cluster, and what to do about it.

use std::fmt;

use io_kube::status_code;

use crate::exit::{Exit, Failure, with_causes};

const GRANT: &str =
    "use the kubeconfig of a cluster administrator, or have this permission granted";

/// What the API server answered, or why it did not.
#[derive(Debug)]
struct Refused {
    what: String,
    why: String,
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "cannot {}: {}", self.what, self.why)
    }
}

impl std::error::Error for Refused {}

/// The failure of one request: what was tried decides the sentence, the answer decides the exit code.
pub(super) fn request_failure(what: impl Into<String>, error: &kube::Error) -> Failure {
    let refused = Refused { what: what.into(), why: explain(error) };
    if refused.why.contains("is being terminated") {
        return Failure::new(Exit::Error, refused).hint("wait until it is gone, then start again");
    }
    match status_code(error) {
        Some(401 | 403) => Failure::new(Exit::ClusterForbids, refused).hint(GRANT),
        Some(_) => Failure::new(Exit::Error, refused),
        None => Failure::new(Exit::ClusterUnreachable, refused)
            .hint("does `kubectl --kubeconfig FILE version` reach the cluster?"),
    }
}

/// The error in the words of the API server, without the wrapping of the client.
pub(super) fn explain(error: &kube::Error) -> String {
    if let kube::Error::Api(status) = error {
        return status.message.clone();
    }
    with_causes(error)
}
