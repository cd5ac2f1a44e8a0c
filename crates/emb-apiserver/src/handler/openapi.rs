//! OpenAPI v3: one document for each group and version, made when it is first asked for.

use std::{sync::Arc, time::Duration};

use core_clock::Time;
use emb_kinds::{discovery, openapi};
use emb_meta::GroupVersion;
use http::{HeaderValue, Response, StatusCode, header};

use crate::{
    registry::{Document, Snapshot},
    request::Info,
    response::Body,
    state::State,
};

const YEAR: Duration = Duration::from_hours(365 * 24);

/// Answers `/openapi/v3` and the documents below it.
pub(super) fn serve(state: &State, info: &Info, segments: &[&str]) -> Response<Body> {
    let snapshot = state.registry.snapshot();
    match segments {
        ["openapi", "v3"] => {
            let root = snapshot.document("openapi", || Some(root(state, &snapshot)));
            root.map_or_else(missing, |root| root.respond(info, "application/json"))
        }
        ["openapi", "v3", "api", version] => {
            one(state, &snapshot, info, &GroupVersion::new("", *version))
        }
        ["openapi", "v3", "apis", group, version] => {
            one(state, &snapshot, info, &GroupVersion::new(*group, *version))
        }
        _ => missing(),
    }
}

fn root(state: &State, snapshot: &Snapshot) -> Document {
    let documents: Vec<(GroupVersion, Arc<Document>)> =
        discovery::group_versions(snapshot.resources())
            .into_iter()
            .filter_map(|at| document(state, snapshot, &at).map(|document| (at, document)))
            .collect();
    let hashes = documents.iter().map(|(at, document)| (at, document.hash()));
    Document::new(openapi::root(hashes).to_string().into())
}

fn document(state: &State, snapshot: &Snapshot, at: &GroupVersion) -> Option<Arc<Document>> {
    snapshot.document(&format!("openapi/{at}"), || {
        let document = openapi::document(snapshot.resources(), at, &state.version)?;
        Some(Document::new(document.to_string().into()))
    })
}

fn one(state: &State, snapshot: &Snapshot, info: &Info, at: &GroupVersion) -> Response<Body> {
    let Some(document) = document(state, snapshot, at) else { return missing() };
    let asked = info.query.get("hash");
    if !asked.is_empty() && asked != document.hash() {
        return redirect(info, document.hash());
    }
    let mut response = document.respond(info, "application/json");
    if !asked.is_empty() {
        let headers = response.headers_mut();
        headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("public, immutable"));
        let expires = http_date(state.clock.now() + YEAR);
        headers.extend(HeaderValue::from_str(&expires).ok().map(|value| (header::EXPIRES, value)));
    }
    response
}

/// Sends a client with an old hash to the current document.
fn redirect(info: &Info, hash: &str) -> Response<Body> {
    let path = info.uri.split('?').next().unwrap_or_default();
    let mut response = Response::new(Body::empty());
    *response.status_mut() = StatusCode::MOVED_PERMANENTLY;
    if let Ok(location) = HeaderValue::from_str(&format!("{path}?hash={hash}")) {
        response.headers_mut().insert(header::LOCATION, location);
    }
    response
}

fn missing() -> Response<Body> {
    let mut response = Response::new(Body::empty());
    *response.status_mut() = StatusCode::NOT_FOUND;
    response
}

/// A time as HTTP headers write it.
fn http_date(time: Time) -> String {
    const DAYS: [&str; 7] = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"];
    const MONTHS: [&str; 12] =
        ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
    let text = time.to_rfc3339_seconds();
    let part = |from: usize, to: usize| text.get(from..to).unwrap_or_default();
    let weekday = usize::try_from(time.as_seconds().div_euclid(86_400).rem_euclid(7)).unwrap_or(0);
    let month = part(5, 7).parse::<usize>().unwrap_or(1).saturating_sub(1);
    format!(
        "{}, {} {} {} {} GMT",
        DAYS.get(weekday).unwrap_or(&"Thu"),
        part(8, 10),
        MONTHS.get(month).unwrap_or(&"Jan"),
        part(0, 4),
        part(11, 19)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_written_for_http() {
        let time: Time = "1994-11-06T08:49:37Z".parse().unwrap();
        assert_eq!(http_date(time), "Sun, 06 Nov 1994 08:49:37 GMT");
    }
}
