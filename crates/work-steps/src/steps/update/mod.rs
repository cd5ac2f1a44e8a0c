//! What the steps that set values in a file have in common.

use core_edit::{EditError, MAX_BYTES, Scalar};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use crate::{Outcome, StepCx, StepError, StepResult};

/// The configuration of such a step.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Config {
    /// The file, relative to the work directory.
    #[schemars(length(min = 1))]
    pub(super) path: String,
    /// What is set, in this order.
    #[schemars(length(min = 1))]
    pub(super) updates: Vec<Update>,
}

/// One value.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Update {
    /// Where the value stands: keys and indexes with dots between them.
    #[schemars(length(min = 1))]
    pub(super) key: String,
    /// The new value: a text, a number or a boolean.
    value: Value,
}

impl Update {
    /// The value as a scalar; null only where the format has it.
    pub(super) fn scalar(&self, allows_null: bool) -> Result<Scalar, EditError> {
        Scalar::of_update(&self.key, &self.value, allows_null)
    }
}

/// A format of files in which values are set.
pub(super) trait Format {
    /// Whether null is a value.
    const ALLOWS_NULL: bool;
    /// A value in the message of a commit.
    fn message_text(scalar: &Scalar) -> String;
    /// The text of the file with all values set.
    fn update(text: &str, updates: &[(String, Scalar)]) -> Result<String, EditError>;
}

/// Sets the values and writes the file, if anything in it changed. When one cannot be set, the file stays as it is.
pub(super) async fn run<F: Format>(config: Config, cx: &StepCx<'_>) -> StepResult {
    let Config { path, updates } = config;
    let refused = |path: &str, error: EditError| {
        StepError::retryable(format!("{path} could not be updated")).because(error)
    };
    let updates = updates
        .into_iter()
        .map(|update| Ok((update.key.clone(), update.scalar(F::ALLOWS_NULL)?)))
        .collect::<Result<Vec<_>, _>>()
        .map_err(|error| refused(&path, error))?;
    let message = commit_message::<F>(&path, &updates);
    cx.files
        .blocking(move |files| -> Result<(), StepError> {
            let text = files.read_text(&path, MAX_BYTES as u64)?;
            let updated = F::update(&text, &updates).map_err(|error| refused(&path, error))?;
            if updated != text {
                files.write(&path, updated.as_bytes())?;
            }
            Ok(())
        })
        .await?;
    Ok(Outcome::done().with("commitMessage", message))
}

fn commit_message<F: Format>(path: &str, updates: &[(String, Scalar)]) -> String {
    let line = |(key, scalar): &(String, Scalar)| format!("\n- {key}: {}", F::message_text(scalar));
    format!("Updated {path}\n{}", updates.iter().map(line).collect::<String>())
}
