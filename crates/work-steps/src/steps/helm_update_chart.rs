//! `helm-update-chart`: sets versions of a chart's dependencies and fetches them.
//!
//! When the lock says the same as before, its bytes stay as they were: Helm would give it a new date.

use std::fmt::Write as _;

use core_edit::{KeyPath, Scalar, yaml};
use schemars::JsonSchema;
use serde::Deserialize;

use super::{
    helm::{Access, Chart, Fetch, Lock, fetch},
    render::Home,
};
use crate::{
    Credentials, Network, Outcome, Programs, Registries, Step, StepCx, StepError, StepResult,
};

/// The step.
pub(crate) struct HelmUpdateChart;

/// Its configuration.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Config {
    /// The directory of the chart, relative to the work directory.
    #[schemars(length(min = 1))]
    path: String,
    /// Dependencies to set; without any, `Chart.yaml` stays and its ranges decide.
    #[serde(default)]
    #[schemars(with = "Vec<Wanted>", length(min = 1))]
    charts: Option<Vec<Wanted>>,
}

/// A dependency and its new version.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Wanted {
    /// The repository, exactly as `Chart.yaml` has it.
    #[schemars(length(min = 1))]
    repository: String,
    /// The name of the dependency.
    #[schemars(length(min = 1))]
    name: String,
    /// The version to set.
    #[schemars(length(min = 1))]
    version: String,
}

impl Step for HelmUpdateChart {
    const KIND: &'static str = "helm-update-chart";
    const IS_QUIET: bool = true;
    type Config = Config;
    type Needs = (Programs, Credentials, Registries, Network);

    async fn run(
        &self,
        config: Config,
        (programs, credentials, registries, network): Self::Needs,
        cx: &StepCx<'_>,
    ) -> StepResult {
        let Config { path, charts } = config;
        let chart = Chart::read(&path, cx.files)?;
        let before = Lock::read(&chart, cx.files)?;
        let chart = set_versions(chart, &charts.unwrap_or_default(), &path, cx)?;
        let access = Access { credentials, registries, network };
        let home = Home::create(&programs, cx).await?;
        fetch(&chart, Fetch::Newest, &home, &access, cx).await?;
        let after = Lock::read(&chart, cx.files)?;
        let changes = before.changes(&after);
        if changes.is_empty() {
            if let Some(content) = &before.content {
                cx.files.write(chart.path.join("Chart.lock"), content)?;
            }
            return Ok(Outcome::done());
        }
        let mut message = format!("Updated chart dependencies for {path}\n");
        for (name, change) in changes {
            // Writing to a String cannot fail.
            let _ = write!(message, "\n- {name}: {change}");
        }
        Ok(Outcome::done().with("commitMessage", message))
    }
}

/// The chart with the versions that are wanted, also in its file.
fn set_versions(
    chart: Chart,
    wanted: &[Wanted],
    path: &str,
    cx: &StepCx<'_>,
) -> Result<Chart, StepError> {
    let mut updates = Vec::new();
    for Wanted { repository, name, version } in wanted {
        let found = chart.dependencies.iter().enumerate().find(|(_, dependency)| {
            dependency.name == *name && dependency.repository == *repository
        });
        let Some((index, dependency)) = found else {
            return Err(StepError::retryable(format!(
                "the chart {path} has no dependency {name} from {repository}: both must be as in Chart.yaml"
            )));
        };
        if dependency.version != *version {
            let key = format!("dependencies.{index}.version");
            updates.push((KeyPath::parse(&key), Scalar::Text(version.clone())));
        }
    }
    if updates.is_empty() {
        return Ok(chart);
    }
    let unchanged = |error: core_edit::EditError| {
        StepError::retryable(format!("{path}/Chart.yaml could not be changed: {error}"))
    };
    let updates: Vec<_> = updates
        .into_iter()
        .map(|(key, value)| Ok((key?, value)))
        .collect::<Result<_, _>>()
        .map_err(unchanged)?;
    let text = yaml::update(&chart.text, &updates).map_err(unchanged)?;
    cx.files.write(chart.file(), text.as_bytes())?;
    Chart::read(path, cx.files)
}
