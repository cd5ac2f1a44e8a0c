//! Go templates, with the functions that `kubectl` adds to those of the language.

use base64::{Engine as _, prelude::BASE64_STANDARD};
use gotmpl::{MissingKey, TemplateError, Value};

use super::jsonpath::Missing;
use crate::exit::{CliResult, Failure};

/// No template that a person writes is longer.
const MAX_LENGTH: usize = 64 * 1024;
/// How often loops may go round in all: more than there are objects.
const MAX_ROUNDS: u64 = 10_000_000;

/// A template that was read.
#[derive(Clone)]
pub(crate) struct GoTemplate(gotmpl::Template);

impl std::fmt::Debug for GoTemplate {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("GoTemplate")
    }
}

impl GoTemplate {
    /// Reads a template.
    pub(crate) fn parse(text: &str, missing: Missing) -> CliResult<Self> {
        if text.len() > MAX_LENGTH {
            return Err(Failure::usage("the template is too long"));
        }
        let missing = match missing {
            Missing::Allowed => MissingKey::Invalid,
            Missing::Refused => MissingKey::Error,
        };
        let template = gotmpl::Template::new("output")
            .missing_key(missing)
            .max_range_iters(MAX_ROUNDS)
            .func("exists", |arguments| Ok(Value::Bool(exists(arguments))))
            .func("base64decode", base64_decode);
        let parsed = template.parse(text);
        parsed
            .map(Self)
            .map_err(|error| Failure::usage(format!("error parsing template {text}, {error}")))
    }

    /// The text that the template makes of a document.
    pub(crate) fn render(&self, document: &serde_json::Value) -> CliResult<String> {
        let failed =
            |error: TemplateError| Failure::error(format!("error executing template: {error}"));
        let document = gotmpl::to_value(document).map_err(failed)?;
        self.0.execute_to_string(&document).map_err(failed)
    }
}

/// Whether a value has all of the keys, each in the one before.
fn exists(arguments: &[Value]) -> bool {
    let Some((first, keys)) = arguments.split_first() else { return false };
    let mut value = first.clone();
    for key in keys {
        match value.index(key) {
            Ok(Value::Nil) | Err(_) => return false,
            Ok(found) => value = found,
        }
    }
    true
}

fn base64_decode(arguments: &[Value]) -> gotmpl::Result<Value> {
    let text = arguments.first().and_then(Value::as_str).unwrap_or_default();
    let wrong = || TemplateError::Exec("base64 decode failed".to_owned());
    let bytes = BASE64_STANDARD.decode(text).map_err(|_| wrong())?;
    let text = String::from_utf8(bytes).map_err(|_| wrong())?;
    Ok(text.as_str().into())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn rendered(template: &str, missing: Missing) -> String {
        let document =
            json!({ "kind": "List", "secret": "aGk=", "items": [{ "n": 1 }, { "n": 2.5 }] });
        let parsed = GoTemplate::parse(template, missing);
        let result = parsed.and_then(|template| template.render(&document));
        result.unwrap_or_else(|failure| failure.message)
    }

    #[test]
    fn templates_are_those_of_kubectl() {
        let cases = [
            ("{{.kind}}{{range .items}} {{.n}}{{end}}", "List 1 2.5"),
            ("{{.secret | base64decode}}", "hi"),
            ("{{if exists . \"items\"}}yes{{end}}{{if exists . \"a\" \"b\"}}no{{end}}", "yes"),
            ("{{.nothing}}", "<no value>"),
        ];
        for (template, text) in cases {
            assert_eq!(rendered(template, Missing::Allowed), text, "{template}");
        }
        assert!(rendered("{{.nothing}}", Missing::Refused).contains("nothing"));
        assert!(rendered("{{.a", Missing::Allowed).starts_with("error parsing template {{.a, "));
    }
}
