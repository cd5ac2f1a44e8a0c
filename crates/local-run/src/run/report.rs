//! How a Promotion went, for people and for programs.

use std::fmt;

use api_kinds::promotion::{PromotionPhase, PromotionStepStatus, StepExecutionMetadata};
use serde::Serialize;
use serde_json::{Map, Value};
use work_steps::Effect;

use super::change::{FileChange, ManifestChange};

/// How a Promotion went.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct RunReport {
    pub promotion: String,
    pub ending: Ending,
    pub steps: Vec<StepReport>,
    /// What the steps put out, by alias; without secrets.
    pub outputs: Map<String, Value>,
    /// Only of a preview: what would have been done to the world.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub preview: Option<Preview>,
}

/// What a preview found.
#[derive(Clone, Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Preview {
    /// What would have been done outside, in order.
    pub effects: Vec<Effect>,
    /// What would have changed in repositories.
    pub files: Vec<FileChange>,
    /// The same, in terms of the objects in manifests.
    pub manifests: Vec<ManifestChange>,
}

/// How a Promotion ended.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Ending {
    pub phase: PromotionPhase,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub message: String,
}

/// How a step went.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct StepReport {
    pub alias: String,
    pub kind: String,
    pub status: PromotionStepStatus,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub message: String,
}

impl StepReport {
    /// From the record of a step of this kind.
    pub fn new(kind: &str, record: &StepExecutionMetadata) -> Self {
        Self {
            alias: record.alias.clone(),
            kind: kind.to_owned(),
            status: record.status.clone(),
            message: record.message.clone(),
        }
    }
}

impl RunReport {
    /// Whether all went well.
    pub fn is_success(&self) -> bool {
        self.ending.phase == PromotionPhase::Succeeded
    }
}

impl fmt::Display for RunReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { promotion, ending: Ending { phase, message }, preview, .. } = self;
        if let Some(preview) = preview {
            write!(f, "{preview}")?;
        }
        let run = if preview.is_some() { "preview of Promotion" } else { "Promotion" };
        write!(f, "{run} {promotion}: {}", phase.as_str())?;
        if !message.is_empty() {
            write!(f, ": {message}")?;
        }
        writeln!(f)
    }
}

impl fmt::Display for Preview {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.effects.is_empty() {
            writeln!(f, "Nothing would be done outside the work directory.\n")?;
        } else {
            writeln!(f, "Would be done outside the work directory:")?;
            self.effects.iter().try_for_each(|effect| write_effect(f, effect))?;
            writeln!(f)?;
        }
        if !self.manifests.is_empty() {
            writeln!(f, "Objects in manifests:")?;
            self.manifests.iter().try_for_each(|change| writeln!(f, "  {change}"))?;
            writeln!(f)?;
        }
        for change in &self.files {
            writeln!(f, "{change}")?;
        }
        Ok(())
    }
}

fn write_effect(f: &mut fmt::Formatter<'_>, effect: &Effect) -> fmt::Result {
    let Effect { step, action, target, detail } = effect;
    writeln!(f, "  {step}: {action} {target}")?;
    for (name, value) in detail.as_object().into_iter().flatten() {
        if let Some(text) = shown(value) {
            writeln!(f, "    {name}: {}", text.trim_end().replace('\n', "\n      "))?;
        }
    }
    Ok(())
}

/// A value for people; what was not set is not shown.
fn shown(value: &Value) -> Option<String> {
    match value {
        Value::Null | Value::Bool(false) => None,
        Value::String(text) => Some(text.clone()).filter(|text| !text.is_empty()),
        Value::Array(values) if values.iter().all(Value::is_string) => {
            let lines: Vec<&str> = values.iter().filter_map(Value::as_str).collect();
            Some(lines.join(", ")).filter(|text| !text.is_empty())
        }
        other => Some(other.to_string()),
    }
}
