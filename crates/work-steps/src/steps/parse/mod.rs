//! What the steps that read values from a file have in common.

use core_clock::Clock;
use core_edit::{EditError, MAX_BYTES};
use core_expr::{Library, Program, Scope, Value, Variables};
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::{Outcome, StepCx, StepError, StepResult};

/// The configuration of such a step.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Config {
    /// The file, relative to the work directory.
    #[schemars(length(min = 1))]
    path: String,
    /// What becomes the output.
    #[schemars(length(min = 1))]
    outputs: Vec<Extract>,
}

/// One member of the output.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Extract {
    /// Its name.
    #[schemars(length(min = 1))]
    name: String,
    /// An expression over the document: the keys of its root are variables, and `$env` is the root.
    #[schemars(length(min = 1))]
    from_expression: String,
}

/// Reads the file and evaluates all expressions.
pub(super) async fn run(
    config: Config,
    clock: &dyn Clock,
    cx: &StepCx<'_>,
    read: fn(&str) -> Result<Value, EditError>,
) -> StepResult {
    let Config { path, outputs } = config;
    let now = Timestamp::from_microsecond(clock.now().as_micros()).unwrap_or_default();
    let output = cx
        .files
        .blocking(move |files| {
            let text = files.read_text(&path, MAX_BYTES as u64)?;
            let root = read(&text).map_err(|error| {
                StepError::retryable(format!("{path} could not be read")).because(error)
            })?;
            let variables = Variables::from_root(root);
            outputs.iter().map(|extract| extract.member(&variables, now)).collect()
        })
        .await?;
    Ok(Outcome::done().with_output(output))
}

impl Extract {
    fn member(
        &self,
        variables: &Variables,
        now: Timestamp,
    ) -> Result<(String, serde_json::Value), StepError> {
        let Self { name, from_expression } = self;
        let failed = || StepError::retryable(format!("the output {name:?} could not be made"));
        let program = Program::compile(from_expression, Library::PLAIN)
            .map_err(|error| failed().because(error))?;
        let value = program
            .run(&Scope::new(variables, now))
            .map_err(|failure| failed().because(failure))?;
        let value = value.to_json().ok_or_else(|| {
            failed()
                .because("its value has no JSON form: give it a text, a number, a list or a map")
        })?;
        Ok((name.clone(), value))
    }
}
