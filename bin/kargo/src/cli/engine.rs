//! What the embedded engine of a `kargo up` on this machine says about itself.

use std::{
    path::{Path, PathBuf},
    time::Duration,
};

use cli_client::BoxFuture;
use cli_verbs::ports::Engine;
use http::Request;
use io_kube::status_code;
use io_runtime::SystemEnvironment;
use serde_json::Value;

use crate::{place, settings::DataDirArg};

/// Longer than an engine that lives ever takes.
const PATIENCE: Duration = Duration::from_secs(10);

/// The data directories of this machine.
pub(super) struct ThisMachine;

impl Engine for ThisMachine {
    fn report(&self, data_dir: Option<PathBuf>) -> BoxFuture<'_, Result<Option<Value>, String>> {
        Box::pin(async move {
            let is_given = data_dir.is_some();
            let directory = DataDirArg::of(data_dir).resolve(&SystemEnvironment);
            let asked = match &directory {
                Ok(directory) => ask(directory).await,
                Err(_) => Err(Unanswered::Nobody),
            };
            let problem = match asked {
                Ok(report) => return Ok(Some(report)),
                // Most users have none.
                Err(Unanswered::Nobody) if !is_given => return Ok(None),
                Err(Unanswered::Nobody) => "no control plane runs here".to_owned(),
                Err(Unanswered::Refused(problem)) => problem,
            };
            let shown = directory.map(|directory| directory.display().to_string());
            Err(format!("{}: {problem}", shown.unwrap_or_default()))
        })
    }
}

/// Why an engine says nothing.
enum Unanswered {
    /// There is none.
    Nobody,
    /// It is there, and did not want to, or took too long.
    Refused(String),
}

async fn ask(directory: &Path) -> Result<Value, Unanswered> {
    let refused = |problem: &dyn std::fmt::Display| Unanswered::Refused(problem.to_string());
    let client = place::running(directory).await.map_err(|failure| refused(&failure))?;
    let client = client.ok_or(Unanswered::Nobody)?;
    let request =
        Request::get("/debug/engine").body(Vec::new()).map_err(|error| refused(&error))?;
    match tokio::time::timeout(PATIENCE, client.request::<Value>(request)).await {
        Ok(Ok(report)) => Ok(report),
        Ok(Err(error)) if status_code(&error).is_none() => Err(Unanswered::Nobody),
        Ok(Err(error)) => Err(refused(&error)),
        Err(_) => Err(Unanswered::Refused(format!("no answer within {PATIENCE:?}"))),
    }
}
