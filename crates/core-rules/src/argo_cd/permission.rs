//! Whether a Stage may change an Application.

use api_kinds::annotations;

use super::Application;
use crate::stage::{AuthorizedStagesError, parse_authorized_stages};

/// Why a Stage may not change an Application.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotAuthorized {
    /// The owner of the Application has not said that anybody may.
    #[error(
        "Application {application:?} does not permit changes by any Stage: annotate it with {}: {project}:{stage}",
        annotations::AUTHORIZED_STAGE
    )]
    Unannotated { application: String, project: String, stage: String },
    /// What the owner said makes no sense, so nobody may.
    #[error(
        "annotation {} of Application {application:?} is invalid",
        annotations::AUTHORIZED_STAGE
    )]
    Unreadable {
        application: String,
        #[source]
        cause: AuthorizedStagesError,
    },
    /// The owner named others.
    #[error(
        "Application {application:?} does not permit changes by Stage {stage:?} of Project {project:?}: its annotation {} names others",
        annotations::AUTHORIZED_STAGE
    )]
    Others { application: String, project: String, stage: String },
}

/// Whether the Stage may change the Application.
pub fn authorize(
    application: &Application,
    project: &str,
    stage: &str,
) -> Result<(), NotAuthorized> {
    let names = || (application.key(), project.to_owned(), stage.to_owned());
    let Some(value) = application.metadata.annotations.get(annotations::AUTHORIZED_STAGE) else {
        let (application, project, stage) = names();
        return Err(NotAuthorized::Unannotated { application, project, stage });
    };
    let stages = parse_authorized_stages(value)
        .map_err(|cause| NotAuthorized::Unreadable { application: application.key(), cause })?;
    if stages.iter().any(|entry| entry.project == project && entry.stage == stage) {
        return Ok(());
    }
    let (application, project, stage) = names();
    Err(NotAuthorized::Others { application, project, stage })
}
