//! What happened in all Projects that the caller may look into, the latest first.

use std::{collections::BTreeSet, sync::Arc};

use core_rules::{event::activity::Activity, listing::Page};
use k8s_openapi::api::core::v1::Event;

use crate::{
    api_error::{ApiError, ApiResult},
    caller::{Caller, Target, Verb},
    document::Document,
    listing,
    mirror::{Mirror, Object, Snapshot, kinds},
    query::Query,
    turn::Turn,
};

/// What is shown at once.
const MAX_EVENTS: usize = 500;

/// Lists events.
pub(super) async fn activity_list(
    caller: Caller,
    _turn: Turn,
    query: Query,
) -> ApiResult<Document> {
    let wanted = Activity {
        kinds: query.many("kind").map(str::to_owned).collect(),
        reasons: query.many("reason").map(str::to_owned).collect(),
        actor: query.text("actor").to_owned(),
        since: listing::since(&query)?,
    };
    let page = Page::parse(query.text("limit"), query.text("continue"));
    let page = page.map_err(ApiError::refused)?.or_limit(MAX_EVENTS);
    let projects: Vec<&str> = query.many("project").collect();
    let events = &caller.mirrors().events;
    let Snapshot { version, objects } = visible(&caller, &projects).await?;
    let read = |object: Arc<Object>| Some((object.typed::<Event>()?, object));
    let mut found: Vec<(Arc<Event>, Arc<Object>)> =
        objects.into_iter().filter_map(read).filter(|(event, _)| wanted.matches(event)).collect();
    found.sort_by_cached_key(|(event, _)| Activity::order(event));
    let portion = page.portion(&found, |(_, object)| &object.name);
    let shown = found.get(portion.start..portion.end).unwrap_or_default();
    let more = shown.last().and_then(|(_, last)| portion.token(&last.name));
    let bodies = shown.iter().map(|(_, object)| object.json.clone());
    Ok(events.list_of(version, more.as_deref().map(|more| (more, portion.remaining())), bodies))
}

/// The events of the Projects that are named, each of which the caller must be allowed to look into, or of all
/// that they are.
async fn visible(caller: &Caller, named: &[&str]) -> ApiResult<Snapshot> {
    let events: &Mirror = caller.mirrors().events.ready()?;
    for project in named {
        caller.list(events, project).await.map(drop)?;
    }
    let Snapshot { version, mut objects } = events.list_all();
    let projects: BTreeSet<String> = if named.is_empty() {
        allowed(caller, &objects).await?
    } else {
        named.iter().map(|&project| project.to_owned()).collect()
    };
    objects.retain(|event| projects.contains(&event.namespace));
    Ok(Snapshot { version, objects })
}

async fn allowed(caller: &Caller, events: &[Arc<Object>]) -> ApiResult<BTreeSet<String>> {
    let projects: BTreeSet<&str> = events.iter().map(|event| event.namespace.as_str()).collect();
    let mut allowed = BTreeSet::new();
    for project in projects {
        let target = Target::all(&kinds::EVENT, project);
        match caller.require(Verb::List, &target).await {
            Ok(_) => {
                allowed.insert(project.to_owned());
            }
            Err(error) if error.status() == http::StatusCode::FORBIDDEN => {}
            Err(error) => return Err(error),
        }
    }
    Ok(allowed)
}
