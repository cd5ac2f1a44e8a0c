//! Watching collections: what is there first, if asked for, then every change as it commits.

mod frame;
mod options;
mod stream;

use std::{collections::VecDeque, sync::atomic::Ordering};

use emb_meta::{Reason, Status};
use emb_store::Expired;
use http::{Response, header};

use self::{
    frame::Framer,
    options::{Options, Start},
    stream::Stream,
};
use super::selection::Selection;
use crate::{
    call::{Call, Reply},
    exchange::labels,
    request::negotiate,
    response::Body,
};

/// Answers a GET of a collection with `watch=true`.
pub(super) async fn watch(call: &mut Call) -> Result<Reply, Status> {
    let form = negotiate::watch_form(call.info.header("accept"))?;
    let selection = Selection::read(call)?;
    let options = Options::read(&call.info.query, &*call.state.entropy)?;
    let framer = Framer::new(call, selection, form.shape)?;
    let (initial, after) = match options.start {
        Start::After(revision) => (VecDeque::new(), revision),
        Start::Now => (VecDeque::new(), call.state.store.revision()),
        Start::Initial(at_least) => {
            call.state.reach(at_least).await?;
            let listing = framer.selection.list(call);
            (listing.entries.into(), listing.revision)
        }
    };
    let watcher = match call.state.store.watch(&call.served.storage, after) {
        Ok(watcher) => watcher,
        Err(expired) => return Ok(Reply::Written(refused(expired))),
    };
    let gvk = &call.served.resource.gvk;
    let plural = &call.served.resource.plural;
    let sent = call.state.metrics.watch_events(&gvk.group, &gvk.version, plural);
    let open = call.state.metrics.long_running(&labels(&call.state, &call.info));
    let stream = Stream::new(&call.state, framer, watcher, initial, &options);
    let body = stream.into_bytes(move |events| {
        // Counts as open for as long as the stream lives.
        let _ = &open;
        sent.fetch_add(events, Ordering::Relaxed);
    });
    Ok(Reply::Written(reply(Body::stream(body))))
}

/// A watch that starts before the history: an error event is all it gets.
fn refused(expired: Expired) -> Response<Body> {
    let status = Status::new(Reason::Expired, expired.to_string());
    reply(Body::full(frame::error(&status)))
}

fn reply(body: Body) -> Response<Body> {
    let mut response = Response::new(body);
    let json = http::HeaderValue::from_static("application/json");
    response.headers_mut().insert(header::CONTENT_TYPE, json);
    response
}
