//! Asks a web server.

use std::time::Duration;

use api_analysis::WebProvider;
use core_rules::analysis::{JsonPath, Reading};
use http::{HeaderValue, Method, header::CONTENT_TYPE};
use io_http::outbound::{Outbound, Request};

use super::{
    oauth::log_in,
    request::{refuse_other_logins, send, with_headers},
};

pub(super) async fn ask(
    outbound: &Outbound,
    web: &WebProvider,
    timeout: Duration,
) -> Result<Reading, String> {
    refuse_other_logins(&web.rest, &["oauth2"])?;
    let path = JsonPath::parse(&web.json_path).map_err(|error| error.to_string())?;
    let request = request(web)?;
    let request = log_in(outbound, request, &web.rest, web.insecure, timeout).await?;
    let (status, body) = send(outbound, request, web.insecure, timeout).await?;
    if !status.is_success() {
        return Err(format!("received non 2xx response code: {}", status.as_u16()));
    }
    Reading::of_web(&body, &path).map_err(|error| error.to_string())
}

fn request(web: &WebProvider) -> Result<Request, String> {
    let method = match web.method.to_ascii_uppercase().as_str() {
        "" | "GET" => Method::GET,
        "POST" => Method::POST,
        "PUT" => Method::PUT,
        _ => return Err(format!("method {:?} is none of GET, POST and PUT", web.method)),
    };
    let body = body(web)?;
    if body.is_some() && method == Method::GET {
        return Err(
            "Body/JSONBody can only be used with POST or PUT WebMetric Method types".to_owned()
        );
    }
    let request = Request::new(method, &web.url).map_err(|error| error.to_string())?;
    let request = with_headers(request, &web.headers)?.body(body.unwrap_or_default());
    if web.json_body.is_none() {
        return Ok(request);
    }
    Ok(request.header(CONTENT_TYPE, HeaderValue::from_static("application/json")))
}

fn body(web: &WebProvider) -> Result<Option<String>, String> {
    match (&web.json_body, web.body.as_str()) {
        (None, "") => Ok(None),
        (None, text) => Ok(Some(text.to_owned())),
        (Some(json), "") => Ok(Some(json.to_string())),
        (Some(_), _) => {
            Err("use either Body or JSONBody; both cannot exists for WebMetric payload".to_owned())
        }
    }
}
