//! Warehouses.

use axum::{Router, extract::Path, response::Response};
use http::HeaderMap;

use super::{Done, Gone, delete, get_or_watch, list_or_watch, mount as add, refresh::refresh};
use crate::{api::Api, api_error::ApiResult, caller::Caller, query::Query};

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
    list_or_watch(&caller, warehouses, &project, (&query, &headers), None).await
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
