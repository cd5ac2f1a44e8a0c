//! What every reply gets and leaves behind: headers, compression, an audit line, metrics.

use std::time::Duration;

use core_clock::Time;
use http::{HeaderName, HeaderValue, Method, Response, header};

use super::Known;
use crate::{
    audit,
    metrics::Labels,
    request::{Info, path::Target},
    response::{Body, compress},
    state::State,
};

/// A handled request.
pub(super) struct Record<'a> {
    pub(super) info: &'a Info,
    pub(super) known: &'a Known,
    pub(super) peer: Option<String>,
    pub(super) received: Time,
    pub(super) started: Duration,
}

const AUDIT_ID: HeaderName = HeaderName::from_static("audit-id");
const FLOW_SCHEMA: HeaderName = HeaderName::from_static("x-kubernetes-pf-flowschema-uid");
const PRIORITY_LEVEL: HeaderName = HeaderName::from_static("x-kubernetes-pf-prioritylevel-uid");
/// All warnings of a reply together may take this many bytes.
const WARNING_BYTES: usize = 4096;

/// Completes the reply and records the request.
pub(super) fn finish(
    state: &State,
    record: &Record<'_>,
    response: Response<Body>,
) -> Response<Body> {
    let id = audit_id(state, record.info);
    let code = response.status().as_u16();
    let took = state.clock.monotonic().saturating_sub(record.started);
    state.metrics.request(&labels(state, record.info), code, took);
    write_audit(state, record, &id, code);
    let mut response = compress(response, record.info.header("accept-encoding"));
    if record.info.method == Method::HEAD {
        *response.body_mut() = Body::empty();
    }
    let headers = response.headers_mut();
    for (name, value) in [
        (AUDIT_ID, id.as_str()),
        (FLOW_SCHEMA, state.flow_schema.as_str()),
        (PRIORITY_LEVEL, state.priority_level.as_str()),
    ] {
        if let Ok(value) = HeaderValue::from_str(value) {
            headers.insert(name, value);
        }
    }
    headers.entry(header::CACHE_CONTROL).or_insert(HeaderValue::from_static("no-cache, private"));
    for warning in warnings(&record.known.warnings) {
        headers.append(header::WARNING, warning);
    }
    response
}

fn audit_id(state: &State, info: &Info) -> String {
    let given = info.header("audit-id");
    let sound =
        (1..=64).contains(&given.len()) && given.bytes().all(|byte| byte.is_ascii_graphic());
    if sound { given.to_owned() } else { state.entropy.uuid() }
}

fn write_audit(state: &State, record: &Record<'_>, id: &str, code: u16) {
    let Some(sink) = &state.audit else { return };
    let event = audit::Record {
        id,
        info: record.info,
        level: sink.level(),
        identity: record.known.identity.as_ref(),
        impersonator: record.known.impersonator.as_ref(),
        source: record.peer.as_deref(),
        code,
        allowed: record.known.allowed.as_deref(),
        request: record.known.request.as_ref(),
        remarks: &record.known.annotations,
        received: record.received,
        completed: state.clock.now(),
    };
    sink.record(&event.to_value().to_string());
    state.metrics.audit_event();
}

/// What a request is counted under.
pub(crate) fn labels(state: &State, info: &Info) -> Labels {
    let Target::Resource(path) = &info.target else { return Labels::of_unknown(info) };
    let snapshot = state.registry.snapshot();
    let Some(served) = snapshot.find(&path.group, &path.version, &path.resource) else {
        return Labels::of_unknown(info);
    };
    let known = served.resource.subresource(&path.subresource).is_some();
    Labels::of_served(info, path, if known { &path.subresource } else { "" })
}

fn warnings(texts: &[String]) -> Vec<HeaderValue> {
    let mut left = WARNING_BYTES;
    let mut values = Vec::new();
    for text in texts {
        let escaped = text.replace('\\', "\\\\").replace('"', "\\\"");
        let printable: String = escaped.chars().filter(|c| !c.is_control()).collect();
        let line = format!("299 - \"{printable}\"");
        let Some(rest) = left.checked_sub(line.len()) else { break };
        left = rest;
        values.extend(HeaderValue::from_bytes(line.as_bytes()).ok());
    }
    values
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn warnings_are_quoted_and_bounded() {
        let one = warnings(&["unknown field \"spec.bogus\"".to_owned()]);
        assert_eq!(one, ["299 - \"unknown field \\\"spec.bogus\\\"\""]);
        let many = vec!["x".repeat(1000); 100];
        assert!(warnings(&many).len() < 5);
    }
}
