//! Takes one measurement: reads the arguments, asks the provider, judges the answer.

mod command;
mod oauth;
mod prometheus;
mod request;
mod web;

use std::sync::Arc;

use api_analysis::{AnalysisPhase, AnalysisRun, Measurement, Metric};
use core_clock::Clock;
use core_rules::{
    analysis::{Arguments, Reading, Source},
    wire_time::to_wire,
};
use io_exec::Exec;
use io_http::outbound::Outbound;
use jiff::Timestamp;
use kube::Client;

use crate::{
    measurements::Outcome,
    secret::{Secrets, Unresolved},
    settings::Settings,
};

/// The longest value that a status holds.
const MAX_VALUE: usize = 4 * 1024;
/// The longest message.
const MAX_MESSAGE: usize = 1024;

/// Takes measurements. Clones share everything.
#[derive(Clone)]
pub(crate) struct Measurer {
    pub(crate) client: Client,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) outbound: Outbound,
    pub(crate) exec: Exec,
    pub(crate) settings: Arc<Settings>,
}

/// What a provider gave.
enum Answer {
    /// Something to judge.
    Read(Reading),
    /// It judged itself.
    Failed { value: String, message: String },
}

impl Measurer {
    /// Measures a metric of a run.
    pub(crate) async fn measure(&self, run: &AnalysisRun, metric: &str) -> Outcome {
        let started_at = Some(to_wire(self.clock.now()));
        let measured = match self.resolve(run, metric).await {
            Ok((metric, secrets)) => self.measured(&metric, &secrets).await,
            Err(Unresolved::Lasting(problem)) => return Outcome::Unresolved(problem),
            Err(Unresolved::Temporary(problem)) => failed(AnalysisPhase::Error, bounded(&problem)),
        };
        let finished_at = Some(to_wire(self.clock.now()));
        Outcome::Measured(Measurement { started_at, finished_at, ..measured })
    }

    /// The metric with all of its arguments, and what of it nobody may see.
    pub(crate) async fn resolve(
        &self,
        run: &AnalysisRun,
        metric: &str,
    ) -> Result<(Metric, Secrets), Unresolved> {
        let namespace = run.metadata.namespace.as_deref().unwrap_or_default();
        let secrets = Secrets::read(&self.client, namespace, &run.spec.args).await?;
        match with_arguments(run, metric, &secrets) {
            Ok(metric) => Ok((metric, secrets)),
            Err(problem) => Err(Unresolved::Lasting(bounded(&secrets.blank(&problem)))),
        }
    }

    async fn measured(&self, metric: &Metric, secrets: &Secrets) -> Measurement {
        let measured = match self.ask(metric, secrets).await {
            Ok(answer) => self.judge(metric, answer),
            Err(problem) => failed(AnalysisPhase::Error, problem),
        };
        let told = measured.metadata.into_iter();
        Measurement {
            metadata: told.map(|(key, value)| (key, secrets.blank(&value))).collect(),
            value: bounded_to(&secrets.blank(&measured.value), MAX_VALUE),
            message: bounded(&secrets.blank(&measured.message)),
            ..measured
        }
    }

    async fn ask(&self, metric: &Metric, secrets: &Secrets) -> Result<Answer, String> {
        let source = Source::of(metric).map_err(|error| error.to_string())?;
        let timeout = source.timeout().unwrap_or_default();
        match source {
            Source::Web(web) => web::ask(&self.outbound, web, timeout).await.map(Answer::Read),
            Source::Prometheus(prometheus) => {
                let address = self.settings.prometheus.as_deref();
                let now = self.timestamp();
                prometheus::ask(&self.outbound, prometheus, address, timeout, now)
                    .await
                    .map(Answer::Read)
            }
            Source::Command(command) if self.settings.commands => {
                command::run(&self.exec, &command, timeout, &self.settings.path, secrets).await
            }
            Source::Command(_) => Err(command::DISABLED.to_owned()),
            Source::Job(_) => Err("a Job is not measured by asking".to_owned()),
        }
    }

    fn timestamp(&self) -> Timestamp {
        Timestamp::from_microsecond(self.clock.now().as_micros()).unwrap_or_default()
    }

    fn judge(&self, metric: &Metric, answer: Answer) -> Measurement {
        let reading = match answer {
            Answer::Read(reading) => reading,
            Answer::Failed { value, message } => {
                return Measurement { value, ..failed(AnalysisPhase::Failed, message) };
            }
        };
        let (phase, message) = match reading.judge(metric, self.timestamp()) {
            Ok(phase) => (phase, String::new()),
            Err(problem) => (AnalysisPhase::Error, problem.to_string()),
        };
        let mut measurement = Measurement { value: reading.text, ..failed(phase, message) };
        if !reading.warnings.is_empty() {
            let warnings = bounded(&reading.warnings.join(", "));
            measurement.metadata.insert("warnings".to_owned(), warnings);
        }
        measurement
    }
}

/// A measurement without a value.
fn failed(phase: AnalysisPhase, message: String) -> Measurement {
    Measurement { phase, message, ..Measurement::default() }
}

fn with_arguments(run: &AnalysisRun, metric: &str, secrets: &Secrets) -> Result<Metric, String> {
    let arguments = Arguments::with_secrets(&run.spec.args, |reference| secrets.value(reference));
    let arguments = arguments.map_err(|error| error.to_string())?;
    // Names may hold arguments too.
    for candidate in &run.spec.metrics {
        let resolved = arguments.apply(candidate).map_err(|error| error.to_string())?;
        if resolved.name == metric {
            return Ok(resolved);
        }
    }
    Err(format!("there is no metric \"{metric}\""))
}

/// A message that fits into a status.
pub(crate) fn bounded(message: &str) -> String {
    bounded_to(message, MAX_MESSAGE)
}

fn bounded_to(text: &str, most: usize) -> String {
    if text.len() <= most {
        return text.to_owned();
    }
    let end = text.floor_char_boundary(most);
    format!("{}…", text.get(..end).unwrap_or_default())
}
