//! Freight.

use std::{borrow::Borrow, collections::BTreeSet, sync::Arc};

use api_kinds::Freight;
use axum::{
    Router,
    extract::Path,
    response::{IntoResponse, Response},
};
use core_rules::{
    action::{ActionError, approve},
    freight::{
        FreightNotFound, change_alias, check_alias,
        query::{Groups, Parameters, Query as Arrangement, available_to, of_origins},
    },
};
use http::HeaderMap;

use super::{Done, Gone, delete, find_stage, mount as add, object, promote::passing_stages};
use crate::{
    api::Api,
    api_error::{ApiError, ApiResult},
    caller::{Caller, Target, Verb},
    document::Document,
    listing::Listing,
    mirror::{Object, Snapshot, kinds},
    query::Query,
    watch::{self, Filter, From},
};

/// Pages of at most this many pieces are kept for whoever asks next.
const MAX_KEPT: usize = 100;

pub(super) fn mount(router: Router<Api>) -> Router<Api> {
    let router = add(router, "QueryFreightsRest", freight_query);
    let router = add(router, "GetFreight", freight_get);
    let router = add(router, "PatchFreightAlias", freight_alias_patch);
    let router = add(router, "ApproveFreight", freight_approve);
    add(router, "DeleteFreight", freight_delete)
}

/// A piece of Freight with the JSON that clients get.
pub(super) struct Piece {
    pub(super) object: Arc<Object>,
    pub(super) freight: Arc<Freight>,
}

impl Borrow<Freight> for Piece {
    fn borrow(&self) -> &Freight {
        &self.freight
    }
}

impl Piece {
    fn read(object: Arc<Object>) -> Option<Self> {
        Some(Self { freight: object.typed()?, object })
    }
}

/// Finds Freight, in groups and in order, or tells how it changes.
async fn freight_query(
    caller: Caller,
    Path(project): Path<String>,
    query: Query,
    headers: HeaderMap,
) -> ApiResult<Response> {
    let listing = Listing::read(&query)?;
    let origins: Vec<String> = query.many("origins").map(str::to_owned).collect();
    if query.flag("watch") {
        let filter = if origins.is_empty() { Filter::all() } else { of(origins) };
        let from = From::read(&headers, query.text("resourceVersion"));
        let freight = &caller.mirrors().freight;
        return watch::watch(&caller, freight, &project, listing.filter(filter), from).await;
    }
    let arrangement = Arrangement::parse(&Parameters {
        group: query.text("group"),
        group_by: query.text("groupBy"),
        order_by: query.text("orderBy"),
        reverse: query.flag("reverse"),
    })
    .map_err(ApiError::refused)?;
    let freight = caller.list(&caller.mirrors().freight, &project).await?;
    let pieces = |snapshot: Snapshot| -> Vec<Piece> {
        let selected = snapshot.objects.into_iter().filter(|object| listing.selects(object));
        selected.filter_map(Piece::read).collect()
    };
    let stage = query.text("stage");
    // The next who looks at the same page does not wait for it to be sorted.
    let is_kept = stage.is_empty() && (1..=MAX_KEPT).contains(&query.number("limit"));
    let (turns, ports) = (caller.api().turns(), caller.api().ports());
    let _turn = if is_kept { None } else { Some(turns.to_make(ports).await?) };
    if stage.is_empty() {
        let make = || {
            let snapshot = freight.list(&project);
            let (version, pieces) = (snapshot.version, pieces(snapshot));
            let groups = arrangement.arrange(of_origins(&pieces, &origins));
            let document = grouped(&listing, &groups, Some(version));
            (version, document.with_version(version))
        };
        let document = if is_kept {
            freight.kept(&format!("{project}?{}", query.name()), make)
        } else {
            make().1
        };
        return Ok(document.into_response());
    }
    let pieces = pieces(freight.list(&project));
    let selected = available(&caller, &project, stage, &pieces).await?;
    Ok(grouped(&listing, &arrangement.arrange(selected), None).into_response())
}

fn of(origins: Vec<String>) -> Filter {
    Filter::new(move |object: &Object| {
        let freight = object.typed::<Freight>();
        freight.is_some_and(|freight| origins.contains(&freight.origin.name))
    })
}

/// The Freight that a Stage can get.
async fn available<'a>(
    caller: &Caller,
    project: &str,
    name: &str,
    pieces: &'a [Piece],
) -> ApiResult<Vec<&'a Piece>> {
    let warehouses = &caller.mirrors().warehouses;
    let stage = find_stage(caller, project, name).await?;
    for request in &stage.spec.requested_freight {
        let target = Target::one(warehouses.kind(), project, &request.origin.name);
        caller.require(Verb::Get, &target).await.map(drop)?;
    }
    let there = warehouses.ready()?.list(project).objects;
    let there: BTreeSet<String> = there.iter().map(|warehouse| warehouse.name.clone()).collect();
    let passing = passing_stages(caller, project, [&*stage]);
    let now = caller.api().ports().clock.now();
    available_to(&stage, pieces, &there, &passing, now).map_err(ApiError::refused)
}

