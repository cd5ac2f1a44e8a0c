//! What requests of metrics have in common.

use std::time::Duration;

use api_analysis::{Fields, Header};
use http::HeaderName;
use io_http::outbound::{Outbound, Request, Tls};
use serde_json::Value;

/// The longest answer that is read.
const MAX_ANSWER: u64 = 1024 * 1024;

/// Sets the headers, each once.
pub(super) fn with_headers(mut request: Request, headers: &[Header]) -> Result<Request, String> {
    for Header { key, value } in headers {
        let name: HeaderName =
            key.parse().map_err(|_| format!("{key:?} is not the name of a header"))?;
        request = request.try_header(name, value).map_err(|error| error.to_string())?;
    }
    Ok(request)
}

/// Sends a request, and gives the status and the body of the answer.
pub(super) async fn send(
    outbound: &Outbound,
    request: Request,
    insecure: bool,
    timeout: Duration,
) -> Result<(http::StatusCode, Vec<u8>), String> {
    let client = outbound.client(&Tls::skip_verify(insecure)).map_err(|error| error.to_string())?;
    let request = request.within(timeout).patient();
    let response = client.send(request).await.map_err(|error| error.to_string())?;
    let status = response.status();
    let body = response.read_limited(MAX_ANSWER).await.map_err(|error| error.to_string())?;
    Ok((status, body.to_vec()))
}

/// A field of a log-in; empty where there is none.
pub(super) fn login<'a>(fields: &'a Fields, method: &str, field: &str) -> &'a str {
    let found = fields.get("authentication").and_then(|all| all.get(method)?.get(field));
    found.and_then(Value::as_str).unwrap_or_default()
}

/// Log-ins that are not known here must not be left out in silence.
pub(super) fn refuse_other_logins(fields: &Fields, known: &[&str]) -> Result<(), String> {
    let Some(methods) = fields.get("authentication").and_then(Value::as_object) else {
        return Ok(());
    };
    let is_set = |fields: &Value| {
        fields.as_object().is_some_and(|fields| {
            fields.values().any(|value| value.as_str().is_none_or(|text| !text.is_empty()))
        })
    };
    let mut others = methods.iter().filter(|(name, _)| !known.contains(&name.as_str()));
    match others.find(|(_, fields)| is_set(fields)) {
        Some((name, _)) => Err(format!("authentication by {name} is not possible here")),
        None => Ok(()),
    }
}
