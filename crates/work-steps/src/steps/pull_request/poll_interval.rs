//! How long to wait between two looks at a pull request.

use std::{borrow::Cow, time::Duration};

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, de::Error as _};

/// A wait as users write it: `30s`, `1.5h`, `2m30s`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PollInterval(pub(crate) Duration);

impl<'de> Deserialize<'de> for PollInterval {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        let wrong = || D::Error::custom(format!("{text:?} is not a duration such as 30s"));
        let span: api_kinds::duration::Duration = text.parse().map_err(|_| wrong())?;
        Duration::try_from(span).map(Self).map_err(|_| wrong())
    }
}

impl JsonSchema for PollInterval {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "PollInterval".into()
    }

    /// The pattern is not anchored, as in the schemas that users know; what it lets through by that is refused later.
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string", "pattern": r"(?:\d+(ns|us|µs|ms|s|m|h))+" })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_interval_is_a_duration_that_is_not_below_zero() {
        let read = |text: &str| serde_json::from_value::<PollInterval>(text.into());
        assert_eq!(read("1m30s").unwrap(), PollInterval(Duration::from_secs(90)));
        for text in ["-5s", "x5s", "5s later", ""] {
            assert!(read(text).is_err(), "{text}");
        }
    }
}
