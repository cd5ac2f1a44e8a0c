//! What requests are counted under: the labels that dashboards of kube-apiserver know.

use std::fmt;

use http::Method;

use crate::request::{
    Info,
    path::{ResourcePath, Target},
};

/// Every part comes from a closed set: served resources and known verbs.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Labels {
    pub(crate) verb: &'static str,
    pub(crate) group: String,
    pub(crate) version: String,
    pub(crate) resource: String,
    pub(crate) subresource: String,
    pub(crate) scope: &'static str,
    pub(crate) dry_run: &'static str,
}

impl Labels {
    /// The labels of a request whose resource is not known: what is not served counts without its name, as anybody can
    /// make names up.
    pub(crate) fn of_unknown(info: &Info) -> Self {
        let subresource = match &info.target {
            Target::NonResource(path) => well_known(path),
            _ => "",
        };
        Self { verb: verb(info), subresource: subresource.to_owned(), ..Self::default() }
    }

    /// The labels of a request to a served resource; `subresource` is one that it has, or "".
    pub(crate) fn of_served(info: &Info, path: &ResourcePath, subresource: &str) -> Self {
        Self {
            verb: verb(info),
            group: path.group.clone(),
            version: path.version.clone(),
            resource: path.resource.clone(),
            subresource: subresource.to_owned(),
            scope: scope(info, path),
            dry_run: if info.query.find("dryRun").is_some() { "All" } else { "" },
        }
    }

    /// The labels without `dry_run`, which long requests do not have.
    pub(super) fn of_long_running(&self) -> impl fmt::Display {
        let Self { verb, group, version, resource, subresource, scope, .. } = self;
        format!(
            "component=\"apiserver\",group=\"{group}\",resource=\"{resource}\",scope=\"{scope}\",subresource=\"{subresource}\",verb=\"{verb}\",version=\"{version}\""
        )
    }
}

impl fmt::Display for Labels {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { verb, group, version, resource, subresource, scope, dry_run } = self;
        write!(
            f,
            "component=\"apiserver\",dry_run=\"{dry_run}\",group=\"{group}\",resource=\"{resource}\",scope=\"{scope}\",subresource=\"{subresource}\",verb=\"{verb}\",version=\"{version}\""
        )
    }
}

/// What paths without a resource count under, as far as they do.
fn well_known(path: &str) -> &'static str {
    match path {
        "/api" => "api",
        "/apis" => "apis",
        "/healthz" => "/healthz",
        "/livez" => "/livez",
        "/readyz" => "/readyz",
        "/openapi/v3" => "openapi/v3",
        _ => "",
    }
}

/// The method, but for what one method does in several ways.
fn verb(info: &Info) -> &'static str {
    if let Target::Resource(_) = &info.target {
        match info.verb() {
            "list" => return "LIST",
            "watch" => return "WATCH",
            "deletecollection" => return "DELETECOLLECTION",
            "patch" if info.header("content-type").starts_with("application/apply-patch") => {
                return "APPLY";
            }
            _ => {}
        }
    }
    match info.method {
        // A HEAD counts as the GET that it stands for.
        Method::GET | Method::HEAD => "GET",
        Method::POST => "POST",
        Method::PUT => "PUT",
        Method::PATCH => "PATCH",
        Method::DELETE => "DELETE",
        _ => "OTHER",
    }
}

fn scope(info: &Info, path: &ResourcePath) -> &'static str {
    match (&path.name, &path.namespace) {
        (Some(_), _) => "resource",
        _ if info.verb() == "create" => "resource",
        (None, Some(_)) => "namespace",
        (None, None) => "cluster",
    }
}

#[cfg(test)]
mod tests {
    use http::HeaderMap;

    use super::*;

    fn labels(method: Method, uri: &str, content_type: &str) -> (&'static str, &'static str) {
        let mut headers = HeaderMap::new();
        headers.insert("content-type", content_type.parse().unwrap());
        let info = Info::new(method, &uri.parse().unwrap(), headers);
        let Target::Resource(path) = &info.target else {
            return (Labels::of_unknown(&info).verb, "");
        };
        let labels = Labels::of_served(&info, path, "");
        (labels.verb, labels.scope)
    }

    #[test]
    fn requests_count_under_the_names_that_dashboards_know() {
        let maps = "/api/v1/namespaces/a/configmaps";
        let one = "/api/v1/namespaces/a/configmaps/m";
        for (method, uri, verb, scope) in [
            (Method::GET, maps, "LIST", "namespace"),
            (Method::GET, "/api/v1/configmaps?watch=1", "WATCH", "cluster"),
            (Method::GET, one, "GET", "resource"),
            (Method::POST, maps, "POST", "resource"),
            (Method::PUT, one, "PUT", "resource"),
            (Method::PATCH, one, "PATCH", "resource"),
            (Method::DELETE, one, "DELETE", "resource"),
            (Method::DELETE, maps, "DELETECOLLECTION", "namespace"),
            (Method::GET, "/version", "GET", ""),
            (Method::OPTIONS, "/version", "OTHER", ""),
        ] {
            assert_eq!(labels(method, uri, "application/json"), (verb, scope), "{uri}");
        }
        let apply = labels(Method::PATCH, one, "application/apply-patch+yaml");
        assert_eq!(apply, ("APPLY", "resource"));
    }
}
