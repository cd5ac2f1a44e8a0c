//! Where a log is, by the templates of the installation.

use api_analysis::AnalysisRun;
use core_clock::Time;
use core_expr::{Library, Scope, Template, Value, Variables};

use super::LogError;
use super::selection::LogSubject;
use crate::admission::metadata::{name, namespace};
use crate::credential::Secret;
use crate::wire_time::to_wire;

/// A header that is sent, as a template.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogHeader {
    /// The name.
    pub name: String,
    /// The template of the value.
    pub value: String,
}

/// The headers of a setting that reads `name=value,name=value`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Headers(pub Vec<LogHeader>);

/// An entry of the setting is not of the form `name=value`.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is not of the form name=value")]
pub struct HeaderError(String);

impl std::str::FromStr for Headers {
    type Err = HeaderError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let entries = text.split(',').map(str::trim).filter(|entry| !entry.is_empty());
        let header = |entry: &str| {
            let (name, value) = entry.split_once('=')?;
            let (name, value) = (name.trim().to_owned(), value.trim().to_owned());
            (!name.is_empty()).then_some(LogHeader { name, value })
        };
        let headers = entries
            .map(|entry| header(entry).ok_or_else(|| HeaderError(entry.to_owned())))
            .collect::<Result<_, _>>()?;
        Ok(Self(headers))
    }
}

/// What the installation says about logs.
#[derive(Clone, Debug, Default)]
pub struct LogSettings {
    /// The template of the address; empty when there are no logs.
    pub url: String,
    /// The headers.
    pub headers: Headers,
    /// What `token` is in headers.
    pub token: Secret,
}

/// Where a log is, and what to send there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogAddress {
    /// The address.
    pub url: String,
    /// The headers. They may hold the token.
    pub headers: Vec<(String, Secret)>,
}

/// The address of a log. `shard` is that of the Stage, empty when it has none.
pub fn address(
    settings: &LogSettings,
    run: &AnalysisRun,
    subject: &LogSubject,
    shard: &str,
    now: Time,
) -> Result<LogAddress, LogError> {
    if settings.url.is_empty() {
        return Err(LogError::NotConfigured);
    }
    let project = namespace(&run.metadata);
    let variables = Variables::from_iter([
        ("project", Value::text(project)),
        ("namespace", Value::text(project)),
        ("shard", Value::text(shard)),
        ("stage", Value::text(subject.stage.as_str())),
        ("analysisRun", Value::text(name(&run.metadata))),
        ("metricName", Value::text(subject.metric.as_str())),
        ("jobNamespace", Value::text(subject.job_namespace.as_str())),
        ("jobName", Value::text(subject.job_name.as_str())),
        ("container", Value::text(subject.container.as_str())),
    ]);
    let url = evaluate("address", &settings.url, &variables, now)?;
    let variables = if settings.token.is_empty() {
        variables
    } else {
        variables.with("token", Value::text(settings.token.expose()).tainted())
    };
    let headers = settings.headers.0.iter().map(|header| {
        let what = format!("header {:?}", header.name);
        let value = evaluate(&what, &header.value, &variables, now)?;
        Ok((header.name.clone(), Secret::new(value)))
    });
    Ok(LogAddress { url, headers: headers.collect::<Result<_, LogError>>()? })
}

fn evaluate(
    what: &str,
    template: &str,
    variables: &Variables,
    now: Time,
) -> Result<String, LogError> {
    let failed = |reason: String| LogError::Template { what: what.to_owned(), reason };
    let template = Template::parse(template).map_err(|error| failed(error.to_string()))?;
    let scope = Scope::new(variables, to_wire(now).0);
    let value = template
        .evaluate_text(Library::PLAIN, &scope)
        .map_err(|failure| failed(failure.to_string()))?;
    let text = value.as_text().map(|text| text.to_str().into_owned());
    text.ok_or_else(|| failed("the result is not a text".to_owned()))
}
