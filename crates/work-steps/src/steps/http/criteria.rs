//! What the answer means for the step.

use core_clock::Time;
use core_expr::{Library, Program, Scope, Value, Variables};
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value as Json;

use super::{Config, answer::Answer};
use crate::{Outcome, Output, StepError};

/// One part of the output.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct NamedExpression {
    /// Its name.
    #[schemars(length(min = 1))]
    name: String,
    /// Its value, as an expression over the answer.
    #[schemars(length(min = 1))]
    from_expression: String,
}

/// The expressions of a step, read before anything is sent.
pub(super) struct Criteria {
    success: Option<Program>,
    failure: Option<Program>,
    explanation: Option<Program>,
    outputs: Vec<(String, Program)>,
}

/// What an answer means.
#[derive(Debug, PartialEq)]
pub(super) enum Verdict {
    /// The step is complete.
    Succeeded(Option<Output>),
    /// The step failed for good, and why.
    Failed(String),
    /// Nothing but the status judges, and it is none of success.
    Refused,
    /// Neither criterion is met yet.
    Unfinished,
}

impl Criteria {
    pub(super) fn compile(config: &Config) -> Result<Self, StepError> {
        let optional = |name: &str, source: &str| {
            (!source.is_empty()).then(|| compile(name, source)).transpose()
        };
        let output = |NamedExpression { name, from_expression }: &NamedExpression| {
            Ok((name.clone(), compile(&format!("output {name:?}"), from_expression)?))
        };
        Ok(Self {
            success: optional("successExpression", &config.success_expression)?,
            failure: optional("failureExpression", &config.failure_expression)?,
            explanation: optional("errorExpression", &config.error_expression)?,
            outputs: config.outputs.iter().map(output).collect::<Result<_, StepError>>()?,
        })
    }

    /// The outcome of a request that was not sent: all outputs are unknown.
    pub(super) fn unknown(&self) -> Outcome {
        let names = self.outputs.iter().map(|(name, _)| name.as_str());
        names.fold(Outcome::done(), |outcome, name| outcome.with(name, Json::Null))
    }

    /// Both criteria are always asked, so that a mistake in one shows whatever the other says.
    pub(super) fn judge(&self, answer: &Answer, now: Time) -> Result<Verdict, StepError> {
        let variables = answer.variables();
        let view = View { variables: &variables, now };
        let success = view.truth("successExpression", self.success.as_ref())?;
        let failure = view.truth("failureExpression", self.failure.as_ref())?;
        Ok(match (failure, success) {
            (Some(true), _) => Verdict::Failed(self.explain(answer, &view)),
            (_, Some(true)) => Verdict::Succeeded(self.output(&view)?),
            (None, None) if answer.status.is_success() => Verdict::Succeeded(self.output(&view)?),
            (None, None) => Verdict::Refused,
            _ => Verdict::Unfinished,
        })
    }

    /// An explanation that cannot be had is no reason to hide the failure.
    fn explain(&self, answer: &Answer, view: &View<'_>) -> String {
        let failed = format!("HTTP ({}) response met failure criteria", answer.status.as_u16());
        let explanation = self.explanation.as_ref().and_then(|program| view.value(program).ok());
        match explanation.as_ref().and_then(Value::as_text).map(|text| text.to_str()) {
            Some(text) if !text.is_empty() => format!("{failed}: {text:?}"),
            _ => failed,
        }
    }

    fn output(&self, view: &View<'_>) -> Result<Option<Output>, StepError> {
        let mut output = Output::new();
        for (name, program) in &self.outputs {
            let value = view.value(program).map_err(|error| {
                StepError::retryable(format!("output {name:?} could not be evaluated"))
                    .because(error)
            })?;
            let value = value.to_json().or_else(|| value.is_nil().then_some(Json::Null));
            let value = value.ok_or_else(|| {
                StepError::retryable(format!("output {name:?} is not a value that JSON can hold"))
            })?;
            output.insert(name.clone(), value);
        }
        Ok((!output.is_empty()).then_some(output))
    }
}

/// The answer, for expressions.
struct View<'a> {
    variables: &'a Variables,
    now: Time,
}

impl View<'_> {
    fn value(&self, program: &Program) -> Result<Value, core_expr::Failure> {
        let now = Timestamp::from_microsecond(self.now.as_micros()).unwrap_or_default();
        program.run(&Scope::new(self.variables, now))
    }

    fn truth(&self, name: &str, program: Option<&Program>) -> Result<Option<bool>, StepError> {
        let Some(program) = program else { return Ok(None) };
        let value = self.value(program).map_err(|error| {
            StepError::retryable(format!("{name} could not be evaluated")).because(error)
        })?;
        value.as_bool().map(Some).ok_or_else(|| {
            StepError::retryable(format!("{name} is neither true nor false for this answer"))
        })
    }
}

fn compile(name: &str, source: &str) -> Result<Program, StepError> {
    Program::compile(source, Library::PLAIN).map_err(|error| {
        StepError::fatal(format!("{name} is not an expression: {source}")).because(error)
    })
}
