//! The part of an address behind the question mark.

use std::convert::Infallible;

use axum::extract::FromRequestParts;
use http::request::Parts;

/// Parameters in the order in which they came. A list is its name repeated.
#[derive(Clone, Debug, Default)]
pub(crate) struct Query(Vec<(String, String)>);

/// More parameters than any client sends; the rest does not count.
const MAX_PARAMETERS: usize = 1_000;

impl Query {
    pub(crate) fn parse(text: &str) -> Self {
        let pairs = form_urlencoded::parse(text.as_bytes()).take(MAX_PARAMETERS);
        Self(pairs.map(|(name, value)| (name.into_owned(), value.into_owned())).collect())
    }

    /// The first value, or nothing.
    pub(crate) fn text(&self, name: &str) -> &str {
        let first = self.0.iter().find(|(one, _)| one == name);
        first.map(|(_, value)| value.as_str()).unwrap_or_default()
    }

    /// All of it, as a name for what it asks for.
    pub(crate) fn name(&self) -> String {
        let mut text = form_urlencoded::Serializer::new(String::new());
        text.extend_pairs(&self.0).finish()
    }

    /// Every value.
    pub(crate) fn many<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a str> {
        self.0.iter().filter(move |(one, _)| one == name).map(|(_, value)| value.as_str())
    }

    /// Whether it is the word `true`.
    pub(crate) fn flag(&self, name: &str) -> bool {
        self.text(name) == "true"
    }

    /// A number; zero when it is none.
    pub(crate) fn number(&self, name: &str) -> usize {
        self.text(name).parse().unwrap_or(0)
    }
}

impl<S: Sync> FromRequestParts<S> for Query {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Infallible> {
        Ok(Self::parse(parts.uri.query().unwrap_or_default()))
    }
}

#[cfg(test)]
mod tests {
    use super::Query;

    #[test]
    fn a_list_is_its_name_repeated_and_only_true_is_true() {
        let query = Query::parse("a=1&a=2,3&b=TRUE&c=true&d=x%20y&n=-4&m=12");
        assert_eq!(query.many("a").collect::<Vec<_>>(), ["1", "2,3"]);
        assert_eq!((query.flag("b"), query.flag("c"), query.flag("z")), (false, true, false));
        assert_eq!((query.text("d"), query.text("z")), ("x y", ""));
        assert_eq!((query.number("n"), query.number("m")), (0, 12));
    }
}