/// The groups as JSON, of the JSON of their pieces. A portion goes through the groups one after another.
fn grouped(listing: &Listing, groups: &Groups<'_, Piece>, version: Option<u64>) -> Document {
    let entries: Vec<(&str, &Piece)> = groups
        .iter()
        .flat_map(|(key, pieces)| pieces.iter().map(move |piece| (key.as_str(), *piece)))
        .collect();
    let portion = listing.portion(&entries, |(_, piece)| &piece.object.name);
    let shown = entries.get(portion.start..portion.end).unwrap_or_default();
    let mut body = b"{\"groups\":{".to_vec();
    // Without grouping there is a group, even if nothing is in it.
    let empty = groups.keys().filter(|_| shown.is_empty()).map(|key| (key.as_str(), [].as_slice()));
    let filled = shown.chunk_by(|(one, _), (other, _)| one == other);
    let filled = filled.filter_map(|chunk| Some((chunk.first()?.0, chunk)));
    for (index, (key, pieces)) in empty.chain(filled).enumerate() {
        if index > 0 {
            body.push(b',');
        }
        write_group(&mut body, listing, key, pieces);
    }
    body.push(b'}');
    let more = shown.last().and_then(|(_, last)| portion.token(&last.object.name));
    let more = more.map(|more| {
        let (more, remaining) = (serde_json::Value::from(more), portion.remaining());
        format!(",\"continue\":{more},\"remainingItemCount\":{remaining}")
    });
    let version = version.map(|version| format!(",\"resourceVersion\":\"{version}\""));
    for part in [more, version].into_iter().flatten() {
        body.extend_from_slice(part.as_bytes());
    }
    body.push(b'}');
    Document::of_bytes(body)
}

fn write_group(body: &mut Vec<u8>, listing: &Listing, key: &str, pieces: &[(&str, &Piece)]) {
    let key = serde_json::Value::from(key);
    body.extend_from_slice(format!("{key}:{{\"items\":[").as_bytes());
    for (index, (_, piece)) in pieces.iter().enumerate() {
        if index > 0 {
            body.push(b',');
        }
        body.extend_from_slice(&listing.show(&piece.object));
    }
    body.extend_from_slice(b"]}");
}

/// A piece of Freight by its name, or else by its alias.
pub(super) async fn find(caller: &Caller, project: &str, name_or_alias: &str) -> ApiResult<Piece> {
    let freight = &caller.mirrors().freight;
    let target = Target::one(freight.kind(), project, name_or_alias);
    caller.require(Verb::Get, &target).await.map(drop)?;
    caller.check_project(project)?;
    let named = freight.ready()?.get(project, name_or_alias);
    let found = if named.is_some() {
        named
    } else {
        let all = Target::all(freight.kind(), project);
        caller.require(Verb::List, &all).await.map(drop)?;
        freight.tagged(name_or_alias, Some(project)).into_iter().next()
    };
    found.and_then(Piece::read).ok_or_else(|| {
        ApiError::refused(FreightNotFound {
            name_or_alias: name_or_alias.to_owned(),
            project: project.to_owned(),
        })
    })
}

/// Returns a piece of Freight.
async fn freight_get(
    caller: Caller,
    Path((project, name_or_alias)): Path<(String, String)>,
) -> ApiResult<Document> {
    Ok(object(&find(&caller, &project, &name_or_alias).await?.object))
}

/// Gives a piece of Freight another alias.
async fn freight_alias_patch(
    caller: Caller,
    Path((project, name_or_alias)): Path<(String, String)>,
    query: Query,
) -> ApiResult<Done> {
    let alias = query.text("newAlias");
    check_alias(alias).map_err(ApiError::refused)?;
    let piece = find(&caller, &project, &name_or_alias).await?;
    let freight = caller.list(&caller.mirrors().freight, &project).await?;
    let holders: Vec<Arc<Freight>> =
        freight.tagged(alias, Some(&project)).iter().filter_map(|one| one.typed()).collect();
    let holders = holders.iter().map(AsRef::as_ref);
    let patch = change_alias(&piece.freight, alias, holders).map_err(ApiError::refused)?;
    let target = Target::one(freight.kind(), &project, &piece.object.name);
    let grant = caller.require(Verb::Patch, &target).await?;
    caller.merge_patch(grant, freight, &patch).await?;
    Ok(Done)
}

/// Approves a piece of Freight for a Stage.
async fn freight_approve(
    caller: Caller,
    Path((project, name_or_alias)): Path<(String, String)>,
    query: Query,
) -> ApiResult<Done> {
    let name = query.text("stage");
    if name.is_empty() {
        return Err(ApiError::refused(ActionError::StageMissing));
    }
    let piece = find(&caller, &project, &name_or_alias).await?;
    let stage = find_stage(&caller, &project, name).await?;
    caller.require(Verb::Promote, &Target::one(&kinds::STAGE, &project, name)).await.map(drop)?;
    let now = caller.api().ports().clock.now();
    let approval =
        approve(&piece.freight, &stage, &caller.actor(), now).map_err(ApiError::refused)?;
    if let Some(approval) = approval {
        let freight = &caller.mirrors().freight;
        let target = Target::status(freight.kind(), &project, &piece.object.name);
        let grant = caller.require(Verb::Patch, &target).await?;
        caller.merge_patch(grant, freight, &approval.patch).await?;
        caller.api().tell(approval.event);
    }
    Ok(Done)
}

/// Deletes a piece of Freight.
async fn freight_delete(
    caller: Caller,
    Path((project, name_or_alias)): Path<(String, String)>,
) -> ApiResult<Gone> {
    let piece = find(&caller, &project, &name_or_alias).await?;
    delete(&caller, &caller.mirrors().freight, &project, &piece.object.name).await
}
