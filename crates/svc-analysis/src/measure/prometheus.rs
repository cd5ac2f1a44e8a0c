//! Asks Prometheus.

use std::time::Duration;

use api_analysis::PrometheusProvider;
use core_clock::Time;
use core_rules::analysis::{Reading, ReadingError};
use io_http::outbound::{Outbound, Request};

use super::request::{refuse_other_logins, send, text, with_headers};

/// `default_address` is asked where the metric names none.
pub(super) async fn ask(
    outbound: &Outbound,
    prometheus: &PrometheusProvider,
    default_address: Option<&str>,
    timeout: Duration,
    now: Time,
) -> Result<Reading, String> {
    let request = request(prometheus, default_address, now)?;
    let (status, body) = send(outbound, request, prometheus.insecure, timeout).await?;
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

fn request(
    prometheus: &PrometheusProvider,
    default_address: Option<&str>,
    now: Time,
) -> Result<Request, String> {
    refuse_other_logins(&prometheus.rest, &["basicAuth"])?;
    if prometheus.rest.get("rangeQuery").is_some_and(|range| !range.is_null()) {
        return Err("rangeQuery is not possible here; use a range in the query, as in \
                    max_over_time(up[5m])"
            .to_owned());
    }
    let own = Some(prometheus.address.as_str()).filter(|address| !address.is_empty());
    let address = own.or(default_address).ok_or("prometheus address is not configured")?;
    let url = format!("{}/api/v1/query", address.trim_end_matches('/'));
    let request = Request::get(&url)
        .map_err(|error| format!("prometheus address {address:?}: {error}"))?
        .query("query", &prometheus.query)
        .query("time", &now.to_rfc3339_seconds());
    let login = |field| text(&prometheus.rest, &["authentication", "basicAuth", field]);
    let request = match (login("username"), login("password")) {
        ("", "") => request,
        ("", _) => return Err(missing("username")),
        (_, "") => return Err(missing("password")),
        (name, password) => request.basic(name, password).map_err(|error| error.to_string())?,
    };
    with_headers(request, &prometheus.headers)
}

fn missing(field: &str) -> String {
    format!("missing mandatory parameter in metric for basic auth setup: {field}")
}
