//! How far a Promotion is: what has to survive a restart.

use api_kinds::{
    health::HealthCheckStep,
    json::Json,
    promotion::{PromotionStatus, StepExecutionMetadata},
};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// How far a Promotion is. The members are those of a Promotion's status.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Progress {
    /// Position of the step that runs now or comes next, from 0; the last one at the end.
    pub current_step: usize,
    /// How each step went, in order, up to the current one.
    pub step_execution_metadata: Vec<StepExecutionMetadata>,
    /// Outputs of the steps so far, by alias.
    pub state: Map<String, Value>,
    /// Checks that the Stage is to repeat.
    pub health_checks: Vec<HealthCheckStep>,
}

impl Progress {
    /// The progress that a status tells of.
    pub fn of(status: &PromotionStatus) -> Self {
        Self {
            current_step: usize::try_from(status.current_step).unwrap_or_default(),
            step_execution_metadata: status.step_execution_metadata.clone(),
            state: status.state.as_ref().and_then(members).unwrap_or_default(),
            health_checks: status.health_checks.clone(),
        }
    }

    /// Tells the progress in a status.
    pub fn write_into(&self, status: &mut PromotionStatus) {
        status.current_step = i64::try_from(self.current_step).unwrap_or(i64::MAX);
        status.step_execution_metadata.clone_from(&self.step_execution_metadata);
        let state = Some(&self.state).filter(|state| !state.is_empty());
        status.state = state.map(|state| Value::Object(state.clone()).into());
        status.health_checks.clone_from(&self.health_checks);
    }

    /// Whether it tells of something later than the other, of the same Promotion.
    pub fn is_ahead_of(&self, other: &Self) -> bool {
        let place =
            |progress: &Self| (progress.current_step, progress.step_execution_metadata.len());
        place(self) > place(other)
    }

    /// Goes back to the first step because the work directory is gone. Outputs stay: steps may look at what
    /// they did before.
    pub fn restart(&mut self) {
        self.current_step = 0;
        self.step_execution_metadata.clear();
        self.health_checks.clear();
    }

    /// Adds the record of an alias if it is missing.
    pub(crate) fn add_record(&mut self, alias: &str, continue_on_error: bool) {
        let records = &mut self.step_execution_metadata;
        // Records stand in the order of the steps, so the one looked for is mostly the last.
        if !records.iter().rev().any(|record| record.alias == alias) {
            records.push(StepExecutionMetadata {
                alias: alias.to_owned(),
                continue_on_error,
                ..StepExecutionMetadata::default()
            });
        }
    }
}

/// The members of an object; `None` when it is none.
fn members(json: &Json) -> Option<Map<String, Value>> {
    match Value::from(json) {
        Value::Object(members) => Some(members),
        _ => None,
    }
}
