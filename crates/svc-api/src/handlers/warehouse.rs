//! Warehouses.

use axum::{
    Router,
    extract::Path,
    response::{IntoResponse, Response},
};
use http::HeaderMap;

use super::{Done, Gone, delete, get_or_watch, list, mount as add, refresh::refresh};
use crate::{
    api::Api,
    api_error::ApiResult,
    caller::Caller,
    query::Query,
    watch::{self, Filter, From},
};

pub(super) fn mount(router: Router<Api>) -> Router<Api> {
    let router = add(router, "ListWarehouses", warehouse_list);
    let router = add(router, "GetWarehouse", warehouse_get);
    let router = add(router, "RefreshWarehouse", warehouse_refresh);
    add(router, "DeleteWarehouse", warehouse_delete)
}

/// Lists the Warehouses of a Project, or tells how they change.
async fn warehouse_list(
    caller: Caller,
    Path(project): Path<String>,
    query: Query,
    headers: HeaderMap,
) -> ApiResult<Response> {
    let warehouses = &caller.mirrors().warehouses;
    if query.flag("watch") {
        let from = From::read(&headers, query.text("resourceVersion"));
        return watch::watch(&caller, warehouses, &project, Filter::all(), from).await;
    }
    Ok(list(&caller, warehouses, &project).await?.into_response())
}

/// Returns a Warehouse, or the changes of it.
async fn warehouse_get(
    caller: Caller,
    Path((project, warehouse)): Path<(String, String)>,
    query: Query,
) -> ApiResult<Response> {
    get_or_watch(&caller, &caller.mirrors().warehouses, (&project, &warehouse), &query).await
}

/// Asks a Warehouse to look for artifacts now.
async fn warehouse_refresh(
    caller: Caller,
    Path((project, warehouse)): Path<(String, String)>,
) -> ApiResult<Done> {
    refresh(&caller, &caller.mirrors().warehouses, &project, &warehouse).await
}

/// Deletes a Warehouse.
async fn warehouse_delete(
    caller: Caller,
    Path((project, warehouse)): Path<(String, String)>,
) -> ApiResult<Gone> {
    delete(&caller, &caller.mirrors().warehouses, &project, &warehouse).await
}
