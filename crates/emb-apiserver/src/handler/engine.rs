//! `/debug/engine`: what a doctor wants to know of this engine, and no metric tells: which objects nobody lets go, and which
//! definitions are not served. The embedding program may add to it.

use std::time::Duration;

use emb_kinds::crd;
use emb_meta::ObjectExt;
use emb_store::{Entry, Range, ResourceFigures, Writes};
use http::{Response, StatusCode};
use serde_json::{Value, json};

use crate::{
    registry::DEFINITIONS,
    request::negotiate::Encoding,
    response::{Body, value},
    state::State,
};

/// A finalizer that holds an object for longer than this has probably nobody who cares for it.
const PATIENCE: Duration = Duration::from_mins(5);
/// How many objects are named.
const NAMED: usize = 20;

/// Answers with the state of the engine.
pub(super) fn report(state: &State) -> Response<Body> {
    let (figures, health) = (state.store.figures(), state.store.health());
    let why = match &health.writes {
        Writes::Accepted => "",
        Writes::Paused(why) | Writes::Stopped(why) => why.as_str(),
    };
    let mut held: Vec<Value> = Vec::new();
    for figures in figures.resources.iter().filter(|figures| figures.objects > 0) {
        let entries = state.store.list(&figures.resource, Range::default()).entries;
        held.extend(entries.iter().filter_map(|entry| held_object(state, entry)));
    }
    let count = held.len();
    held.truncate(NAMED);
    let mut body = json!({
        "revision": state.store.revision(),
        "compactedRevision": state.store.compacted(),
        "writable": health.writes == Writes::Accepted,
        "problem": why,
        "quarantinedObjects": health.quarantined,
        "resources": figures.resources.iter().filter_map(resource).collect::<Vec<_>>(),
        "heldObjects": { "count": count, "first": held },
        "definitionsNotEstablished": not_established(state),
    });
    if let Some(members) = body.as_object_mut() {
        let tellings = state.tellings.read();
        members.extend(tellings.iter().map(|(name, tell)| ((*name).to_owned(), tell())));
    }
    value(StatusCode::OK, Encoding::Json, &body)
}

/// Resources that have neither objects nor watchers are of no interest.
fn resource(figures: &ResourceFigures) -> Option<Value> {
    let used = figures.objects > 0 || figures.watchers > 0;
    used.then(|| {
        json!({
            "resource": figures.resource.to_string(), "objects": figures.objects,
            "watchers": figures.watchers, "historyFloor": figures.history_floor,
            "mostBehind": figures.most_behind,
        })
    })
}

/// An object that was to go and does not, because of its finalizers.
fn held_object(state: &State, entry: &Entry) -> Option<Value> {
    // Almost no object is being deleted: this is much cheaper than reading every one.
    let text = std::str::from_utf8(&entry.body).ok()?;
    if !text.contains("\"deletionTimestamp\"") {
        return None;
    }
    let object = entry.value();
    let (since, finalizers) =
        (object.text(&["metadata", "deletionTimestamp"]), object.finalizers().collect::<Vec<_>>());
    let limit = (state.clock.now() - PATIENCE).to_rfc3339_seconds();
    (!since.is_empty() && since <= limit.as_str() && !finalizers.is_empty()).then(|| {
        json!({
            "resource": entry.key.resource.to_string(), "namespace": &*entry.key.namespace,
            "name": &*entry.key.name, "since": since, "finalizers": finalizers,
        })
    })
}

fn not_established(state: &State) -> Vec<Value> {
    let definitions = state.store.list(&DEFINITIONS, Range::default()).entries;
    let definitions = definitions.iter().map(|entry| entry.value());
    definitions
        .filter(|definition| !crd::is_established(definition))
        .map(|definition| {
            let conditions = definition.pointer("/status/conditions").and_then(Value::as_array);
            let refused = |condition: &&Value| condition.text(&["status"]) == "False";
            let why = conditions.into_iter().flatten().find(refused).unwrap_or(&Value::Null);
            json!({
                "name": definition.name(), "reason": why.text(&["reason"]),
                "message": why.text(&["message"]),
            })
        })
        .collect()
}
