//! The routes, each with what answers it. Paths and methods are those of the route table.

mod api_token;
mod config_map;
mod credential;
mod freight;
mod link;
mod log;
mod ours;
mod project;
mod promote;
mod promotion;
mod refresh;
mod resource;
mod role;
mod stage;
mod system;
mod verification;
mod warehouse;

use std::sync::Arc;

use api_kinds::Stage;
use api_rest::route::{self, Method};
use axum::{
    Router,
    handler::Handler,
    middleware::map_response,
    response::{IntoResponse, Response},
    routing::{MethodFilter, on},
};
use core_rules::action::ActionError;
use http::{HeaderMap, StatusCode};

use crate::{
    api::Api,
    api_error::{ApiError, ApiResult},
    caller::{Caller, Target, Verb},
    document::Document,
    listing::Listing,
    mirror::{Mirror, Object},
    query::Query,
    server::Operation,
    watch::{self, Filter, From},
};

/// All routes that there are.
pub(crate) fn router(api: Api) -> Router {
    let areas = [
        system::mount,
        project::mount,
        stage::mount,
        promote::mount,
        warehouse::mount,
        promotion::mount,
        freight::mount,
        verification::mount,
        link::mount,
        log::mount,
        ours::mount,
        credential::mount,
        config_map::mount,
        resource::mount,
        role::mount,
        api_token::mount,
    ];
    let router = areas.into_iter().fold(Router::new(), |router, mount| mount(router));
    router.fallback(no_route).with_state(api)
}

/// A stranger does not learn which routes there are.
async fn no_route(_caller: Caller) -> ApiError {
    ApiError::not_found("there is no such route")
}

/// Adds the handler of an operation.
fn mount<H, T>(router: Router<Api>, operation: &str, handler: H) -> Router<Api>
where
    H: Handler<T, Api>,
    T: 'static,
{
    match route::find(operation) {
        Some(route) => {
            let named = map_response(move |mut response: Response| {
                response.extensions_mut().insert(Operation(route.operation));
                std::future::ready(response)
            });
            router.route(route.path, on(filter(route.method), handler).layer(named))
        }
        None => router,
    }
}

fn filter(method: Method) -> MethodFilter {
    match method {
        Method::Get => MethodFilter::GET,
        Method::Post => MethodFilter::POST,
        Method::Put => MethodFilter::PUT,
        Method::Patch => MethodFilter::PATCH,
        Method::Delete => MethodFilter::DELETE,
    }
}

/// It is done, and there is nothing to say.
struct Done;

impl IntoResponse for Done {
    fn into_response(self) -> Response {
        StatusCode::OK.into_response()
    }
}

/// It is gone.
struct Gone;

impl IntoResponse for Gone {
    fn into_response(self) -> Response {
        StatusCode::NO_CONTENT.into_response()
    }
}

/// An object as it is stored.
fn object(object: &Arc<Object>) -> Document {
    Document::of_bytes(object.json.clone()).with_version(object.version)
}

/// One object, or the changes of it.
async fn get_or_watch(
    caller: &Caller,
    mirror: &Mirror,
    (namespace, name): (&str, &str),
    query: &Query,
) -> ApiResult<Response> {
    let found = caller.get(mirror, namespace, name).await?;
    if !query.flag("watch") {
        return Ok(object(&found).into_response());
    }
    watch::watch(caller, mirror, namespace, Filter::name(name), From::Everything).await
}

/// The objects of a namespace that the query selects and `filter` lets through, or the changes of them.
async fn list_or_watch(
    caller: &Caller,
    mirror: &Mirror,
    namespace: &str,
    (query, headers): (&Query, &HeaderMap),
    filter: Option<Filter>,
) -> ApiResult<Response> {
    let listing = Listing::read(query)?;
    let is_plain = filter.is_none() && listing.is_plain();
    let filter = listing.filter(filter.unwrap_or_else(Filter::all));
    if query.flag("watch") {
        let from = From::read(headers, query.text("resourceVersion"));
        return watch::watch(caller, mirror, namespace, filter, from).await;
    }
    let mirror = caller.list(mirror, namespace).await?;
    if is_plain {
        return Ok(mirror.document(namespace).into_response());
    }
    let _turn = caller.api().turns().to_make(caller.api().ports()).await?;
    Ok(listing.document(mirror, mirror.list(namespace), &filter).into_response())
}

/// One object.
async fn get(caller: &Caller, mirror: &Mirror, namespace: &str, name: &str) -> ApiResult<Document> {
    Ok(object(&caller.get(mirror, namespace, name).await?))
}

/// All objects of a namespace, or of a kind without.
async fn list(caller: &Caller, mirror: &Mirror, namespace: &str) -> ApiResult<Document> {
    Ok(caller.list(mirror, namespace).await?.document(namespace))
}

/// A Stage as rules read it.
async fn find_stage(caller: &Caller, project: &str, name: &str) -> ApiResult<Arc<Stage>> {
    let stages = &caller.mirrors().stages;
    let target = Target::one(stages.kind(), project, name);
    caller.require(Verb::Get, &target).await.map(drop)?;
    caller.check_project(project)?;
    let found = stages.ready()?.get(project, name).and_then(|stage| stage.typed());
    found.ok_or_else(|| {
        let (stage, project) = (name.to_owned(), project.to_owned());
        ApiError::refused(ActionError::StageNotFound { stage, project })
    })
}

/// Deletes an object.
async fn delete(caller: &Caller, mirror: &Mirror, namespace: &str, name: &str) -> ApiResult<Gone> {
    let target = Target::one(mirror.kind(), namespace, name);
    let grant = caller.require(Verb::Delete, &target).await?;
    caller.check_project(namespace)?;
    caller.delete(grant, mirror).await?;
    Ok(Gone)
}

#[cfg(test)]
mod tests {
    use super::{Method, filter};
    use axum::routing::MethodFilter;

    #[test]
    fn methods_of_the_table_are_those_of_the_router() {
        assert_eq!(filter(Method::Patch), MethodFilter::PATCH);
        assert_eq!(filter(Method::Delete), MethodFilter::DELETE);
    }
}
