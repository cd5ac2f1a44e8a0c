//! What the git steps share: the work tree behind a path, the people who commit, and what errors mean.

mod author;
mod preview;

use io_git::{Desk, Repository, Store, WorkError, WorkTree};

pub(crate) use self::{author::Author, preview::PushPreview};
use crate::{Credentials, StepCx, StepError};

/// Where the Promotion keeps its repositories and files.
pub(crate) fn desk<'a>(cx: &StepCx<'a>) -> Desk<'a> {
    Desk { private: cx.private, files: cx.files }
}

/// The work tree that the user's path is, or is inside of.
pub(crate) fn open(cx: &StepCx<'_>, store: &Store, path: &str) -> Result<WorkTree, StepError> {
    store.work_tree(desk(cx), path).map_err(failure)
}

/// The repository that a work tree was cloned from, with the credential of the Project.
pub(crate) async fn remote(
    cx: &StepCx<'_>,
    credentials: &Credentials,
    tree: &WorkTree,
) -> Result<Repository, StepError> {
    let credential = credentials.find(cx, io_creds::Kind::Git, tree.url()).await?;
    tree.repository(credential).map_err(failure)
}

/// What an error of git means for a step: what only the user can mend fails it for good.
pub(crate) fn failure(error: WorkError) -> StepError {
    match error {
        WorkError::Conflict { .. } | WorkError::RebaseUnsafe { .. } => {
            StepError::failed(error.to_string())
        }
        WorkError::Files(error) => error.into(),
        _ => StepError::retryable(error.to_string()),
    }
}
