//! `toml-parse`: reads values from a TOML file into the output.

use std::sync::Arc;

use core_clock::Clock;
use core_edit::toml::Data;
use core_expr::{Moment, Value};
use jiff::fmt::temporal::DateTimeParser;

use super::parse::{self, Config};
use crate::{Step, StepCx, StepResult};

/// The step.
pub(crate) struct TomlParse;

impl Step for TomlParse {
    const KIND: &'static str = "toml-parse";
    type Config = Config;
    type Needs = Arc<dyn Clock>;

    async fn run(&self, config: Config, clock: Arc<dyn Clock>, cx: &StepCx<'_>) -> StepResult {
        parse::run(config, &*clock, cx, |text| Ok(value(core_edit::toml::parse(text)?))).await
    }
}

/// The value as expressions see it: integers are no floats, and points in time have a year and a month.
fn value(data: Data) -> Value {
    match data {
        Data::Bool(truth) => Value::from_json(&truth.into()),
        Data::Integer(number) => Value::int(number),
        Data::Float(number) => Value::float(number),
        Data::Text(text) => Value::text(text),
        Data::Moment(text) => moment(&text).map_or_else(|| Value::text(text), Value::moment),
        Data::List(items) => Value::list(items.into_iter().map(value).collect()),
        Data::Table(members) => {
            Value::map(members.into_iter().map(|(name, data)| (name, value(data))))
        }
    }
}

/// A point in time with its offset; `None` for one that no calendar of ours has.
fn moment(text: &str) -> Option<Moment> {
    let at = text.parse().ok()?;
    let pieces = DateTimeParser::new().parse_pieces(text).ok()?;
    let offset = pieces.to_numeric_offset()?;
    Some(Moment::with_offset(at, offset.seconds()))
}

#[cfg(test)]
mod tests {
    use api_kinds::promotion::PromotionStepStatus;
    use serde_json::json;

    use crate::{Class, testbed::Testbed};

    #[tokio::test]
    async fn integers_and_points_in_time_keep_their_types() {
        let testbed = Testbed::new().await;
        testbed.write("f.toml", "n = 42\nwhen = 1979-05-27T07:32:00+02:00\nday = 1979-05-27\n");
        let outputs = [
            ("rest", "n % 5", json!(2)),
            ("year", "when.Year()", json!(1979)),
            ("when", "when", json!("1979-05-27T07:32:00+02:00")),
            ("day", "day", json!("1979-05-27")),
        ];
        let extracts: Vec<_> = outputs
            .iter()
            .map(|(name, expression, _)| json!({"name": name, "fromExpression": expression}))
            .collect();
        let attempt =
            testbed.run("toml-parse", json!({"path": "f.toml", "outputs": extracts})).await;
        assert_eq!(attempt.status, PromotionStepStatus::Succeeded, "{}", attempt.message);
        for (name, _, expected) in outputs {
            assert_eq!(attempt.output()[name], expected, "{name}");
        }
    }

    #[tokio::test]
    async fn what_is_no_toml_may_be_tried_again() {
        let testbed = Testbed::new().await;
        testbed.write("f.toml", "a = ");
        let outputs = json!([{"name": "n", "fromExpression": "1"}]);
        let attempt =
            testbed.run("toml-parse", json!({"path": "f.toml", "outputs": outputs})).await;
        assert_eq!(attempt.class, Some(Class::Retryable), "{}", attempt.message);
        let attempt = testbed.run("toml-parse", json!({"path": "f.toml"})).await;
        assert_eq!(attempt.class, Some(Class::Failed));
    }
}
