//! The Applications that the steps of a Promotion update, as far as that is known without running them.

use api_kinds::{
    Freight, Promotion, annotations,
    step::{ExpressionVariable, PromotionStep},
};
use core_expr::{Library, PromotionContext, Scope, Template, Value, Variables};
use jiff::Timestamp;
use serde::Serialize;
use serde_json::Value as Json;

use super::Teller;
use crate::admission::metadata::{annotation, name, namespace};

/// The step whose Applications an event names.
const ARGOCD_UPDATE: &str = "argocd-update";

/// An Application as the payload names it; the capitals are the wire format.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "PascalCase")]
pub(super) struct Application {
    namespace: String,
    name: String,
}

/// All Applications that the steps name, each once, in order. What cannot be evaluated is left out.
pub(super) fn applications(
    promotion: &Promotion,
    freight: Option<&Freight>,
    teller: &Teller<'_>,
) -> Vec<Application> {
    let mut found = Vec::new();
    let mut known = None;
    for step in promotion.spec.steps.iter().filter(|step| step.uses == ARGOCD_UPDATE) {
        let apps = step.config.as_ref().and_then(|config| config.get("apps")?.as_array());
        let Some(apps) = apps else { continue };
        let known = known.get_or_insert_with(|| Known::of(promotion, freight, teller));
        let known = known.with_step(step);
        found.extend(apps.iter().filter_map(|app| known.application(app, teller)));
    }
    found.sort_unstable();
    found.dedup();
    found
}

/// What expressions see before any step has run.
#[derive(Clone)]
struct Known<'a> {
    context: PromotionContext<'a>,
    now: Timestamp,
    vars: Vec<(&'a str, Value)>,
    /// Variables without a value, which nothing may be made of.
    unknown: Vec<&'a str>,
}

impl<'a> Known<'a> {
    fn of(promotion: &'a Promotion, freight: Option<&'a Freight>, teller: &Teller<'_>) -> Self {
        let metadata = &promotion.metadata;
        let context = PromotionContext {
            project: namespace(metadata),
            promotion: name(metadata),
            stage: &promotion.spec.stage,
            freight: &promotion.spec.freight,
            origin: freight.map(|freight| freight.origin.name.as_str()).unwrap_or_default(),
            actor: annotation(metadata, annotations::CREATE_ACTOR).unwrap_or_default(),
            ..PromotionContext::default()
        };
        let now = Timestamp::from_microsecond(teller.now.as_micros()).unwrap_or_default();
        let mut known = Self { context, now, vars: Vec::new(), unknown: Vec::new() };
        known.add(&promotion.spec.vars);
        known
    }

    fn with_step(&self, step: &'a PromotionStep) -> Self {
        let mut known = self.clone();
        known.add(&step.vars);
        known
    }

    fn add(&mut self, vars: &'a [ExpressionVariable]) {
        for variable in vars {
            match self.evaluate(&variable.value) {
                Some(value) => {
                    self.unknown.retain(|name| *name != variable.name);
                    self.vars.push((&variable.name, value));
                }
                None => self.unknown.push(&variable.name),
            }
        }
    }

    fn application(&self, app: &Json, teller: &Teller<'_>) -> Option<Application> {
        let text = |key: &str| match app.get(key) {
            None => Some(String::new()),
            Some(value) => Some(self.evaluate(value.as_str()?)?.as_text()?.to_str().into_owned()),
        };
        let (namespace, name) = (text("namespace")?, text("name")?);
        let namespace =
            if namespace.is_empty() { teller.argocd_namespace.to_owned() } else { namespace };
        (!name.is_empty()).then_some(Application { namespace, name })
    }

    fn evaluate(&self, text: &str) -> Option<Value> {
        let template = Template::parse(text).ok()?;
        if template.is_literal() {
            return Some(Value::text(text));
        }
        if self.unknown.iter().any(|name| text.contains(name)) {
            return None;
        }
        let vars = Value::map(self.vars.iter().map(|(name, value)| (*name, value.clone())));
        let variables: Variables = self.context.variables(vars, None, None);
        template.evaluate(Library::PLAIN, &Scope::new(&variables, self.now)).ok()
    }
}
