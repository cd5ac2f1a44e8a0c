//! The variables of Promotions and verifications.

use api_kinds::promotion::StepExecutionMetadata;

use crate::library::step_record;
use crate::scope::Variables;
use crate::text::Text;
use crate::value::{Data, Value};

/// What separates a task's alias from that of its step.
const SEPARATOR: &str = "::";

/// What the variable `ctx` says about a Promotion.
#[derive(Clone, Debug, Default)]
pub struct PromotionContext<'a> {
    /// Address of the user interface.
    pub ui_base_url: &'a str,
    /// Name of the Project.
    pub project: &'a str,
    /// Name of the Promotion.
    pub promotion: &'a str,
    /// Name of the Stage.
    pub stage: &'a str,
    /// Name of the Freight being promoted.
    pub freight: &'a str,
    /// Alias of the Freight being promoted.
    pub freight_alias: &'a str,
    /// Name of the Warehouse that the Freight came from.
    pub origin: &'a str,
    /// Who created the Promotion.
    pub actor: &'a str,
    /// Whether the Promotion goes back to earlier Freight.
    pub is_rollback: bool,
}

/// What expressions of a step see beside `ctx` and `vars`.
#[derive(Clone, Debug)]
pub struct StepContext<'a> {
    /// The step's alias, with that of its task before it.
    pub alias: &'a str,
    /// Outputs of the steps so far, by alias.
    pub outputs: Value,
    /// Records of the steps so far.
    pub records: &'a [StepExecutionMetadata],
}

/// What expressions see of the Target of a Promotion.
#[derive(Clone, Debug)]
pub struct TargetContext {
    /// Parameters of the Target.
    pub params: Value,
    /// Labels of the Target.
    pub labels: Value,
}

impl PromotionContext<'_> {
    /// The variables of a Promotion: of its own variables, or with a step, of that step. `vars`
    /// holds the variables known so far.
    pub fn variables(
        &self,
        vars: Value,
        step: Option<&StepContext<'_>>,
        target: Option<&TargetContext>,
    ) -> Variables {
        let mut variables = vec![("ctx", self.to_value(step)), ("vars", vars)];
        if let Some(step) = step {
            variables.push(("outputs", step.outputs.clone()));
            variables.push(("stepMetas", step.record_map()));
            variables.extend(step.task().map(|task| ("task", task)));
        }
        if let Some(target) = target {
            let entries = [("params", target.params.clone()), ("labels", target.labels.clone())];
            variables.push(("target", Value::map(entries)));
        }
        variables.into_iter().collect()
    }

    /// The variables of a verification, which knows the Project and the Stage only.
    pub fn verification_variables(project: &str, stage: &str, vars: Value) -> Variables {
        let context = [("project", Value::text(project)), ("stage", Value::text(stage))];
        Variables::from_iter([("ctx", Value::map(context)), ("vars", vars)])
    }

    fn to_value(&self, step: Option<&StepContext<'_>>) -> Value {
        let origin = Value::map([("name", Value::text(self.origin))]);
        let freight = [
            ("name", Value::text(self.freight)),
            ("alias", Value::text(self.freight_alias)),
            ("origin", origin),
        ];
        let promotion =
            [("actor", Value::text(self.actor)), ("rollback", Data::Bool(self.is_rollback).into())];
        let mut meta = vec![("promotion", Value::map(promotion))];
        if let Some(step) = step {
            meta.push(("step", Value::map([("alias", Value::text(step.alias))])));
        }
        Value::map([
            ("uiBaseUrl", Value::text(self.ui_base_url)),
            ("project", Value::text(self.project)),
            ("promotion", Value::text(self.promotion)),
            ("stage", Value::text(self.stage)),
            ("targetFreight", Value::map(freight)),
            ("meta", Value::map(meta)),
        ])
    }
}

impl StepContext<'_> {
    fn record_map(&self) -> Value {
        Value::map(self.records.iter().map(|record| (record.alias.as_str(), step_record(record))))
    }

    /// The outputs of steps of the same task by their short aliases; only for steps of tasks.
    fn task(&self) -> Option<Value> {
        let (task, step) = self.alias.split_once(SEPARATOR)?;
        let Data::Map(outputs) = &self.outputs.data else { return None };
        if step.contains(SEPARATOR) {
            return None;
        }
        let prefix = format!("{task}{SEPARATOR}");
        let own = outputs.entries.iter().filter_map(|(alias, output)| {
            let short = alias.as_bytes().strip_prefix(prefix.as_bytes())?;
            Some((Text::from(short), output.clone()))
        });
        Some(Value::map([("outputs", Value::map(own))]))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::{Library, Scope, Template};

    fn evaluate(template: &str, variables: &Variables) -> serde_json::Value {
        let scope = Scope::new(variables, jiff::Timestamp::UNIX_EPOCH);
        let template = Template::parse(template).unwrap();
        template.evaluate(Library::STEP, &scope).unwrap().to_json().unwrap()
    }

    #[test]
    fn a_step_of_a_task_sees_outputs_under_short_aliases() {
        let context = PromotionContext { stage: "test", is_rollback: true, ..Default::default() };
        let outputs = json!({"clone": {"commit": "abc"}, "t::push": {"branch": "b"}});
        let records = [StepExecutionMetadata { alias: "clone".into(), ..Default::default() }];
        let step = StepContext {
            alias: "t::open",
            outputs: Value::from_json(&outputs),
            records: &records,
        };
        let target =
            TargetContext { params: Value::map([("x", Value::int(1))]), labels: Value::NIL };
        let vars = Value::map([("a", Value::text("b"))]);
        let variables = context.variables(vars, Some(&step), Some(&target));
        assert_eq!(
            evaluate("${{ task }}", &variables),
            json!({"outputs": {"push": {"branch": "b"}}})
        );
        assert_eq!(evaluate("${{ ctx.meta.step.alias }}", &variables), json!("t::open"));
        assert_eq!(evaluate("${{ ctx.meta.promotion.rollback }}", &variables), json!(true));
        assert_eq!(evaluate("${{ stepMetas.clone.Alias }}", &variables), json!("clone"));
        assert_eq!(evaluate("${{ target.params.x }}", &variables), json!(1));
        assert_eq!(evaluate("${{ vars.a }}-${{ ctx.stage }}", &variables), json!("b-test"));
    }

    #[test]
    fn promotion_variables_see_no_outputs() {
        let variables = PromotionContext::default().variables(Value::NIL, None, None);
        assert_eq!(evaluate("${{ outputs }}", &variables), json!(null));
        assert_eq!(evaluate("${{ task }}", &variables), json!(null));
    }
}
