//! Turns variables, conditions and configurations into what they say.
//!
//! Outputs and records are put before the expressions only where their text names them, because with many
//! steps there are many.

use api_kinds::{
    promotion::StepExecutionMetadata,
    step::{ExpressionVariable, PromotionStep},
};
use core_engine::Progress;
use core_expr::{
    Answers, Failure, Host, Library, Promotion, PromotionContext, Scope, StepContext,
    TargetContext, Template, Value, Variables, evaluate_typed_document,
};
use jiff::Timestamp;
use serde_json::{Map, Value as Json};

use super::{order::Order, runner::Runner};
pub(super) use crate::evaluation::{RenderError, Rendered};
use crate::{
    context::Subject,
    evaluation::{answered, as_map},
    port::ControlPlane,
};

impl RenderError {
    /// There is no such step.
    pub(super) fn missing(position: usize) -> Self {
        Self::Invalid(format!("there is no step {}", position + 1))
    }
}

/// Renders what belongs to one step.
pub(super) struct Renderer<'a> {
    pub(super) order: &'a Order,
    pub(super) runner: &'a dyn Runner,
    pub(super) control_plane: &'a dyn ControlPlane,
    pub(super) now: Timestamp,
    pub(super) step: &'a PromotionStep,
    pub(super) alias: &'a str,
    /// Outputs as steps see them.
    pub(super) state: &'a Map<String, Json>,
    pub(super) progress: &'a Progress,
}

impl Renderer<'_> {
    /// Whether the step is to run.
    pub(super) async fn condition(&self) -> Result<Rendered<bool>, RenderError> {
        let condition = &self.step.r#if;
        let rendered = self
            .answered(|answers, secrets| {
                let variables = self.variables(condition, answers, secrets)?;
                let value = self.template(condition, Library::STEP, &variables, answers)?;
                value.collect_tainted(secrets);
                Ok(value)
            })
            .await?;
        let Rendered { value, secrets } = rendered;
        let value = value.as_bool().ok_or_else(|| {
            let kind = type_name(&value);
            RenderError::Invalid(format!("expression must evaluate to a boolean, got {kind}"))
        })?;
        Ok(Rendered { value, secrets })
    }

    /// The configuration of the step; one that is missing is empty.
    pub(super) async fn config(&self) -> Result<Rendered<Json>, RenderError> {
        let Some(config) = self.step.config.as_ref().filter(|config| !config.is_null()) else {
            return Ok(Rendered { value: Json::Object(Map::new()), secrets: Vec::new() });
        };
        let source = config.to_string();
        let is_literal = !source.contains("${");
        if is_literal && self.order.vars.is_empty() && self.step.vars.is_empty() {
            return Ok(Rendered { value: config.clone(), secrets: Vec::new() });
        }
        let wants_text = |place: &[String]| self.runner.wants_text(&self.step.uses, place);
        self.answered(|answers, secrets| {
            let variables = self.variables(&source, answers, secrets)?;
            if is_literal {
                return Ok(config.clone());
            }
            let promotion = self.promotion(answers, self.alias);
            let scope = Scope::new(&variables, self.now).with_host(Host::Promotion(&promotion));
            let document = evaluate_typed_document(&source, Library::STEP, &scope, &wants_text)?;
            secrets.extend(document.tainted_texts());
            Ok(document.to_json())
        })
        .await
    }

    /// Runs an evaluation until it needs nothing more.
    async fn answered<T>(
        &self,
        evaluate: impl Fn(&Answers, &mut Vec<String>) -> Result<T, Failure> + Send,
    ) -> Result<Rendered<T>, RenderError> {
        answered(self.control_plane, &self.order.subject.project, evaluate).await
    }

    /// What expressions of the step see. `text` is what they are in.
    fn variables(
        &self,
        text: &str,
        answers: &Answers,
        secrets: &mut Vec<String>,
    ) -> Result<Variables, Failure> {
        let names = |name: &str| {
            let values = self.order.vars.iter().chain(&self.step.vars).map(|it| it.value.as_str());
            values.chain([text]).any(|text| text.contains(name) || text.contains("$env"))
        };
        let records = if names("stepMetas") { self.records() } else { &[] };
        let outputs = if names("outputs") || names("task") {
            Value::map(self.state.iter().map(|(alias, it)| (alias.as_str(), output(it))))
        } else {
            Value::map::<&str>([])
        };
        let step = StepContext { alias: self.alias, outputs, records };
        let context = context(&self.order.subject);
        let target = self.order.target.as_ref().map(|target| TargetContext {
            params: Value::from_json(&target.params),
            labels: Value::from_json(&target.labels),
        });
        let mut vars = Vec::new();
        let own = self.order.vars.iter().map(|variable| (variable, None));
        for (variable, step) in own.chain(self.step.vars.iter().map(|it| (it, Some(&step)))) {
            let value = self.variable(variable, answers, || {
                context.variables(as_map(&vars), step, target.as_ref())
            })?;
            value.collect_tainted(secrets);
            vars.push((variable.name.as_str(), value));
        }
        Ok(context.variables(as_map(&vars), Some(&step), target.as_ref()))
    }

    fn variable(
        &self,
        variable: &ExpressionVariable,
        answers: &Answers,
        variables: impl FnOnce() -> Variables,
    ) -> Result<Value, Failure> {
        let template = Template::parse(&variable.value)?;
        if template.is_literal() {
            return Ok(Value::text(variable.value.as_str()));
        }
        self.template(&variable.value, Library::VARIABLES, &variables(), answers)
    }

    fn template(
        &self,
        text: &str,
        library: Library,
        variables: &Variables,
        answers: &Answers,
    ) -> Result<Value, Failure> {
        let promotion = self.promotion(answers, self.alias);
        let scope = Scope::new(variables, self.now).with_host(Host::Promotion(&promotion));
        Template::parse(text)?.evaluate(library, &scope)
    }

    fn promotion<'a>(&'a self, answers: &'a Answers, step: &'a str) -> Promotion<'a> {
        let Subject { requests, freight, .. } = &self.order.subject;
        Promotion { requests, freight, step, steps: self.records(), answers }
    }

    fn records(&self) -> &[StepExecutionMetadata] {
        &self.progress.step_execution_metadata
    }
}

/// A step that put nothing out has no members, which is no error to look for.
fn output(output: &Json) -> Value {
    if output.is_null() { Value::map::<&str>([]) } else { Value::from_json(output) }
}

fn context(subject: &Subject) -> PromotionContext<'_> {
    PromotionContext {
        ui_base_url: &subject.ui_base_url,
        project: &subject.project,
        promotion: &subject.promotion,
        stage: &subject.stage,
        freight: &subject.target_freight.name,
        freight_alias: &subject.target_freight_alias,
        origin: &subject.target_freight.origin.name,
        actor: &subject.actor,
        is_rollback: subject.is_rollback,
    }
}

/// The name that upstream has for the type of a value.
fn type_name(value: &Value) -> &'static str {
    match value.to_json() {
        Some(Json::Null) => "<nil>",
        Some(Json::Bool(_)) => "bool",
        Some(Json::Number(_)) => "float64",
        Some(Json::String(_)) => "string",
        Some(Json::Array(_)) => "[]interface {}",
        Some(Json::Object(_)) | None => "map[string]interface {}",
    }
}
