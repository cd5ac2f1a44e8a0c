//! Arguments: `{{args.name}}` in the fields of a metric.

use std::collections::BTreeMap;

use api_analysis::{Argument, Metric, SecretKeyReference};
use serde_json::Value;

/// What stands for the value of a Secret where only the shape of a metric matters.
const PLACEHOLDER: &str = "temp-for-secret";
/// No metric grows by more than this through its arguments, however often it names them.
const MAX_GROWTH: usize = 256 * 1024;

/// Why a metric cannot be made of its template.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ArgumentError {
    /// An argument has no value.
    #[error("argument \"{0}\" was not supplied")]
    NotSupplied(String),
    /// A field asks for an argument that does not exist.
    #[error("failed to resolve {{{{{0}}}}}")]
    Unresolved(String),
    /// With its arguments the metric would be too long.
    #[error("metric \"{0}\" would be too long with its arguments")]
    TooLong(String),
    /// The metric is none any more.
    #[error("metric \"{metric}\" cannot be read with its arguments: {problem}")]
    Shape {
        /// Its name.
        metric: String,
        /// What is wrong.
        problem: String,
    },
}

/// The arguments of a run by name.
#[derive(Clone, Debug, Default)]
pub struct Arguments {
    values: BTreeMap<String, String>,
}

impl Arguments {
    /// The arguments with a placeholder for what is in Secrets: enough to know what a run does and
    /// when, and nothing that may not be shown.
    pub fn without_secrets(arguments: &[Argument]) -> Result<Self, ArgumentError> {
        Self::with_secrets(arguments, |_| Some(PLACEHOLDER.to_owned()))
    }

    /// The arguments with the values of Secrets.
    pub fn with_secrets(
        arguments: &[Argument],
        secret: impl Fn(&SecretKeyReference) -> Option<String>,
    ) -> Result<Self, ArgumentError> {
        let value = |argument: &Argument| {
            let value = match secret_of(argument) {
                Some(reference) => secret(reference),
                None => argument.value.clone(),
            };
            let value = value.ok_or_else(|| ArgumentError::NotSupplied(argument.name.clone()))?;
            Ok((argument.name.clone(), value))
        };
        Ok(Self { values: arguments.iter().map(value).collect::<Result<_, _>>()? })
    }

    /// The metric with the values of its arguments in all of its texts.
    pub fn apply(&self, metric: &Metric) -> Result<Metric, ArgumentError> {
        let shape = |problem: serde_json::Error| ArgumentError::Shape {
            metric: metric.name.clone(),
            problem: problem.to_string(),
        };
        let template = serde_json::to_value(metric).map_err(shape)?;
        let mut filling = Filling { arguments: self, metric: &metric.name, room: MAX_GROWTH };
        let resolved = filling.value(template)?;
        serde_json::from_value(resolved).map_err(shape)
    }

    fn value(&self, tag: &str) -> Result<&str, ArgumentError> {
        let name = tag.trim().strip_prefix("args.");
        let value = name.and_then(|name| self.values.get(name));
        value.map(String::as_str).ok_or_else(|| ArgumentError::Unresolved(tag.to_owned()))
    }
}

/// A metric on its way from its template.
struct Filling<'a> {
    arguments: &'a Arguments,
    metric: &'a str,
    /// How many bytes arguments may still bring.
    room: usize,
}

impl Filling<'_> {
    fn value(&mut self, value: Value) -> Result<Value, ArgumentError> {
        Ok(match value {
            Value::String(text) => Value::String(self.text(text)?),
            Value::Array(items) => {
                let filled = items.into_iter().map(|item| self.value(item));
                Value::Array(filled.collect::<Result<_, _>>()?)
            }
            Value::Object(fields) => {
                let filled = fields
                    .into_iter()
                    .map(|(name, field)| Ok((self.text(name)?, self.value(field)?)));
                Value::Object(filled.collect::<Result<_, _>>()?)
            }
            plain => plain,
        })
    }

    fn text(&mut self, text: String) -> Result<String, ArgumentError> {
        if !text.contains("{{") {
            return Ok(text);
        }
        let mut filled = String::with_capacity(text.len());
        let mut rest = text.as_str();
        // An opening without an end is text like any other.
        while let Some((before, after)) = rest.split_once("{{")
            && let Some((tag, behind)) = after.split_once("}}")
        {
            let value = self.arguments.value(tag)?;
            let room = self.room.checked_sub(value.len());
            self.room = room.ok_or_else(|| ArgumentError::TooLong(self.metric.to_owned()))?;
            filled.push_str(before);
            filled.push_str(value);
            rest = behind;
        }
        filled.push_str(rest);
        Ok(filled)
    }
}

/// The Secret that an argument is read from, if it is.
pub fn secret_of(argument: &Argument) -> Option<&SecretKeyReference> {
    argument.value_from.as_ref()?.secret_key_ref.as_ref()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn arguments(list: Value) -> Vec<Argument> {
        serde_json::from_value(list).unwrap()
    }

    fn metric(url: &str) -> Metric {
        serde_json::from_value(json!({
            "name": "m", "count": "{{ args.count }}",
            "provider": {"web": {"url": url, "headers": [{"key": "A", "value": "{{args.token}}"}]}},
        }))
        .unwrap()
    }

    #[test]
    fn arguments_stand_in_every_text() {
        let given = arguments(json!([
            {"name": "host", "value": "a\"b\n"},
            {"name": "count", "value": "3"},
            {"name": "token", "valueFrom": {"secretKeyRef": {"name": "s", "key": "k"}}},
        ]));
        let secret =
            |reference: &SecretKeyReference| Some(format!("{}/{}", reference.name, reference.key));
        let known = Arguments::with_secrets(&given, secret).unwrap();
        let resolved = known.apply(&metric("http://{{args.host}}/{{args.host}}?{{")).unwrap();
        let web = resolved.provider.web.unwrap();
        assert_eq!(web.url, "http://a\"b\n/a\"b\n?{{");
        assert_eq!(web.headers[0].value, "s/k");
        assert_eq!(json!(resolved.count), json!("3"));
        let hidden = Arguments::without_secrets(&given).unwrap().apply(&metric("x")).unwrap();
        assert_eq!(hidden.provider.web.unwrap().headers[0].value, "temp-for-secret");
    }

    #[test]
    fn what_is_missing_is_named() {
        let unsupplied = arguments(json!([{"name": "a"}]));
        let error = Arguments::without_secrets(&unsupplied).unwrap_err();
        assert_eq!(error.to_string(), "argument \"a\" was not supplied");
        let error = Arguments::default().apply(&metric("{{ args.b }}")).unwrap_err();
        assert_eq!(error.to_string(), "failed to resolve {{ args.count }}");
    }

    #[test]
    fn arguments_do_not_grow_a_metric_without_end() {
        let given = arguments(json!([
            {"name": "a", "value": "x".repeat(200_000)},
            {"name": "count", "value": "1"}, {"name": "token", "value": ""},
        ]));
        let known = Arguments::without_secrets(&given).unwrap();
        let error = known.apply(&metric("{{args.a}}{{args.a}}")).unwrap_err();
        assert_eq!(error, ArgumentError::TooLong("m".to_owned()));
    }

    proptest! {
        #[test]
        fn texts_without_arguments_stay_as_they_are(text in "[a-z{} .]{0,20}") {
            prop_assume!(!text.contains("{{"));
            let none = Arguments::default();
            let mut filling = Filling { arguments: &none, metric: "m", room: 0 };
            prop_assert_eq!(filling.text(text.clone()), Ok(text));
        }
    }
}
