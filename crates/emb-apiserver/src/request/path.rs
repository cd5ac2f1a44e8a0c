//! Reading a request path.

/// What a path points to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Target {
    /// A collection, an object or a subresource.
    Resource(ResourcePath),
    /// Everything else: discovery, health, metrics. Without a trailing slash.
    NonResource(String),
    /// A path that cannot be: empty segments, bad escapes.
    Malformed(String),
}

/// The parts of a resource path.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct ResourcePath {
    /// The API group; empty for the core group.
    pub(crate) group: String,
    /// The version.
    pub(crate) version: String,
    /// The namespace; `None` on cluster-scoped paths.
    pub(crate) namespace: Option<String>,
    /// The plural name.
    pub(crate) resource: String,
    /// The object's name; `None` for the collection.
    pub(crate) name: Option<String>,
    /// The subresource, "" for the object itself.
    pub(crate) subresource: String,
}

/// Reads a path. Names may be percent-encoded; one trailing slash is allowed.
pub(crate) fn parse(path: &str) -> Target {
    let trimmed = path.strip_suffix('/').unwrap_or(path);
    let malformed = || Target::Malformed(path.to_owned());
    let Some(rest) = trimmed.strip_prefix('/') else {
        return if path == "/" { Target::NonResource("/".into()) } else { malformed() };
    };
    let mut segments = Vec::new();
    for raw in rest.split('/') {
        match decode(raw) {
            Some(segment) if !segment.is_empty() => segments.push(segment),
            _ => return malformed(),
        }
    }
    let parts: Vec<&str> = segments.iter().map(String::as_str).collect();
    let resource = match parts.as_slice() {
        ["api", version, tail @ ..] if !tail.is_empty() => resource_path("", version, tail),
        ["apis", group, version, tail @ ..] if !tail.is_empty() => {
            resource_path(group, version, tail)
        }
        _ => return Target::NonResource(trimmed.to_owned()),
    };
    resource.map_or_else(malformed, Target::Resource)
}

fn resource_path(group: &str, version: &str, tail: &[&str]) -> Option<ResourcePath> {
    let (namespace, tail) = match tail {
        // A namespace is an object itself, and its subresources look like resources inside it.
        ["namespaces", name] if group.is_empty() => (Some(*name), tail),
        ["namespaces", name, "status" | "finalize"] if group.is_empty() => (Some(*name), tail),
        ["namespaces", name, rest @ ..] if !rest.is_empty() => (Some(*name), rest),
        _ => (None, tail),
    };
    let (resource, name, subresource) = match tail {
        [resource] => (resource, None, ""),
        [resource, name] => (resource, Some(*name), ""),
        [resource, name, subresource] => (resource, Some(*name), *subresource),
        _ => return None,
    };
    Some(ResourcePath {
        group: group.to_owned(),
        version: version.to_owned(),
        namespace: namespace.map(str::to_owned),
        resource: (*resource).to_owned(),
        name: name.map(str::to_owned),
        subresource: subresource.to_owned(),
    })
}

/// Undoes percent-encoding; `None` when an escape is cut short or the result is not UTF-8.
pub(crate) fn decode(text: &str) -> Option<String> {
    if !text.contains('%') {
        return Some(text.to_owned());
    }
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes().iter();
    while let Some(&byte) = rest.next() {
        if byte == b'%' {
            let high = char::from(*rest.next()?).to_digit(16)?;
            let low = char::from(*rest.next()?).to_digit(16)?;
            bytes.push(u8::try_from(high * 16 + low).ok()?);
        } else {
            bytes.push(byte);
        }
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn resource(path: &str) -> ResourcePath {
        match parse(path) {
            Target::Resource(resource) => resource,
            other => panic!("{path}: {other:?}"),
        }
    }

    #[test]
    fn namespaced_cluster_and_subresource_paths_are_told_apart() {
        let stage = resource("/apis/kargo.akuity.io/v1alpha1/namespaces/p/stages/s/status");
        assert_eq!(
            (stage.namespace.as_deref(), stage.name.as_deref(), stage.subresource.as_str()),
            (Some("p"), Some("s"), "status")
        );
        let all = resource("/apis/kargo.akuity.io/v1alpha1/stages/");
        assert_eq!((all.namespace, all.name), (None, None));
        let role = resource("/apis/rbac.authorization.k8s.io/v1/clusterroles/system%3Adiscovery");
        assert_eq!(role.name.as_deref(), Some("system:discovery"));
    }

    #[test]
    fn a_namespace_is_an_object_and_a_place() {
        let object = resource("/api/v1/namespaces/a");
        assert_eq!(
            (object.resource.as_str(), object.name.as_deref(), object.namespace.as_deref()),
            ("namespaces", Some("a"), Some("a"))
        );
        let finalize = resource("/api/v1/namespaces/a/finalize");
        assert_eq!(finalize.subresource, "finalize");
        let inside = resource("/api/v1/namespaces/a/secrets");
        assert_eq!((inside.resource.as_str(), inside.name), ("secrets", None));
    }

    #[test]
    fn discovery_and_health_are_no_resources() {
        for path in
            ["/", "/api", "/apis/", "/api/v1", "/apis/a.b/v1/", "/healthz", "/openapi/v3/apis/a/v1"]
        {
            assert!(matches!(parse(path), Target::NonResource(_)), "{path}");
        }
    }

    #[test]
    fn empty_segments_bad_escapes_and_long_tails_are_malformed() {
        for path in [
            "//api",
            "/api/v1//secrets",
            "/api/v1/secrets//",
            "/api/v1/secrets/%zz",
            "/api/v1/a/b/c/d",
        ] {
            assert!(matches!(parse(path), Target::Malformed(_)), "{path}");
        }
    }

    proptest! {
        #[test]
        fn no_path_panics(path in ".{0,80}") {
            let _ = parse(&path);
        }
    }
}
