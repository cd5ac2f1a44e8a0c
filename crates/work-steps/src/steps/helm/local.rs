//! Charts that others depend on by a path, and links in charts: none may lead out of the work directory.

use std::path::{Path, PathBuf};

use io_exec::{Descend, FileKind, Jail};

use super::Chart;
use crate::StepError;

const PREFIX: &str = "file://";

/// Refuses a chart, or charts that it depends on by a path, that lead out of the work directory.
pub(crate) async fn check_links(chart: &Chart, files: &Jail) -> Result<(), StepError> {
    let mut directories = vec![chart.path.clone()];
    for dependency in &chart.dependencies {
        let Some(place) = dependency.repository.strip_prefix(PREFIX) else { continue };
        directories.push(beneath(chart, place, files)?);
    }
    files
        .blocking(move |files| {
            directories.iter().try_for_each(|directory| check_tree(directory, files))
        })
        .await
}

/// Where a dependency is that a chart names by a path.
fn beneath(chart: &Chart, place: &str, files: &Jail) -> Result<PathBuf, StepError> {
    if Path::new(place).is_absolute() {
        return Err(StepError::retryable(format!(
            "the dependency {PREFIX}{place} of {} is not relative to the chart, as it has to be",
            chart.path.display()
        )));
    }
    let directory = chart.path.join(place);
    if leads_out(&directory, files) {
        return Err(StepError::retryable(format!(
            "the dependency {PREFIX}{place} of {} leads out of the work directory",
            chart.path.display()
        )));
    }
    Ok(directory)
}

fn check_tree(directory: &Path, files: &Jail) -> Result<(), StepError> {
    // What is an archive, or not there at all, the program tells better.
    let found = files.find(directory)?;
    if found.is_none_or(|metadata| metadata.kind != FileKind::Directory) {
        return Ok(());
    }
    files.walk(directory, |entry| {
        let path = directory.join(&entry.path);
        if entry.metadata.kind == FileKind::Symlink && leads_out(&path, files) {
            let path = path.display();
            return Err(StepError::retryable(format!(
                "{path} is a link that leads out of the work directory"
            )));
        }
        Ok(Descend::Into)
    })
}

/// Whether a path leads out when all its links are followed, the last one too.
fn leads_out(path: &Path, files: &Jail) -> bool {
    files.locate_beneath(path.join("inside")).is_err()
}
