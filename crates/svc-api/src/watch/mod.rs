//! Streams of changes, one loop for all kinds.
//!
//! A stream reads the log of a namespace and tells a client of what concerns it. What matches is
//! decided for the object before and after a change, so that an object that stops to match is told
//! as deleted exactly to those who knew it. The caller's right is asked again every minute, and the
//! stream ends with the login.

mod filter;
mod position;
mod source;
mod stream;

use std::{collections::VecDeque, convert::Infallible, sync::Arc};

use axum::{
    body::Body,
    response::{IntoResponse, Response},
};
use bytes::Bytes;
use futures::Stream as Frames;
use http::{HeaderMap, HeaderValue, header};

pub(crate) use filter::Filter;
pub(crate) use position::Position;

use self::{
    source::{Naming, Source},
    stream::Stream,
};
use crate::{
    api_error::ApiResult,
    caller::{Caller, Target, Verb},
    mirror::{Expired, Mirror, Object},
};

/// Where a client that lost its stream says that it was.
const LAST_EVENT_ID: &str = "last-event-id";

/// Where a stream starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum From {
    /// With everything that is there.
    Everything,
    /// After this version.
    After(u64),
    /// Nobody knows that version.
    Unknown,
}

impl From {
    /// What the query and the headers of a request ask for. A client that comes back says so in a header.
    pub(crate) fn read(headers: &HeaderMap, resource_version: &str) -> Self {
        let last = headers.get(LAST_EVENT_ID).and_then(|value| value.to_str().ok());
        match last.filter(|last| !last.is_empty()).unwrap_or(resource_version) {
            "" | "0" => Self::Everything,
            version => version.parse().map_or(Self::Unknown, Self::After),
        }
    }
}

/// The changes of a namespace that `filter` lets through.
pub(crate) async fn watch(
    caller: &Caller,
    mirror: &Mirror,
    namespace: &str,
    filter: Filter,
    from: From,
) -> ApiResult<Response> {
    let target = permitted(caller, mirror, namespace).await?;
    let stream = match from {
        From::Everything => {
            let (source, there) = Source::from_now(mirror, target, filter);
            let ready = there.iter().map(|object| source.present(object)).collect();
            Stream::new(caller.clone(), vec![source], Naming::Plain, ready)
        }
        From::After(version) => match Source::after(mirror, target, filter, version) {
            Ok(source) => Stream::new(caller.clone(), vec![source], Naming::Plain, VecDeque::new()),
            Err(expired) => Stream::ended(expired),
        },
        From::Unknown => Stream::ended(Expired),
    };
    Ok(respond(stream.frames()))
}

/// The changes of several kinds in one stream. What is there already is followed by a bookmark.
pub(crate) async fn watch_many(
    caller: &Caller,
    mirrors: &[&Mirror],
    namespace: &str,
    filter: &Filter,
    position: &Position,
) -> ApiResult<Response> {
    let mut targets = Vec::with_capacity(mirrors.len());
    for mirror in mirrors {
        targets.push(permitted(caller, mirror, namespace).await?);
    }
    let (mut sources, mut ready) = (Vec::new(), VecDeque::new());
    for (mirror, target) in mirrors.iter().zip(targets) {
        let (source, there) = match start(mirror, target, filter.clone(), position) {
            Ok(started) => started,
            Err(expired) => return Ok(respond(Stream::ended(expired).frames())),
        };
        ready.extend(there.iter().map(|object| source.present(object)));
        sources.push(source);
    }
    ready.push_back(stream::bookmark(&sources));
    Ok(respond(Stream::new(caller.clone(), sources, Naming::Named, ready).frames()))
}

/// Follows a kind from where the client was, or with everything that is there.
fn start(
    mirror: &Mirror,
    target: Target,
    filter: Filter,
    position: &Position,
) -> Result<(Source, Vec<Arc<Object>>), Expired> {
    match position.of(mirror.kind().plural)? {
        None => Ok(Source::from_now(mirror, target, filter)),
        Some(version) => Ok((Source::after(mirror, target, filter, version)?, Vec::new())),
    }
}

/// The right to watch a kind in a namespace that is a Project.
async fn permitted(caller: &Caller, mirror: &Mirror, namespace: &str) -> ApiResult<Target> {
    let target = Target::all(mirror.kind(), namespace);
    caller.require(Verb::Watch, &target).await.map(drop)?;
    caller.check_project(namespace)?;
    mirror.ready()?;
    Ok(target)
}

/// A stream of frames, as proxies have to be told.
pub(crate) fn respond(
    frames: impl Frames<Item = Result<Bytes, Infallible>> + Send + 'static,
) -> Response {
    let mut response = Body::from_stream(frames).into_response();
    let headers = response.headers_mut();
    let mut set = |name, value| headers.insert(name, HeaderValue::from_static(value));
    set(header::CONTENT_TYPE, api_rest::sse::CONTENT_TYPE);
    set(header::CACHE_CONTROL, "no-cache");
    set(header::HeaderName::from_static("x-accel-buffering"), "no");
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_client_that_comes_back_goes_on_where_it_was() {
        let mut headers = HeaderMap::new();
        assert_eq!(From::read(&headers, ""), From::Everything);
        assert_eq!(From::read(&headers, "0"), From::Everything);
        assert_eq!(From::read(&headers, "7"), From::After(7));
        assert_eq!(From::read(&headers, "x"), From::Unknown);
        headers.insert(LAST_EVENT_ID, HeaderValue::from_static("9"));
        assert_eq!(From::read(&headers, "7"), From::After(9));
    }
}
