//! Who measures a metric.

use std::{collections::BTreeMap, time::Duration};

use api_analysis::{JobProvider, Metric, PrometheusProvider, WebProvider};
use serde::Deserialize;
use serde_json::Value;

use super::limits::span;

/// The plugin that runs a program of the machine. Argo Rollouts has none of this name.
pub const COMMAND_PLUGIN: &str = "kargo.akuity.io/command";

/// How long a web metric waits where it does not say.
const WEB_TIMEOUT: Duration = Duration::from_secs(10);
/// How long a query waits where it does not say.
const PROMETHEUS_TIMEOUT: Duration = Duration::from_secs(30);
/// How long a program may run where its metric does not say.
const COMMAND_TIMEOUT: Duration = Duration::from_secs(30);
/// No measurement waits longer, whatever its metric says.
const LONGEST: Duration = Duration::from_mins(10);

/// Why nobody measures a metric.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ProviderError {
    /// None is named.
    #[error("no provider specified")]
    Missing,
    /// More than one is named.
    #[error("multiple providers specified")]
    Several,
    /// Only Argo Rollouts knows this one.
    #[error(
        "provider {0} is not known here; use web, prometheus, job or the plugin {COMMAND_PLUGIN}, \
         or leave the run to Argo Rollouts"
    )]
    Unknown(String),
    /// The fields of the command are wrong.
    #[error("plugin {COMMAND_PLUGIN}: {0}")]
    Command(String),
}

/// Who measures, and what it is asked.
#[derive(Clone, Debug, PartialEq)]
pub enum Source<'a> {
    /// An HTTP server.
    Web(&'a WebProvider),
    /// Prometheus.
    Prometheus(&'a PrometheusProvider),
    /// A Job of the cluster.
    Job(&'a JobProvider),
    /// A program of the machine.
    Command(Command),
}

/// A program to run. It measures well when it ends with 0; what it prints is the result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Command {
    /// The program: a name on the path of the executor, or an absolute path.
    pub program: String,
    /// Its arguments. Everybody on the machine can read them.
    pub arguments: Vec<String>,
    /// Its environment, beside the path.
    pub environment: BTreeMap<String, String>,
    /// How long it may run.
    pub timeout: Duration,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct CommandFields {
    command: String,
    #[serde(default)]
    args: Vec<String>,
    #[serde(default)]
    env: BTreeMap<String, String>,
    timeout: Option<String>,
}

impl<'a> Source<'a> {
    /// The one provider of a metric.
    pub fn of(metric: &'a Metric) -> Result<Self, ProviderError> {
        let provider = &metric.provider;
        let others = provider.others.iter().filter(|(_, value)| !value.is_null());
        let count = [provider.web.is_some(), provider.prometheus.is_some(), provider.job.is_some()]
            .into_iter()
            .filter(|&is_there| is_there)
            .count()
            + provider.plugin.len()
            + others.clone().count();
        match count {
            0 => return Err(ProviderError::Missing),
            1 => {}
            _ => return Err(ProviderError::Several),
        }
        if let Some(web) = &provider.web {
            return Ok(Self::Web(web));
        }
        if let Some(prometheus) = &provider.prometheus {
            return Ok(Self::Prometheus(prometheus));
        }
        if let Some(job) = &provider.job {
            return Ok(Self::Job(job));
        }
        match provider.plugin.iter().chain(others).next() {
            Some((name, fields)) if name == COMMAND_PLUGIN => command(fields).map(Self::Command),
            Some((name, _)) => Err(ProviderError::Unknown(name.clone())),
            None => Err(ProviderError::Missing),
        }
    }

    /// How long to wait for the measurement; a Job takes as long as its spec says.
    pub fn timeout(&self) -> Option<Duration> {
        let seconds = |seconds: i64| u64::try_from(seconds).ok().map(Duration::from_secs);
        let timeout = match self {
            Self::Web(web) => seconds(web.timeout_seconds)
                .filter(|timeout| !timeout.is_zero())
                .unwrap_or(WEB_TIMEOUT),
            Self::Prometheus(prometheus) => {
                prometheus.timeout.and_then(seconds).unwrap_or(PROMETHEUS_TIMEOUT)
            }
            Self::Command(command) => command.timeout,
            Self::Job(_) => return None,
        };
        Some(timeout.min(LONGEST))
    }
}

fn command(fields: &Value) -> Result<Command, ProviderError> {
    let wrong = |problem: String| ProviderError::Command(problem);
    let fields =
        CommandFields::deserialize(fields).map_err(|problem| wrong(problem.to_string()))?;
    if fields.command.is_empty() {
        return Err(wrong("command must not be empty".to_owned()));
    }
    let timeout = match fields.timeout {
        None => COMMAND_TIMEOUT,
        Some(text) => span(&text)
            .filter(|timeout| !timeout.is_zero())
            .ok_or_else(|| wrong(format!("timeout \"{text}\" is not a duration such as 30s")))?,
    };
    Ok(Command {
        program: fields.command,
        arguments: fields.args,
        environment: fields.env,
        timeout,
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn source(provider: Value) -> Result<(&'static str, Option<Duration>), String> {
        let metric = serde_json::from_value(json!({"name": "m", "provider": provider})).unwrap();
        let source = Source::of(&metric).map_err(|error| error.to_string())?;
        let name = match source {
            Source::Web(_) => "web",
            Source::Prometheus(_) => "prometheus",
            Source::Job(_) => "job",
            Source::Command(_) => "command",
        };
        Ok((name, source.timeout()))
    }

    #[test]
    fn each_provider_has_its_patience() {
        let seconds = |seconds| Some(Duration::from_secs(seconds));
        let command = |fields| json!({"plugin": {(COMMAND_PLUGIN): fields}});
        let rows = [
            (json!({"web": {"url": "x"}}), ("web", seconds(10))),
            (json!({"web": {"url": "x", "timeoutSeconds": 3}}), ("web", seconds(3))),
            (json!({"web": {"url": "x", "timeoutSeconds": 99_999}}), ("web", seconds(600))),
            (json!({"prometheus": {"query": "x"}}), ("prometheus", seconds(30))),
            (json!({"prometheus": {"timeout": 5}}), ("prometheus", seconds(5))),
            (json!({"job": {"spec": {}}}), ("job", None)),
            (command(json!({"command": "true"})), ("command", seconds(30))),
            (command(json!({"command": "true", "timeout": "2m"})), ("command", seconds(120))),
        ];
        for (provider, expected) in rows {
            assert_eq!(source(provider.clone()), Ok(expected), "{provider}");
        }
    }

    #[test]
    fn what_nobody_measures_is_told() {
        let rows = [
            (json!({}), "no provider specified"),
            (json!({"web": {"url": "x"}, "job": {"spec": {}}}), "multiple providers specified"),
            (json!({"datadog": {"query": "x"}}), "provider datadog is not known here"),
            (json!({"plugin": {"a/b": {}}}), "provider a/b is not known here"),
            (json!({"plugin": {(COMMAND_PLUGIN): {}}}), "missing field `command`"),
            (json!({"plugin": {(COMMAND_PLUGIN): {"command": ""}}}), "must not be empty"),
            (
                json!({"plugin": {(COMMAND_PLUGIN): {"command": "x", "timeout": "soon"}}}),
                "timeout \"soon\" is not a duration",
            ),
        ];
        for (provider, expected) in rows {
            let error = source(provider).unwrap_err();
            assert!(error.contains(expected), "{error}");
        }
    }
}
