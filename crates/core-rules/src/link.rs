//! Links from Stages and Freight to other systems.
//!
//! Whoever configures an installation or a Project writes them; people click on them in the UI. What
//! a link cannot be made of is told beside the links that could be made, and nothing but an address
//! of the web is ever one.

use api_kinds::link::DeepLink;
use api_rest::body::{Links, ResolvedLink};
use core_clock::Time;
use core_expr::{Library, Program, Scope, Value, Variables};
use serde_json::{Value as Json, json};

use crate::wire_time::to_wire;

/// How many definitions are looked at.
const MAX_LINKS: usize = 100;

/// What a link is shown on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LinkSubject {
    /// A Stage.
    Stage,
    /// A piece of Freight.
    Freight,
}

impl LinkSubject {
    /// What conditions and addresses call it.
    const fn name(self) -> &'static str {
        match self {
            Self::Stage => "stage",
            Self::Freight => "freight",
        }
    }
}

/// Why there is no link; the first text of each is the link's title.
#[derive(Debug, thiserror::Error)]
enum LinkError {
    #[error("error evaluating condition for link {0:?}: {1}")]
    Condition(String, String),
    #[error("condition for link {0:?} evaluated to non-boolean value")]
    NotBoolean(String),
    #[error("error parsing URL template for link {0:?}: {1}")]
    Parse(String, String),
    #[error("error evaluating URL template for link {0:?}: {1}")]
    Evaluate(String, String),
    #[error("link {0:?} does not lead to an http or https address")]
    Address(String),
}

/// The links of an object: those of the installation first, then those of its Project.
pub fn links<'a>(
    definitions: impl IntoIterator<Item = &'a DeepLink>,
    subject: LinkSubject,
    object: &Json,
    now: Time,
) -> Links {
    let variables = Variables::from_iter([(subject.name(), Value::from_json(object))]);
    let data = json!({ subject.name(): object });
    let mut links = Links::default();
    for definition in definitions.into_iter().take(MAX_LINKS) {
        match link(definition, &variables, &data, now) {
            Ok(link) => links.links.extend(link),
            Err(error) => links.errors.push(error.to_string()),
        }
    }
    links
}

/// The link; `None` when its condition does not hold.
fn link(
    definition: &DeepLink,
    variables: &Variables,
    data: &Json,
    now: Time,
) -> Result<Option<ResolvedLink>, LinkError> {
    if !definition.r#if.is_empty() && !holds(definition, variables, now)? {
        return Ok(None);
    }
    let title = || definition.title.clone();
    let url = core_template::render(&definition.url, data, now).map_err(|error| match error {
        core_template::Error::Parse(reason) => LinkError::Parse(title(), reason),
        core_template::Error::Render(reason) => LinkError::Evaluate(title(), reason),
    })?;
    let url = url.trim();
    if !is_web_address(url) {
        return Err(LinkError::Address(title()));
    }
    Ok(Some(ResolvedLink {
        title: title(),
        url: url.to_owned(),
        description: definition.description.clone(),
    }))
}

fn holds(definition: &DeepLink, variables: &Variables, now: Time) -> Result<bool, LinkError> {
    let failed = |reason: String| LinkError::Condition(definition.title.clone(), reason);
    let program = Program::compile(&definition.r#if, Library::PLAIN);
    let program = program.map_err(|error| failed(error.to_string()))?;
    let value = program.run(&Scope::new(variables, to_wire(now).0));
    let value = value.map_err(|failure| failed(failure.to_string()))?;
    value.as_bool().ok_or_else(|| LinkError::NotBoolean(definition.title.clone()))
}

/// Whether a browser that follows the text stays on the web. Other schemes run programs.
pub(crate) fn is_web_address(text: &str) -> bool {
    let rest = text.split_once("://").filter(|(scheme, _)| {
        scheme.eq_ignore_ascii_case("http") || scheme.eq_ignore_ascii_case("https")
    });
    let has_host = rest.is_some_and(|(_, rest)| !rest.is_empty() && !rest.starts_with('/'));
    has_host && !text.chars().any(char::is_control)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn define(url: &str, condition: &str) -> DeepLink {
        DeepLink {
            title: "t".to_owned(),
            url: url.to_owned(),
            r#if: condition.to_owned(),
            description: "d".to_owned(),
        }
    }

    fn resolved(url: &str, condition: &str) -> Json {
        let stage = json!({"metadata": {"name": "prod", "labels": {"a": "b"}}});
        let links = links([&define(url, condition)], LinkSubject::Stage, &stage, Time::default());
        serde_json::to_value(links).unwrap()
    }

    #[test]
    fn a_link_is_made_when_its_condition_holds() {
        let link = json!({"title": "t", "url": "https://x/prod", "description": "d"});
        let url = "https://x/{{ .stage.metadata.name }}";
        assert_eq!(resolved(url, ""), json!({"links": [link]}));
        assert_eq!(resolved(url, "stage.metadata.name == 'prod'"), json!({"links": [link]}));
        assert_eq!(resolved(url, "stage.metadata.name == 'x'"), json!({"links": []}));
        let freight = json!({"alias": "a"});
        let links = links(
            [&define("http://x/{{ .freight.alias | upper }}", "freight.alias != ''")],
            LinkSubject::Freight,
            &freight,
            Time::default(),
        );
        assert_eq!(links.links[0].url, "http://x/A");
    }

    #[test]
    fn what_cannot_be_made_is_told() {
        for (url, condition, start) in [
            ("https://x", "stage.(", "error evaluating condition for link \"t\": "),
            ("https://x", "1 + 1", "condition for link \"t\" evaluated to non-boolean value"),
            ("https://x/{{", "", "error parsing URL template for link \"t\": "),
            ("https://x/{{ env \"HOME\" }}", "", "error parsing URL template for link \"t\": "),
            ("https://x/{{ fail \"x\" }}", "", "error evaluating URL template for link \"t\": "),
        ] {
            let resolved = resolved(url, condition);
            assert_eq!(resolved["links"], json!([]));
            let error = resolved["errors"][0].as_str().unwrap();
            assert!(error.starts_with(start), "{error}");
        }
    }

    #[test]
    fn only_addresses_of_the_web_are_links() {
        for url in [
            "javascript:alert(1)",
            "data:text/html,x",
            "//x",
            "https://",
            "https:///x",
            "java\nscript://x",
            "https://x/\u{7}",
            "ftp://x",
            "/x",
            "",
        ] {
            assert_eq!(resolved(url, "")["links"], json!([]), "{url:?}");
        }
        assert_eq!(resolved(" HTTPS://x ", "")["links"][0]["url"], "HTTPS://x");
        assert_eq!(
            resolved("https://x/{{ .stage.none }}", "")["links"][0]["url"],
            "https://x/<no value>"
        );
    }

    #[test]
    fn one_bad_link_does_not_cost_the_others() {
        let definitions = [define("https://x/{{", ""), define("https://y", "")];
        let links = links(&definitions, LinkSubject::Stage, &json!({}), Time::default());
        assert_eq!((links.links.len(), links.errors.len()), (1, 1));
        let many = vec![define("https://y", ""); 500];
        let links = super::links(&many, LinkSubject::Stage, &json!({}), Time::default());
        assert_eq!(links.links.len(), MAX_LINKS);
    }
}
