//! What a request asks for, read from its line and headers before anything is decided.

pub(crate) mod body;
pub(crate) mod negotiate;
pub(crate) mod path;
pub(crate) mod query;

use http::{HeaderMap, Method};

use path::{ResourcePath, Target};
use query::Query;

/// A request as authorization, audit and the verbs see it.
#[derive(Clone, Debug)]
pub(crate) struct Info {
    /// The HTTP method.
    pub(crate) method: Method,
    /// The path and query as sent, for audit.
    pub(crate) uri: String,
    /// What the path points to.
    pub(crate) target: Target,
    /// The query parameters.
    pub(crate) query: Query,
    /// The headers.
    pub(crate) headers: HeaderMap,
}

impl Info {
    /// Reads method, path and query.
    pub(crate) fn new(method: Method, uri: &http::Uri, headers: HeaderMap) -> Self {
        let query = Query::parse(uri.query().unwrap_or_default());
        let target = path::parse(uri.path());
        Self { method, uri: shown_uri(uri), target, query, headers }
    }

    /// The verb that permissions are granted for.
    pub(crate) fn verb(&self) -> &'static str {
        match &self.target {
            Target::Resource(path) => self.resource_verb(path),
            _ => match self.method {
                Method::GET => "get",
                Method::HEAD => "head",
                Method::POST => "post",
                Method::PUT => "put",
                Method::PATCH => "patch",
                Method::DELETE => "delete",
                Method::OPTIONS => "options",
                _ => "unknown",
            },
        }
    }

    fn resource_verb(&self, path: &ResourcePath) -> &'static str {
        let collection = path.name.is_none();
        match self.method {
            Method::GET | Method::HEAD if !collection => "get",
            Method::GET | Method::HEAD if self.query.flag("watch") => "watch",
            Method::GET | Method::HEAD => "list",
            Method::POST => "create",
            Method::PUT => "update",
            Method::PATCH => "patch",
            Method::DELETE if collection => "deletecollection",
            Method::DELETE => "delete",
            _ => "unknown",
        }
    }

    /// Whether the request may stay open for long and so is kept out of the in-flight limits and timeouts.
    pub(crate) fn is_long_running(&self) -> bool {
        self.verb() == "watch"
    }

    /// Whether the request may change something.
    pub(crate) fn is_mutating(&self) -> bool {
        !matches!(self.method, Method::GET | Method::HEAD | Method::OPTIONS)
    }

    /// A header as text; "" when absent or not text.
    pub(crate) fn header(&self, name: &str) -> &str {
        self.headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default()
    }
}

fn shown_uri(uri: &http::Uri) -> String {
    uri.path_and_query().map_or_else(|| uri.path().to_owned(), ToString::to_string)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn verb(method: Method, uri: &str) -> &'static str {
        Info::new(method, &uri.parse().unwrap(), HeaderMap::new()).verb()
    }

    #[test]
    fn verbs_follow_method_path_and_the_watch_flag() {
        assert_eq!(verb(Method::GET, "/api/v1/namespaces/a/secrets"), "list");
        assert_eq!(verb(Method::GET, "/api/v1/namespaces/a/secrets?watch=1"), "watch");
        assert_eq!(verb(Method::GET, "/api/v1/namespaces/a/secrets/b?watch=true"), "get");
        assert_eq!(verb(Method::DELETE, "/api/v1/namespaces/a/secrets"), "deletecollection");
        assert_eq!(verb(Method::DELETE, "/api/v1/namespaces/a"), "delete");
        assert_eq!(verb(Method::HEAD, "/livez/ping"), "head");
    }
}
