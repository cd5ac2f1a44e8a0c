//! Steps of promotion processes, and the variables they see.

use schemars::{JsonSchema, Schema};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::{duration::Duration, json as raw, omit::is_zero, pattern, string_enum::string_enum};

/// A variable for expressions.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct ExpressionVariable {
    /// Name of the variable, used as `vars.<name>`.
    #[schemars(length(min = 1), regex(pattern = pattern::VARIABLE))]
    pub name: String,
    /// Value of the variable; may contain expressions between `${{` and `}}` that refer to
    /// variables before it.
    #[serde(skip_serializing_if = "is_zero")]
    pub value: String,
}

/// One step of a promotion process: an action, or a reference to a task that holds more steps.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct PromotionStep {
    /// Name by which later steps refer to this one's output. Defaults to a name made from the
    /// step's position.
    #[serde(skip_serializing_if = "is_zero")]
    pub r#as: String,
    /// Configuration of the step, in the form its kind expects; texts may contain expressions
    /// between `${{` and `}}`.
    #[serde(skip_serializing_if = "is_zero")]
    #[schemars(schema_with = "raw::any")]
    pub config: Option<Value>,
    /// Whether the Promotion goes on, and may succeed, when this step fails. Defaults to false.
    #[serde(skip_serializing_if = "is_zero")]
    pub continue_on_error: bool,
    /// Expression that decides whether the step runs. Empty means: run unless an earlier step
    /// failed.
    #[serde(skip_serializing_if = "is_zero")]
    pub r#if: String,
    /// When to give up on the step.
    #[serde(skip_serializing_if = "is_zero")]
    pub retry: Option<PromotionStepRetry>,
    /// The task whose steps are put in this one's place.
    #[serde(skip_serializing_if = "is_zero")]
    pub task: Option<PromotionTaskReference>,
    /// Kind of action, for example `git-clone`.
    #[serde(skip_serializing_if = "is_zero")]
    #[schemars(length(min = 1))]
    pub uses: String,
    /// Variables for this step alone; they hide others of the same name.
    #[serde(skip_serializing_if = "is_zero")]
    pub vars: Vec<ExpressionVariable>,
}

/// When to give up on a step.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct PromotionStepRetry {
    /// How many errors in a row make the step fail. Defaults to what the kind of step sets, mostly
    /// 1: give up at the first error.
    #[serde(skip_serializing_if = "is_zero")]
    #[schemars(with = "i32")]
    pub error_threshold: u32,
    /// How long the step may take with all its repetitions, for example `10m`; zero means without
    /// limit. Defaults to what the kind of step sets.
    #[serde(skip_serializing_if = "is_zero")]
    pub timeout: Option<Duration>,
}

/// Names a PromotionTask or a ClusterPromotionTask.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct PromotionTaskReference {
    /// Kind of the task: PromotionTask, in the same Project and the default, or
    /// ClusterPromotionTask.
    #[serde(skip_serializing_if = "is_zero")]
    pub kind: PromotionTaskKind,
    /// Name of the task.
    #[schemars(length(min = 1, max = 253), regex(pattern = pattern::NAME))]
    pub name: String,
}

string_enum! {
    /// Kinds of task; unset means PromotionTask.
    listed PromotionTaskKind {
        /// A task of the Project.
        PromotionTask = "PromotionTask",
        /// A task for all Projects.
        ClusterPromotionTask = "ClusterPromotionTask",
    }
}

/// Puts rules on the steps of a Promotion: its tasks were replaced by their steps at admission.
pub(crate) fn promotion_rules(steps: &mut Schema) {
    rules_on_items(
        steps,
        &json!([{
            "rule": "has(self.uses) && !has(self.task)",
            "message": "Promotion step must have uses set and must not reference a task",
        }]),
    );
}

/// Puts rules on the steps of a task: tasks do not nest.
pub(crate) fn task_rules(steps: &mut Schema) {
    rules_on_items(
        steps,
        &json!([{
            "rule": "has(self.uses) && !has(self.task)",
            "message": "PromotionTask step must have uses set and must not reference another task",
        }]),
    );
}

/// Puts rules on the steps of a Stage's template: an action or a task, and what a task excludes.
pub(crate) fn template_rules(steps: &mut Schema) {
    rules_on_items(
        steps,
        &json!([
            {
                "rule": "(has(self.uses) ? !has(self.task) : has(self.task))",
                "message": "PromotionTemplate step must have exactly one of uses or task set",
            },
            {
                "rule": "!has(self.task) || !has(self.continueOnError)",
                "message": "PromotionTemplate step referencing a task cannot set continueOnError",
            },
            {
                "rule": "!has(self.task) || !has(self.retry)",
                "message": "PromotionTemplate step referencing a task cannot set retry",
            },
        ]),
    );
}

fn rules_on_items(list: &mut Schema, rules: &Value) {
    if let Some(Value::Object(items)) = list.get_mut("items") {
        items.insert("x-kubernetes-validations".to_owned(), rules.clone());
    }
}
