//! Log-ins by OAuth2: a token for the client that a metric names.

use std::time::Duration;

use api_analysis::Fields;
use io_http::outbound::{Outbound, Request};
use serde::Deserialize;
use serde_json::Value;

use super::request::{login, send};

#[derive(Deserialize)]
struct Reply {
    access_token: String,
}

/// Logs the request in, where its metric says how.
pub(super) async fn log_in(
    outbound: &Outbound,
    request: Request,
    fields: &Fields,
    insecure: bool,
    timeout: Duration,
) -> Result<Request, String> {
    let url = login(fields, "oauth2", "tokenUrl");
    if url.is_empty() {
        return Ok(request);
    }
    let (client, secret) =
        (login(fields, "oauth2", "clientId"), login(fields, "oauth2", "clientSecret"));
    if client.is_empty() || secret.is_empty() {
        return Err("missing mandatory parameter in metric for OAuth2 setup".to_owned());
    }
    let failed = |problem: String| format!("oauth2: cannot fetch token: {problem}");
    let asking = Request::post(url, "application/x-www-form-urlencoded", form(fields))
        .and_then(|asking| asking.basic(&encoded(client), &encoded(secret)))
        .map_err(|error| failed(error.to_string()))?;
    let (status, body) = send(outbound, asking, insecure, timeout).await.map_err(failed)?;
    if !status.is_success() {
        return Err(failed(format!("received non 2xx response code: {}", status.as_u16())));
    }
    let reply: Reply = serde_json::from_slice(&body)
        .map_err(|_| failed("the server response has no access_token".to_owned()))?;
    request.bearer(&reply.access_token).map_err(|error| failed(error.to_string()))
}

fn form(fields: &Fields) -> String {
    let scopes = fields.get("authentication").and_then(|all| all.pointer("/oauth2/scopes"));
    let scopes = scopes.and_then(Value::as_array).into_iter().flatten();
    let scopes: Vec<&str> = scopes.filter_map(Value::as_str).collect();
    let mut form = form_urlencoded::Serializer::new(String::new());
    form.append_pair("grant_type", "client_credentials");
    if !scopes.is_empty() {
        form.append_pair("scope", &scopes.join(" "));
    }
    form.finish()
}

/// RFC 6749 wants names and secrets encoded before they become a header.
fn encoded(text: &str) -> String {
    form_urlencoded::byte_serialize(text.as_bytes()).collect()
}
