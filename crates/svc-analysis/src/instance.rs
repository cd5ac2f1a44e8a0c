//! Whose runs are ours.
//!
//! Argo Rollouts takes the runs that carry its instance id, or those without a label when it has
//! none. We do the same, and keep out of its way: without an id we do not work where it might.

use api_analysis::{API_VERSION, AnalysisRun, INSTANCE_ID_LABEL};
use io_kube::status_code;
use kube::{Client, Resource};

/// Why runs are not carried out here.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Another replica works now. The process must end its tasks.
    #[error(
        "lost the Lease: another replica carries out AnalysisRuns, or the API server did not answer"
    )]
    LostLeadership,
    /// Nobody could create a run.
    #[error(
        "the API server does not know AnalysisRuns ({API_VERSION}); install the \
         CustomResourceDefinitions of Argo Rollouts, or do not start the analysis controller"
    )]
    Kinds,
    /// Argo Rollouts may take the same runs.
    #[error(
        "Argo Rollouts is installed and takes AnalysisRuns without the label {INSTANCE_ID_LABEL}; \
         set ANALYSIS_CONTROLLER_INSTANCE_ID here, and ROLLOUTS_CONTROLLER_INSTANCE_ID of the \
         controller to the same value, or leave AnalysisRuns to Argo Rollouts"
    )]
    Rollouts,
    /// The API server does not say what it serves.
    #[error("the API server does not tell which kinds it serves: {0}")]
    Unknown(#[source] kube::Error),
}

/// What an API server has beside AnalysisRuns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Served {
    /// Whether metrics can be measured by Jobs.
    pub(crate) jobs: bool,
}

/// Finds out whether an executor with this id can work, and with what.
pub(crate) async fn probe(client: &Client, id: Option<&str>) -> Result<Served, Error> {
    let kinds = resources(client, API_VERSION).await?;
    if !kinds.iter().any(|plural| *plural == AnalysisRun::plural(&())) {
        return Err(Error::Kinds);
    }
    if id.is_none() && kinds.iter().any(|plural| plural == "rollouts") {
        return Err(Error::Rollouts);
    }
    let jobs = resources(client, "batch/v1").await?.iter().any(|plural| plural == "jobs");
    Ok(Served { jobs })
}

/// The kinds of a group, by plural; none when the group is not served.
async fn resources(client: &Client, version: &str) -> Result<Vec<String>, Error> {
    match client.list_api_group_resources(version).await {
        Ok(list) => Ok(list.resources.into_iter().map(|resource| resource.name).collect()),
        Err(error) if status_code(&error) == Some(404) => Ok(Vec::new()),
        Err(error) => Err(Error::Unknown(error)),
    }
}

/// The selector of the runs that an executor with this id takes.
pub(crate) fn selector(id: Option<&str>) -> String {
    match id {
        Some(id) => format!("{INSTANCE_ID_LABEL}={id}"),
        None => format!("!{INSTANCE_ID_LABEL}"),
    }
}
