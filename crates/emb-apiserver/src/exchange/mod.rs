//! One request on its way through the server: limits, identity, permission, the verb, the reply, the records of it.

mod finish;

use std::{collections::BTreeMap, panic::AssertUnwindSafe, sync::Arc};

use bytes::Bytes;
use emb_auth::Identity;
use emb_meta::{Reason, Scope, Status};
use futures::{
    FutureExt,
    future::{self, BoxFuture, Either},
};
use http::{Response, request::Parts};
use parking_lot::Mutex;

pub(crate) use finish::labels;

use crate::{
    access,
    audit::{AuditLevel, RequestObject},
    call::{Call, Reply},
    handler,
    registry::{Served, Snapshot},
    request::{
        Info,
        negotiate::{self, Encoding, Form, wants_pretty},
        path::{ResourcePath, Target},
    },
    response::{self, Body},
    service::{Peer, Source},
    state::State,
    verb,
};

/// What becomes known of a request while it is handled; audit and metrics need it whatever the outcome.
#[derive(Default)]
struct Known {
    identity: Option<Identity>,
    impersonator: Option<Identity>,
    allowed: Option<String>,
    warnings: Vec<String>,
    /// What webhooks want the audit log to say.
    annotations: BTreeMap<String, String>,
    /// What was sent, as far as the audit log may show it.
    request: Option<RequestObject>,
}

impl Known {
    /// Takes over what was said about a request, however it ended.
    fn note(&mut self, call: &mut Call) {
        let (warnings, annotations) = call.remarks.take();
        self.warnings = std::mem::take(&mut call.warnings);
        self.warnings.extend(warnings);
        self.annotations = annotations;
    }
}

/// A request body that is read when it is wanted: nobody sends megabytes before they are known.
pub(crate) type LazyBody = BoxFuture<'static, Result<Bytes, Status>>;

/// Answers one request.
pub(crate) async fn run(
    state: Arc<State>,
    source: Source,
    parts: Parts,
    body: LazyBody,
) -> Response<Body> {
    let (received, started) = (state.clock.now(), state.clock.monotonic());
    let peer = parts.extensions.get::<Peer>().map(|peer| peer.0.clone());
    let info = Arc::new(Info::new(parts.method, &parts.uri, parts.headers));
    let known = Arc::new(Mutex::new(Known::default()));
    let handled = handle(state.clone(), source, info.clone(), body, known.clone());
    let outcome = bounded(&state, &info, handled).await;
    let response = outcome.unwrap_or_else(|status| response::status(&status, encoding(&info)));
    let record = finish::Record { info: &info, known: &known.lock(), peer, received, started };
    finish::finish(&state, &record, response)
}

/// Ends a request that takes too long or panics; the server lives on.
async fn bounded(
    state: &State,
    info: &Info,
    handled: impl Future<Output = Result<Response<Body>, Status>> + Send,
) -> Result<Response<Body>, Status> {
    let guarded = AssertUnwindSafe(handled).catch_unwind();
    let outcome = if info.is_long_running() {
        guarded.await
    } else {
        let timeout = state.clock.sleep(state.limits.request_timeout);
        match future::select(std::pin::pin!(guarded), timeout).await {
            Either::Left((outcome, _)) => outcome,
            Either::Right(_) => {
                return Err(Status::new(
                    Reason::Timeout,
                    "request did not complete within the allotted timeout",
                ));
            }
        }
    };
    outcome.unwrap_or_else(|_| {
        state.metrics.panic();
        tracing::error!(uri = info.uri, verb = info.verb(), "request panicked");
        Err(Status::internal("this request caused the server to fail; it was logged"))
    })
}

async fn handle(
    state: Arc<State>,
    source: Source,
    info: Arc<Info>,
    body: LazyBody,
    known: Arc<Mutex<Known>>,
) -> Result<Response<Body>, Status> {
    check_uri(&state, &info)?;
    let in_process = matches!(source, Source::InProcess(_));
    // Held until the reply is made; a watch holds no place, as it may stay for an hour.
    let _place = (!info.is_long_running())
        .then(|| state.in_flight.enter(&state.limits, in_process, info.is_mutating()))
        .transpose()?;
    let identity = identify(&state, &source, &info, &known)?;
    let reason = access::authorize(&state, &identity, &info)?;
    known.lock().allowed = Some(reason);
    let path = match &info.target {
        Target::Resource(path) => path.clone(),
        Target::NonResource(path) => {
            return handler::non_resource(&state, &info, path);
        }
        Target::Malformed(_) => return Ok(handler::page_not_found()),
    };
    let snapshot = state.registry.snapshot();
    let Some(served) = route(&snapshot, &path) else {
        return handler::not_served(&snapshot, &path);
    };
    let form = form(&info)?;
    let body = body.await?;
    if state.audit.as_ref().is_some_and(|sink| sink.level() == AuditLevel::Request) {
        known.lock().request = RequestObject::read(&info, &body);
    }
    let (warnings, remarks) = (Vec::new(), Arc::default());
    let mut call = Call { state, snapshot, served, info, path, identity, body, warnings, remarks };
    let reply = verb::serve(&mut call).await;
    known.lock().note(&mut call);
    match reply? {
        Reply::Written(response) => Ok(response),
        reply => response::reply(&call, form, reply),
    }
}

fn check_uri(state: &State, info: &Info) -> Result<(), Status> {
    if info.uri.len() <= state.limits.uri_bytes {
        return Ok(());
    }
    let mut status = Status::new(Reason::BadRequest, "the request URI is too long");
    status.code = 414;
    Err(status)
}

fn identify(
    state: &State,
    source: &Source,
    info: &Info,
    known: &Mutex<Known>,
) -> Result<Identity, Status> {
    let caller = match source {
        Source::InProcess(identity) => identity.as_ref().clone(),
        Source::Network => access::authenticate(state, info)?,
    };
    known.lock().identity = Some(caller.clone());
    let Some(identity) = access::impersonate(state, &caller, info)? else { return Ok(caller) };
    let mut known = known.lock();
    known.identity = Some(identity.clone());
    known.impersonator = Some(caller);
    Ok(identity)
}

/// The resource at a path, if the path fits its scope.
fn route(snapshot: &Snapshot, path: &ResourcePath) -> Option<Arc<Served>> {
    let served = snapshot.find(&path.group, &path.version, &path.resource)?;
    let is_namespace = path.group.is_empty() && path.resource == "namespaces";
    let fits = match served.resource.scope {
        Scope::Namespaced => path.namespace.is_some() || path.name.is_none(),
        Scope::Cluster => path.namespace.is_none() || is_namespace,
    };
    fits.then(|| served.clone())
}

/// The form of the reply. A watch negotiates its own, as only JSON can be streamed.
fn form(info: &Info) -> Result<Form, Status> {
    if info.is_long_running() {
        return Ok(Form::JSON);
    }
    let form = negotiate::form(info.header("accept"))?;
    let encoding = match form.encoding {
        Encoding::Json if wants_pretty(info.query.find("pretty"), info.header("user-agent")) => {
            Encoding::PrettyJson
        }
        encoding => encoding,
    };
    Ok(Form { encoding, ..form })
}

/// The encoding of an error: what was asked for, or JSON when that was the error.
fn encoding(info: &Info) -> Encoding {
    let wanted = negotiate::form(info.header("accept")).map(|form| form.encoding);
    if wanted == Ok(Encoding::Yaml) {
        return Encoding::Yaml;
    }
    form(info).map_or(Encoding::Json, |form| form.encoding)
}
