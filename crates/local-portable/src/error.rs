//! What can go wrong, each with what to do about it.

use std::path::PathBuf;

/// Why a control plane was not saved, restored or moved.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A file cannot be read or written.
    #[error("{}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// Why.
        #[source]
        source: std::io::Error,
    },
    /// A file is no archive, or not all of it is there.
    #[error("{} is not a whole portable backup: {why}", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        why: String,
    },
    /// The archive has a format that came later.
    #[error("{} has format {found}, and this version of kargo reads up to {known}", path.display())]
    NewerFormat {
        /// The file.
        path: PathBuf,
        /// Its format.
        found: u64,
        /// The newest format that is read.
        known: u64,
    },
    /// Secrets are sealed, and the key does not open them.
    #[error("the Secrets of {} are sealed: {why}", path.display())]
    Sealed {
        /// The file.
        path: PathBuf,
        /// Why they stay so.
        why: String,
    },
    /// A key to seal or open Secrets with cannot be used.
    #[error("{0}")]
    Key(String),
    /// An object cannot be written down.
    #[error("cannot write {object} as YAML: {why}")]
    Encode {
        /// The object.
        object: String,
        /// Why.
        why: String,
    },
    /// There is no control plane.
    #[error("the API server knows no Projects: there is no Kargo")]
    NoKargo,
    /// The API server refused something, or did not answer.
    #[error("cannot {what}")]
    Api {
        /// What was tried.
        what: String,
        /// What it said.
        #[source]
        source: Box<kube::Error>,
    },
    /// The caller lacks permissions.
    #[error("the user of the kubeconfig may not {}", .0.join(", "))]
    Forbidden(Vec<String>),
    /// The target has objects of its own.
    #[error("the target is not empty: it has {0}")]
    NotEmpty(String),
    /// Something works on the control plane.
    #[error("controllers are at work: {}", .0.join(", "))]
    Working(Vec<String>),
    /// A `kargo up` with its own engine: its controllers work, and its rules cannot be taken out.
    #[error("a running kargo up with an embedded engine is behind this kubeconfig")]
    Running,
    /// A restore of another archive was begun and not ended.
    #[error("the restore of another backup, made at {0}, was begun here and not ended")]
    Another(String),
    /// A kind that was installed is not served.
    #[error("the target does not serve {0} within {1} s")]
    NotServed(String, u64),
    /// The disk of the target is full.
    #[error("no room is left where the target keeps its objects: {0}")]
    TargetFull(String),
}

impl Error {
    /// What was tried when the API server failed.
    pub(crate) fn api(what: impl Into<String>) -> impl FnOnce(kube::Error) -> Self {
        let what = what.into();
        move |source| Self::Api { what, source: Box::new(source) }
    }

    /// What to do about it.
    pub fn hint(&self) -> Option<String> {
        let hint = match self {
            Self::Damaged { .. } => {
                "copy the file again from where it was made, or use another one"
            }
            Self::NewerFormat { .. } => "use the version of kargo that wrote it, or a newer one",
            Self::Sealed { .. } => {
                "pass --passphrase-file or --identity with what the backup was made with"
            }
            Self::NoKargo => "is it the right cluster and context?",
            Self::Forbidden(_) => {
                "use the kubeconfig of a cluster administrator, or have these permissions granted"
            }
            Self::NotEmpty(_) => {
                "restore into an empty control plane, or pass --merge to add what is missing and keep what is there"
            }
            Self::Working(_) => {
                "stop kargo up, or scale its controllers, management controller and garbage collector to 0; \
                 the Lease of a process that was killed runs out within two minutes"
            }
            Self::Running => "stop it, and name its directory with --data-dir instead",
            Self::Another(_) => {
                "run that restore again to end it, or pass --merge to leave it as it is"
            }
            Self::TargetFull(_) => {
                "free some space on that disk, then run the same command again to go on"
            }
            Self::Api { source, .. } => match io_kube::status_code(source) {
                Some(401 | 403) => {
                    "use the kubeconfig of a cluster administrator, or have this permission granted"
                }
                Some(_) => return None,
                None => "when the API server answers again, run the same command again to go on",
            },
            _ => return None,
        };
        Some(hint.to_owned())
    }
}
