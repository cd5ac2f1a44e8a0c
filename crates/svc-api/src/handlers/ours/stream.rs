//! Everything that changes in a Project, in one stream.

use axum::{extract::Path, response::Response};
use core_rules::listing::View;
use http::HeaderMap;

use crate::{
    api_error::{ApiError, ApiResult},
    caller::Caller,
    mirror::Mirror,
    mirrors::Mirrors,
    query::Query,
    watch::{self, Filter, Position},
};

/// Tells how the objects of a Project change: those of the kinds that are named, or all.
pub(super) async fn project_stream(
    caller: Caller,
    Path(project): Path<String>,
    query: Query,
    headers: HeaderMap,
) -> ApiResult<Response> {
    let wanted = chosen(caller.mirrors(), &query)?;
    let view = View::parse(query.text("fields")).map_err(ApiError::refused)?;
    let position = Position::read(&headers, query.text("resourceVersion"));
    watch::watch_many(&caller, &wanted, &project, &Filter::all().shown_as(view), &position).await
}

/// The kinds that can be followed, each with the names that it has in a query.
fn kinds(mirrors: &Mirrors) -> [(&Mirror, &'static [&'static str]); 5] {
    [
        (&mirrors.stages, &["stages"]),
        (&mirrors.warehouses, &["warehouses"]),
        (&mirrors.freight, &["freight", "freights"]),
        (&mirrors.promotions, &["promotions"]),
        (&mirrors.project_configs, &["projectconfigs"]),
    ]
}

fn chosen<'a>(mirrors: &'a Mirrors, query: &Query) -> ApiResult<Vec<&'a Mirror>> {
    let names: Vec<&str> = query.many("kinds").flat_map(|names| names.split(',')).collect();
    let known = kinds(mirrors);
    let is_known = |name: &&&str| known.iter().any(|(_, names)| names.contains(*name));
    if let Some(unknown) = names.iter().find(|name| !is_known(name)) {
        return Err(ApiError::bad_request(format!("kinds: {unknown:?} cannot be followed")));
    }
    let is_wanted =
        |of_kind: &[&str]| names.is_empty() || of_kind.iter().any(|one| names.contains(one));
    Ok(known.into_iter().filter(|(_, names)| is_wanted(names)).map(|(mirror, _)| mirror).collect())
}
