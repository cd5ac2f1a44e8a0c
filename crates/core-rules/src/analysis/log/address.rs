//! Where a log is, by the templates of the installation.

use std::fmt::Write as _;

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
    let known: [(&str, &str); 9] = [
        ("project", project),
        ("namespace", project),
        ("shard", shard),
        ("stage", &subject.stage),
        ("analysisRun", name(&run.metadata)),
        ("metricName", &subject.metric),
        ("jobNamespace", &subject.job_namespace),
        ("jobName", &subject.job_name),
        ("container", &subject.container),
    ];
    let escaped = known.iter().map(|(name, text)| Ok((*name, Value::text(escape(name, text)?))));
    let escaped: Variables = escaped.collect::<Result<Vec<_>, LogError>>()?.into_iter().collect();
    let url = evaluate("address", &settings.url, &escaped, now)?;
    let variables = Variables::from_iter(known.map(|(name, text)| (name, Value::text(text))));
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

/// A text as one part of an address. Names of metrics, Jobs and containers are words of users: they must not lead to
/// another path or host than the template means.
fn escape(name: &str, text: &str) -> Result<String, LogError> {
    if matches!(text, "." | "..") {
        let reason = format!("{name} is {text:?}");
        return Err(LogError::Template { what: "address".to_owned(), reason });
    }
    Ok(text.bytes().fold(String::new(), |mut escaped, byte| {
        match byte {
            b'-' | b'.' | b'_' | b'~' => escaped.push(char::from(byte)),
            _ if byte.is_ascii_alphanumeric() => escaped.push(char::from(byte)),
            _ => {
                // Writing to a text does not fail.
                let _ = write!(escaped, "%{byte:02X}");
            }
        }
        escaped
    }))
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
