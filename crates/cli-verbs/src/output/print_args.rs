//! The flags that say in which form a result is shown.

use clap::{ArgMatches, FromArgMatches as _};

use super::{
    Width,
    format::{Format, JsonPathForm},
    go_template::GoTemplate,
    jsonpath::{Missing, Template},
};
use crate::exit::{CliResult, Context as _, Failure};

/// All forms, as they are listed when none of them was meant.
const FORMS: &str = "json, yaml, kyaml, name, table, wide, go-template, go-template-file, template, templatefile, \
    jsonpath, jsonpath-as-json, jsonpath-file";

/// How the result is shown
#[derive(clap::Args, Clone, Debug, Default)]
pub(crate) struct PrintArgs {
    /// Form of the output: table, wide, json, yaml, kyaml, name, jsonpath=…, jsonpath-as-json=…, jsonpath-file=…, go-template=…, go-template-file=…
    #[arg(short, long, value_name = "FORM")]
    pub(crate) output: Option<String>,
    /// Template, or file with one, for the forms that need one
    #[arg(long, value_name = "TEMPLATE")]
    pub(crate) template: Option<String>,
    /// Whether a field that a template names may be missing
    #[arg(
        long,
        value_name = "BOOL",
        default_value = "true",
        default_missing_value = "true",
        num_args = 0..=1,
        require_equals = true,
        action = clap::ArgAction::Set
    )]
    pub(crate) allow_missing_template_keys: bool,
    /// Keep managedFields in documents
    #[arg(long)]
    pub(crate) show_managed_fields: bool,
}

impl PrintArgs {
    /// Whether a command that shows something was told a form that exists.
    pub(crate) fn check(command: &ArgMatches) -> CliResult {
        match command.try_contains_id("output") {
            Ok(true) => {
                let print = Self::from_arg_matches(command);
                print.map_err(|error| Failure::usage(error.to_string()))?.format().map(drop)
            }
            // It was given none, or it shows nothing.
            _ => Ok(()),
        }
    }

    /// The form that was asked for; a template alone is a Go template.
    pub(crate) fn format(&self) -> CliResult<Option<Format>> {
        let Some(output) = self.output.as_deref().filter(|output| !output.is_empty()) else {
            return self.template.as_deref().map(|text| self.go_template(text)).transpose();
        };
        let (form, given) = match output.split_once('=') {
            Some((form, template)) => (form, Some(template)),
            None => (output, None),
        };
        let template = given.or(self.template.as_deref());
        let needed = || {
            let missing = format!("template format specified but no template given for {form:?}");
            template.filter(|text| !text.is_empty()).ok_or_else(|| Failure::usage(missing))
        };
        Ok(Some(match form {
            "json" => Format::Json,
            "yaml" => Format::Yaml,
            "kyaml" => Format::Kyaml,
            "name" => Format::Name,
            "table" => Format::Table(Width::Normal),
            "wide" => Format::Table(Width::Wide),
            "jsonpath" => jsonpath(needed()?, JsonPathForm::Text)?,
            "jsonpath-as-json" => jsonpath(needed()?, JsonPathForm::Json)?,
            "jsonpath-file" => jsonpath(&read(needed()?)?, JsonPathForm::Text)?,
            "go-template" | "template" => self.go_template(needed()?)?,
            "go-template-file" | "templatefile" => self.go_template(&read(needed()?)?)?,
            _ => {
                return Err(Failure::usage(format!(
                    "unable to match a printer suitable for the output format {output:?}, allowed formats are: {FORMS}"
                )));
            }
        }))
    }

    fn go_template(&self, text: &str) -> CliResult<Format> {
        Ok(Format::GoTemplate(GoTemplate::parse(text, self.missing())?))
    }

    /// Whether templates may name what is not there.
    pub(crate) fn missing(&self) -> Missing {
        if self.allow_missing_template_keys { Missing::Allowed } else { Missing::Refused }
    }
}

fn jsonpath(text: &str, form: JsonPathForm) -> CliResult<Format> {
    let parsed = Template::parse(text)
        .map_err(|error| Failure::usage(format!("error parsing jsonpath {text}, {error}")))?;
    Ok(Format::JsonPath(parsed, form))
}

fn read(path: &str) -> CliResult<String> {
    std::fs::read_to_string(path).context(format!("error reading --template {path}"))
}
