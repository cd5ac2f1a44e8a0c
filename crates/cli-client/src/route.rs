//! A path and a query, built from parts that are escaped.

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

use crate::Error;

/// Everything but the unreserved characters of URLs.
const ESCAPED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// A route of the API with its parameters. A name that would lead elsewhere makes the request fail.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Route {
    path: String,
    query: Vec<(String, String)>,
    misnamed: Option<String>,
}

impl Route {
    /// A route below `/v1beta1`; the parts are fixed words.
    pub fn of(words: &[&'static str]) -> Self {
        let mut path = "/v1beta1".to_owned();
        for word in words {
            path.push('/');
            path.push_str(word);
        }
        Self { path, query: Vec::new(), misnamed: None }
    }

    /// With a fixed word at its end.
    #[must_use]
    pub fn word(mut self, word: &'static str) -> Self {
        self.path.push('/');
        self.path.push_str(word);
        self
    }

    /// With a name at its end.
    #[must_use]
    pub fn name(mut self, name: &str) -> Self {
        // An empty name is the list, and a dot walks about, escaped or not.
        if matches!(name, "" | "." | "..") {
            self.misnamed.get_or_insert_with(|| name.to_owned());
        }
        self.path.push('/');
        self.path.extend(utf8_percent_encode(name, ESCAPED));
        self
    }

    /// With a parameter; lists are repeated parameters.
    #[must_use]
    pub fn query(mut self, name: &str, value: &str) -> Self {
        self.query.push((name.to_owned(), value.to_owned()));
        self
    }

    /// The path and the query as they are sent.
    pub fn to_target(&self) -> Result<String, Error> {
        if let Some(name) = &self.misnamed {
            return Err(Error::Name(name.clone()));
        }
        if self.query.is_empty() {
            return Ok(self.path.clone());
        }
        let mut query = form_urlencoded::Serializer::new(String::new());
        query.extend_pairs(&self.query);
        Ok(format!("{}?{}", self.path, query.finish()))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn names_and_values_are_escaped() {
        let route = Route::of(&["projects"]).name("a/b ü").word("stages").query("stage", "x&y=ü");
        let target = route.to_target().unwrap();
        assert_eq!(target, "/v1beta1/projects/a%2Fb%20%C3%BC/stages?stage=x%26y%3D%C3%BC");
    }

    #[test]
    fn a_name_that_leads_elsewhere_is_not_sent() {
        for name in ["", ".", ".."] {
            assert!(Route::of(&["projects"]).name(name).to_target().is_err(), "{name:?}");
        }
    }

    proptest! {
        #[test]
        fn a_name_never_leaves_its_segment(name in ".{1,40}") {
            if let Ok(target) = Route::of(&["projects"]).name(&name).to_target() {
                let rest = target.strip_prefix("/v1beta1/projects/").unwrap().to_owned();
                prop_assert!(!rest.contains(['/', '?', '#', '\\', '\r', '\n']));
            }
        }
    }
}
