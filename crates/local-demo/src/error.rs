//! What can go wrong with a demo.

use std::path::PathBuf;

/// Why something of the demo failed.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The directory cannot be used.
    #[error("the directory of the demo, {}", path.display())]
    Directory {
        path: PathBuf,
        #[source]
        source: std::io::Error,
    },
    /// A file in it is not what was written there.
    #[error("{} is damaged; remove it to start the demo afresh", path.display())]
    Damaged {
        path: PathBuf,
        #[source]
        source: serde_json::Error,
    },
    /// The `git` program failed.
    #[error("the Git repository of the demo")]
    Git(#[source] io_exec::Error),
    /// There is no `git`.
    #[error("the demo needs the git program, which is not on the PATH")]
    NoGit,
    /// The control plane refused something, or did not answer.
    #[error("{what}")]
    Api {
        what: String,
        #[source]
        source: Box<kube::Error>,
    },
    /// An object of the demo cannot be read; a mistake of ours.
    #[error("an object of the demo: {0}")]
    Object(String),
}

impl Error {
    pub(crate) fn api(what: impl Into<String>) -> impl FnOnce(kube::Error) -> Self {
        let what = what.into();
        move |source| Self::Api { what, source: Box::new(source) }
    }
}
