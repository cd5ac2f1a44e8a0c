//! Every operation: its path, its parameters and who may call it.
//!
//! Operation ids, paths, parameters and tags are upstream's; a test holds them to its OpenAPI
//! document. The server mounts its handlers by operation id, so a route exists once.

mod access;
mod config_map;
mod credential;
mod freight;
mod ours;
mod parameter;
mod project;
mod promotion;
mod resource;
mod role;
mod stage;
mod system;
mod tag;
mod verification;

pub use access::{Access, Permission};
pub use parameter::{Parameter, ParameterKind};

/// What all paths begin with.
pub const PREFIX: &str = "/v1beta1";

/// The method of a route.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Method {
    /// Reads.
    Get,
    /// Creates or acts.
    Post,
    /// Replaces.
    Put,
    /// Changes.
    Patch,
    /// Deletes.
    Delete,
}

impl Method {
    /// The word on the wire.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Get => "GET",
            Self::Post => "POST",
            Self::Put => "PUT",
            Self::Patch => "PATCH",
            Self::Delete => "DELETE",
        }
    }
}

/// What a route takes as its body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Body {
    /// JSON of this schema.
    Json(&'static str),
    /// Manifests, YAML or JSON.
    Manifests,
}

/// What a route answers with when all went well.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reply {
    /// No body.
    Nothing,
    /// JSON of this schema.
    Json(&'static str),
    /// Lines of text.
    Text,
    /// Server-sent events.
    Events,
}

/// One operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Route {
    /// The method.
    pub method: Method,
    /// The path, with parameters in braces.
    pub path: &'static str,
    /// The name that generated clients use.
    pub operation: &'static str,
    /// What it belongs to.
    pub tags: &'static [&'static str],
    /// Parameters behind the question mark.
    pub query: &'static [Parameter],
    /// What it takes.
    pub body: Option<Body>,
    /// What it gives.
    pub reply: Reply,
    /// The status of success.
    pub success: u16,
    /// Who may call it.
    pub access: Access,
}

impl Route {
    const fn new(method: Method, path: &'static str, operation: &'static str) -> Self {
        let success = match method {
            Method::Delete => 204,
            _ => 200,
        };
        Self {
            method,
            path,
            operation,
            tags: &[],
            query: &[],
            body: None,
            reply: Reply::Nothing,
            success,
            access: Access::Caller(&[]),
        }
    }

    const fn tags(self, tags: &'static [&'static str]) -> Self {
        Self { tags, ..self }
    }

    const fn query(self, query: &'static [Parameter]) -> Self {
        Self { query, ..self }
    }

    const fn takes(self, schema: &'static str) -> Self {
        Self { body: Some(Body::Json(schema)), ..self }
    }

    const fn takes_manifests(self) -> Self {
        Self { body: Some(Body::Manifests), ..self }
    }

    const fn gives(self, schema: &'static str) -> Self {
        Self { reply: Reply::Json(schema), ..self }
    }

    const fn gives_text(self) -> Self {
        Self { reply: Reply::Text, ..self }
    }

    const fn answers(self, success: u16) -> Self {
        Self { success, ..self }
    }

    const fn as_caller(self, permissions: &'static [Permission]) -> Self {
        Self { access: Access::Caller(permissions), ..self }
    }

    const fn as_server(self, reason: &'static str) -> Self {
        Self { access: Access::Server(reason), ..self }
    }

    const fn public(self) -> Self {
        Self { access: Access::Public, ..self }
    }

    /// The names of the parameters in the path, in order.
    pub fn path_parameters(&self) -> impl Iterator<Item = &'static str> {
        self.path.split('/').filter_map(|part| part.strip_prefix('{')?.strip_suffix('}'))
    }
}

const fn get(path: &'static str, operation: &'static str) -> Route {
    Route::new(Method::Get, path, operation)
}

const fn post(path: &'static str, operation: &'static str) -> Route {
    Route::new(Method::Post, path, operation)
}

const fn put(path: &'static str, operation: &'static str) -> Route {
    Route::new(Method::Put, path, operation)
}

const fn patch(path: &'static str, operation: &'static str) -> Route {
    Route::new(Method::Patch, path, operation)
}

const fn delete(path: &'static str, operation: &'static str) -> Route {
    Route::new(Method::Delete, path, operation)
}

/// Every route, by area.
const AREAS: &[&[Route]] = &[
    system::ROUTES,
    project::ROUTES,
    stage::ROUTES,
    promotion::ROUTES,
    freight::ROUTES,
    verification::ROUTES,
    role::ROUTES,
    credential::PROJECT_REPO,
    credential::SHARED_REPO,
    credential::PROJECT_GENERIC,
    credential::SHARED_GENERIC,
    credential::SYSTEM_GENERIC,
    config_map::PROJECT,
    config_map::SHARED,
    config_map::SYSTEM,
    resource::ROUTES,
    ours::ROUTES,
];

/// Every route.
pub fn routes() -> impl Iterator<Item = &'static Route> {
    AREAS.iter().copied().flatten()
}

/// The routes that upstream does not have.
pub fn additional() -> impl Iterator<Item = &'static Route> {
    ours::ROUTES.iter()
}

/// The route of an operation.
pub fn find(operation: &str) -> Option<&'static Route> {
    routes().find(|route| route.operation == operation)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::{Access, additional, find, routes};

    #[test]
    fn those_of_upstream_are_119_and_each_has_a_name_and_an_address_of_its_own() {
        let names: BTreeSet<_> = routes().map(|route| route.operation).collect();
        let addresses: BTreeSet<_> = routes().map(|route| (route.path, route.method)).collect();
        let count = routes().count();
        assert_eq!(count - additional().count(), 119);
        assert_eq!((names.len(), addresses.len()), (count, count));
        assert_eq!(
            find("GetStage").unwrap().path_parameters().collect::<Vec<_>>(),
            ["project", "stage"]
        );
    }

    #[test]
    fn whoever_calls_a_route_is_asked_for_something_or_the_reason_is_given() {
        for route in routes() {
            match route.access {
                Access::Public => {}
                Access::Server(reason) => assert!(!reason.is_empty(), "{}", route.operation),
                Access::Caller(permissions) => {
                    assert!(!permissions.is_empty(), "{}", route.operation);
                }
            }
        }
    }

    #[test]
    fn only_login_and_its_configuration_are_public() {
        let public = routes().filter(|route| route.access == Access::Public);
        let mut names: Vec<_> = public.map(|route| route.operation).collect();
        names.sort_unstable();
        assert_eq!(names, ["AdminLogin", "GetPublicConfig"]);
    }
}
