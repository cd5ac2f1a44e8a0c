//! Turns variables, conditions and configurations into what they say.
//!
//! Evaluation does no input or output: objects that expressions ask for are fetched here, one round each,
//! and everything that came from a Secret is handed back to be hidden. Outputs and records are put before
//! the expressions only where their text names them, because with many steps there are many.

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
use crate::{context::Subject, port::ControlPlane};

/// How many objects the expressions of one step may ask for.
const MAX_OBJECTS: usize = 64;

/// Why something cannot be rendered.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum RenderError {
    /// It never will be.
    Invalid(String),
    /// An object could not be looked at; it may be later.
    Unanswered(String),
}

impl RenderError {
    /// There is no such step.
    pub(super) fn missing(position: usize) -> Self {
        Self::Invalid(format!("there is no step {}", position + 1))
    }
}

/// What was rendered, and the texts in it that came from Secrets.
#[derive(Debug)]
pub(super) struct Rendered<T> {
    pub(super) value: T,
    pub(super) secrets: Vec<String>,
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
        let mut answers = Answers::default();
        for _ in 0..=MAX_OBJECTS {
            let mut secrets = Vec::new();
            let request = match evaluate(&answers, &mut secrets) {
                Ok(value) => {
                    let values = answers.secret_values();
                    secrets.extend(values.map(|it| String::from_utf8_lossy(it).into_owned()));
                    return Ok(Rendered { value, secrets });
                }
                Err(Failure::Invalid(error)) => return Err(RenderError::Invalid(error.message)),
                Err(Failure::Needs(request)) => request,
            };
            let project = &self.order.subject.project;
            let answer = self.control_plane.answer(project, &request).await.map_err(|error| {
                let message = format!("{request} could not be looked at: {error}");
                if error.is_temporary {
                    RenderError::Unanswered(message)
                } else {
                    RenderError::Invalid(message)
                }
            })?;
            answers.insert(request, answer);
        }
        let message = format!("its expressions ask for more than {MAX_OBJECTS} objects");
        Err(RenderError::Invalid(message))
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

fn as_map(vars: &[(&str, Value)]) -> Value {
    Value::map(vars.iter().map(|(name, value)| (*name, value.clone())))
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
