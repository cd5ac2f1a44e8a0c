//! Which Projects get tokens for which repositories of an App.

use std::collections::BTreeMap;

use api_kinds::annotations::GITHUB_TOKEN_SCOPES;

use super::service::Repository;
use crate::{matching::Material, provider::ProviderError};

/// The annotation of a Secret, read. Without it every Project gets tokens for every repository.
#[derive(Debug, PartialEq)]
pub(super) struct Scope(Option<BTreeMap<String, Option<Vec<String>>>>);

impl Scope {
    pub(super) fn read(material: &Material) -> Result<Self, ProviderError> {
        let Some(text) = &material.token_scopes else { return Ok(Self(None)) };
        let map = serde_json::from_str(text).map_err(|error| {
            // Where, but not what: the place is enough to find it.
            let place = format!("line {} column {}", error.line(), error.column());
            let problem = format!("error unmarshaling scope map at {place}");
            ProviderError::value(GITHUB_TOKEN_SCOPES, problem)
        })?;
        Ok(Self(Some(map)))
    }

    /// Whether a Project may have a token for a repository. An entry is the name of a repository,
    /// `owner/name`, or `*`; GitHub knows no case.
    pub(super) fn allows(&self, project: &str, repository: &Repository) -> bool {
        let Some(projects) = &self.0 else { return true };
        let entries = projects.get(project).and_then(Option::as_ref);
        let full_name = repository.full_name();
        entries.into_iter().flatten().any(|entry| {
            entry == "*"
                || entry.eq_ignore_ascii_case(repository.name())
                || entry.eq_ignore_ascii_case(&full_name)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scope(text: &str) -> Result<Scope, ProviderError> {
        Scope::read(&Material::new(&BTreeMap::new(), Some(&text.to_owned())))
    }

    #[test]
    fn a_project_gets_what_the_map_lists_for_it() {
        let repository = Repository::of("https://github.com/org/app").unwrap();
        let table = [
            (r#"{"p": ["app"]}"#, true),
            (r#"{"p": ["App"]}"#, true),
            (r#"{"p": ["other", "Org/App"]}"#, true),
            (r#"{"p": ["*"]}"#, true),
            (r#"{"p": ["org/*"]}"#, false),
            (r#"{"p": ["other/app"]}"#, false),
            (r#"{"p": []}"#, false),
            (r#"{"p": null}"#, false),
            (r#"{"q": ["app"]}"#, false),
            ("{}", false),
        ];
        for (text, allowed) in table {
            let scope = scope(text).unwrap();
            assert_eq!(scope.allows("p", &repository), allowed, "{text}");
        }
        assert!(Scope::read(&Material::default()).unwrap().allows("p", &repository));
    }

    #[test]
    fn a_map_that_is_none_is_an_error_with_its_place() {
        for text in ["", "null", "[]", r#"{"p": "app"}"#, "{"] {
            let error = scope(text).unwrap_err().to_string();
            assert!(error.contains("error unmarshaling scope map at line"), "{error}");
        }
    }
}
