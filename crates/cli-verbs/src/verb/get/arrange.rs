//! Which objects of a list are shown, and in which order.

use std::cmp::Ordering;

use cli_client::Object;
use serde_json::Value;

use super::selector::Selector;
use crate::{
    exit::{CliResult, Failure},
    output::jsonpath::{Missing, Template},
};

/// Which objects, and in which order
#[derive(clap::Args, Clone, Debug, Default)]
pub(super) struct ArrangeArgs {
    /// Only objects with these labels, such as a=b,c!=d,e in (f,g),!h
    #[arg(short = 'l', long, value_name = "SELECTOR")]
    selector: Option<String>,
    /// Order them by a field, named by a JSONPath such as .metadata.creationTimestamp
    #[arg(long, value_name = "JSONPATH")]
    sort_by: Option<String>,
}

impl ArrangeArgs {
    /// The objects that are wanted, in the order that is wanted.
    pub(super) fn arrange(&self, objects: Vec<Object>) -> CliResult<Vec<Object>> {
        let selector = self.selector()?;
        let mut objects: Vec<Object> =
            objects.into_iter().filter(|object| selector.matches(object)).collect();
        let Some(path) = &self.sort_by else { return Ok(objects) };
        let template = template(path)?;
        let key = |object: &Object| {
            let found = template.find(object.value(), Missing::Allowed).unwrap_or_default();
            found.into_iter().next().unwrap_or_default()
        };
        objects.sort_by_cached_key(|object| Key(key(object)));
        Ok(objects)
    }

    /// What the labels of an object must be.
    pub(super) fn selector(&self) -> CliResult<Selector> {
        let text = self.selector.as_deref().unwrap_or_default();
        Selector::parse(text).map_err(|wrong| {
            Failure::usage(format!("unable to parse requirement: {wrong:?} in selector {text:?}"))
        })
    }

    /// Names and selectors exclude each other.
    pub(super) fn check(&self, names: &[String]) -> CliResult {
        if self.selector.is_some() && !names.is_empty() {
            return Err(Failure::usage("name cannot be provided when a selector is specified"));
        }
        // Nobody should wait for a list that cannot be put in order.
        self.sort_by.as_deref().map(template).transpose()?;
        self.selector().map(drop)
    }
}

/// A path may stand without its braces, and without its dot.
fn template(path: &str) -> CliResult<Template> {
    let path = path.trim();
    let whole = match path.strip_prefix('{') {
        Some(_) => path.to_owned(),
        None => format!("{{.{}}}", path.trim_start_matches('.')),
    };
    Template::parse(&whole)
        .map_err(|error| Failure::usage(format!("error parsing jsonpath {path}, {error}")))
}

/// Numbers by their size, all else by its text; what is missing comes first.
#[derive(PartialEq)]
struct Key(Value);

impl Eq for Key {}

impl PartialOrd for Key {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Key {
    fn cmp(&self, other: &Self) -> Ordering {
        let rank = |value: &Value| match value {
            Value::Null => 0,
            Value::Number(_) => 1,
            _ => 2,
        };
        let text = |value: &Value| match value {
            Value::String(text) => text.clone(),
            other => other.to_string(),
        };
        let number = |value: &Value| value.as_f64().unwrap_or_default();
        rank(&self.0).cmp(&rank(&other.0)).then_with(|| match &self.0 {
            Value::Null => Ordering::Equal,
            Value::Number(_) => number(&self.0).total_cmp(&number(&other.0)),
            _ => text(&self.0).cmp(&text(&other.0)),
        })
    }
}
