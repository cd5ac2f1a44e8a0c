//! Everything that is not a stored object: documents about the server, questions it answers, lists it makes up.

mod apiservice;
mod discovery;
mod engine;
mod health;
mod issuer;
mod openapi;
mod openapi_v2;
mod review;
mod root;
pub(crate) mod token;

use emb_kinds::{BuiltInKind, Verb};
use emb_meta::{Reason, Status};
use http::{Method, Response, StatusCode};

use crate::{
    call::{Call, Reply},
    registry::Snapshot,
    request::{Info, path::ResourcePath},
    response::{Body, plain_text},
    state::State,
    verb::list::List,
};

/// Answers a path that is no resource.
pub(crate) fn non_resource(
    state: &State,
    info: &Info,
    path: &str,
) -> Result<Response<Body>, Status> {
    if !matches!(info.method, Method::GET | Method::HEAD) {
        return match path {
            "/" => Ok(page_not_found()),
            _ => Err(Status::new(
                Reason::MethodNotAllowed,
                "the server does not allow this method on the requested resource",
            )),
        };
    }
    let segments: Vec<&str> = path.split('/').skip(1).collect();
    match segments.as_slice() {
        [""] => Ok(root::paths(state, info)),
        ["version"] => Ok(root::version(state, info)),
        ["metrics"] => Ok(root::metrics(state)),
        ["debug", "engine"] => Ok(engine::report(state)),
        ["healthz" | "livez" | "readyz", ..] => Ok(health::serve(state, info, &segments)),
        ["api" | "apis", ..] => discovery::serve(state, info, &segments),
        ["openapi", "v3", ..] => Ok(openapi::serve(state, info, &segments)),
        ["openapi", "v2"] => Ok(openapi_v2::serve(info)),
        ["openid", "v1", "jwks"] => Ok(issuer::keys(state)),
        [".well-known", "openid-configuration"] => Ok(issuer::configuration(state)),
        _ => Ok(page_not_found()),
    }
}

/// The plain 404 of paths that nothing answers.
pub(crate) fn page_not_found() -> Response<Body> {
    plain_text(StatusCode::NOT_FOUND, "404 page not found\n")
}

/// Answers a resource path that nothing serves: groups that are compiled in with a Status, others with a plain page.
pub(crate) fn not_served(
    snapshot: &Snapshot,
    path: &ResourcePath,
) -> Result<Response<Body>, Status> {
    if snapshot.is_built_in_group(&path.group) {
        Err(Status::no_such_resource())
    } else {
        Ok(page_not_found())
    }
}

/// Answers for kinds that are not stored.
pub(crate) fn made_up(call: &mut Call, verb: Verb) -> Result<Reply, Status> {
    match call.served.resource.built_in() {
        Some(kind) if kind.is_review() && verb == Verb::Create => review::answer(call, kind),
        Some(BuiltInKind::ApiService) => apiservice::answer(call, verb),
        Some(BuiltInKind::Service) if verb == Verb::List => {
            let revision = call.state.store.revision();
            let entries = Vec::new();
            Ok(Reply::List(List { entries, revision, continue_token: None, remaining: None }))
        }
        Some(BuiltInKind::Service) if verb == Verb::Get => Err(call.not_found()),
        _ => Err(call.method_not_allowed()),
    }
}
