//! A server without logins is for the programs of one person. A page in their browser is not one of them, even if it has
//! made a name of its own lead to this machine.

use http::{HeaderValue, Request, header, uri::Authority};

use crate::{
    api::Api,
    api_error::{ApiError, ApiResult},
};

/// Refuses requests that were meant for another name than this machine's own.
pub(super) fn check<B>(api: &Api, request: &Request<B>) -> ApiResult<()> {
    if !api.settings().is_local {
        return Ok(());
    }
    let text = |name| request.headers().get(name).map(HeaderValue::to_str);
    let host = match text(header::HOST) {
        Some(host) => host.ok().and_then(|host| host.parse().ok()),
        None => request.uri().authority().cloned(),
    };
    let origin = text(header::ORIGIN).map(|origin| origin.ok().and_then(of_origin));
    let is_own = |authority: &Option<Authority>| authority.as_ref().is_some_and(is_this_machine);
    if is_own(&host) && origin.as_ref().is_none_or(is_own) {
        return Ok(());
    }
    Err(ApiError::forbidden("this server is for programs on its own machine"))
}

fn of_origin(origin: &str) -> Option<Authority> {
    origin.split_once("://")?.1.parse().ok()
}

fn is_this_machine(authority: &Authority) -> bool {
    let host = authority.host().trim_start_matches('[').trim_end_matches(']');
    let is_loopback = host.parse().is_ok_and(|address: std::net::IpAddr| address.is_loopback());
    is_loopback || host.eq_ignore_ascii_case("localhost")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_names_of_this_machine_are_its_own() {
        for own in ["localhost:8080", "LOCALHOST", "127.0.0.1:1", "[::1]:8080", "127.8.0.1"] {
            assert!(is_this_machine(&own.parse().unwrap()), "{own}");
        }
        for strange in
            ["example.com", "localhost.example.com:80", "10.0.0.1", "127.0.0.1.example.com"]
        {
            assert!(!is_this_machine(&strange.parse().unwrap()), "{strange}");
        }
        assert!(of_origin("null").is_none() && of_origin("https://a.example").is_some());
    }
}
