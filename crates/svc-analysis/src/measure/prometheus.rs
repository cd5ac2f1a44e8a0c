//! Asks Prometheus.

use std::time::Duration;

use api_analysis::PrometheusProvider;
use core_rules::analysis::{QueryRange, Reading, ReadingError};
use io_http::outbound::{Outbound, Request};
use jiff::Timestamp;

use super::{
    oauth::log_in,
    request::{login, refuse_other_logins, send, with_headers},
};

/// `default_address` is asked where the metric names none.
pub(super) async fn ask(
    outbound: &Outbound,
    prometheus: &PrometheusProvider,
    default_address: Option<&str>,
    timeout: Duration,
    now: Timestamp,
) -> Result<Reading, String> {
    refuse_other_logins(&prometheus.rest, &["basicAuth", "oauth2"])?;
    let (fields, insecure) = (&prometheus.rest, prometheus.insecure);
    let request = query(prometheus, default_address, now)?;
    let request = with_login(request, prometheus)?;
    let request = log_in(outbound, request, fields, insecure, timeout).await?;
    let request = with_headers(request, &prometheus.headers)?;
    let (status, body) = send(outbound, request, insecure, timeout).await?;
    match Reading::of_prometheus(&body) {
        Ok(reading) => Ok(reading),
        // Its own words say more than the code that comes with them.
        Err(refused @ ReadingError::Refused { .. }) => Err(refused.to_string()),
        Err(_) if !status.is_success() => {
            Err(format!("received non 2xx response code: {}", status.as_u16()))
        }
        Err(error) => Err(error.to_string()),
    }
}

/// The query, at one time or over a range.
fn query(
    prometheus: &PrometheusProvider,
    default_address: Option<&str>,
    now: Timestamp,
) -> Result<Request, String> {
    let range = QueryRange::of(prometheus, now).map_err(|error| error.to_string())?;
    let own = Some(prometheus.address.as_str()).filter(|address| !address.is_empty());
    let address = own.or(default_address).ok_or("prometheus address is not configured")?;
    let path = if range.is_some() { "query_range" } else { "query" };
    let url = format!("{}/api/v1/{path}", address.trim_end_matches('/'));
    let request = Request::get(&url)
        .map_err(|error| format!("prometheus address {address:?}: {error}"))?
        .query("query", &prometheus.query);
    Ok(match range {
        None => request.query("time", &now.to_string()),
        Some(QueryRange { start, end, step }) => request
            .query("start", &start.to_string())
            .query("end", &end.to_string())
            .query("step", &step.as_secs_f64().to_string()),
    })
}

fn with_login(request: Request, prometheus: &PrometheusProvider) -> Result<Request, String> {
    let login = |field| login(&prometheus.rest, "basicAuth", field);
    match (login("username"), login("password")) {
        ("", "") => Ok(request),
        ("", _) => Err(missing("username")),
        (_, "") => Err(missing("password")),
        (name, password) => request.basic(name, password).map_err(|error| error.to_string()),
    }
}

fn missing(field: &str) -> String {
    format!("missing mandatory parameter in metric for basic auth setup: {field}")
}
