//! Documents in the form that was asked for.

use serde_json::{Value, ser::PrettyFormatter};

use super::{PrintArgs, Width, go_template::GoTemplate, jsonpath::Template, kyaml::to_kyaml};
use crate::exit::{CliResult, Failure};

/// A form.
#[derive(Clone, Debug)]
pub(crate) enum Format {
    Json,
    Yaml,
    Kyaml,
    Name,
    Table(Width),
    JsonPath(Template, JsonPathForm),
    GoTemplate(GoTemplate),
}

/// What becomes of what a JSONPath finds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum JsonPathForm {
    Text,
    Json,
}

impl Format {
    /// A document in this form. Names and tables are of objects, not of documents: theirs is YAML.
    pub(crate) fn write(&self, print: &PrintArgs, document: &Value) -> CliResult<String> {
        let mut document = document.clone();
        if !print.show_managed_fields {
            strip_managed_fields(&mut document);
        }
        match self {
            Self::Json => Ok(to_json(&document)),
            Self::Yaml | Self::Name | Self::Table(_) => to_yaml(&document),
            Self::Kyaml => Ok(to_kyaml(&document)),
            Self::JsonPath(template, form) => jsonpath(template, *form, print, &document),
            Self::GoTemplate(template) => template.render(&document),
        }
    }
}

fn jsonpath(
    template: &Template,
    form: JsonPathForm,
    print: &PrintArgs,
    document: &Value,
) -> CliResult<String> {
    let failed = |error: super::jsonpath::EvaluateError| {
        Failure::error(format!("error executing jsonpath: {error}"))
    };
    match form {
        JsonPathForm::Text => template.render(document, print.missing()).map_err(failed),
        JsonPathForm::Json => {
            let found = template.find(document, print.missing()).map_err(failed)?;
            Ok(to_json(&Value::Array(found)))
        }
    }
}

/// JSON with four spaces, as `kubectl` has it.
pub(crate) fn to_json(document: &Value) -> String {
    let mut bytes = Vec::new();
    let formatter = PrettyFormatter::with_indent(b"    ");
    let mut serializer = serde_json::Serializer::with_formatter(&mut bytes, formatter);
    // A value that is in memory can be written there.
    let _ = serde::Serialize::serialize(document, &mut serializer);
    bytes.push(b'\n');
    String::from_utf8_lossy(&bytes).into_owned()
}

/// YAML in block style.
pub(crate) fn to_yaml(document: &Value) -> CliResult<String> {
    api_kinds::crd::to_yaml(document).map_err(|error| Failure::error(error.to_string()))
}

/// Who wrote which field is of no interest to those who read the fields.
fn strip_managed_fields(document: &mut Value) {
    if let Some(metadata) = document.get_mut("metadata").and_then(Value::as_object_mut) {
        metadata.remove("managedFields");
    }
    for list in ["items", "roles", "roleBindings", "clusterRoles"] {
        let items = document.get_mut(list).and_then(Value::as_array_mut);
        items.into_iter().flatten().for_each(strip_managed_fields);
    }
    if let Some(account) = document.get_mut("serviceAccount") {
        strip_managed_fields(account);
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn managed_fields_are_left_out_unless_asked_for() {
        let object = json!({ "kind": "List", "items": [{ "metadata": { "name": "a", "managedFields": [1] } }] });
        let print = PrintArgs::default();
        assert!(!Format::Json.write(&print, &object).unwrap().contains("managedFields"));
        let print = PrintArgs { show_managed_fields: true, ..print };
        assert!(Format::Json.write(&print, &object).unwrap().contains("managedFields"));
    }

    #[test]
    fn json_has_four_spaces() {
        assert_eq!(to_json(&json!({ "a": 1 })), "{\n    \"a\": 1\n}\n");
    }
}
