//! Health: whether the server lives and whether it is ready to take writes.

use std::fmt::Write;

use emb_store::Writes;
use http::{Response, StatusCode};

use crate::{
    request::Info,
    response::{Body, plain_text},
    state::State,
};

/// The checks behind each endpoint; `etcd` is what operators know the store as.
const CHECKS: [&str; 3] = ["ping", "etcd", "storage"];

/// Answers `/healthz`, `/livez`, `/readyz` and the single checks below them.
pub(super) fn serve(state: &State, info: &Info, segments: &[&str]) -> Response<Body> {
    let (endpoint, check) = match segments {
        [endpoint] => (*endpoint, None),
        [endpoint, check] => (*endpoint, Some(*check)),
        _ => return super::page_not_found(),
    };
    if let Some(check) = check {
        return match CHECKS.contains(&check) {
            true if passes(state, endpoint, check) => plain_text(StatusCode::OK, "ok"),
            true => plain_text(
                StatusCode::INTERNAL_SERVER_ERROR,
                "internal server error: reason withheld\n",
            ),
            false => super::page_not_found(),
        };
    }
    let excluded: Vec<&str> = info.query.all("exclude").collect();
    let failed =
        CHECKS.iter().any(|check| !excluded.contains(check) && !passes(state, endpoint, check));
    if !failed && !info.query.flag("verbose") {
        return plain_text(StatusCode::OK, "ok");
    }
    let code = if failed { StatusCode::INTERNAL_SERVER_ERROR } else { StatusCode::OK };
    plain_text(code, report(state, endpoint, &excluded, failed))
}

fn report(state: &State, endpoint: &str, excluded: &[&str], failed: bool) -> String {
    let mut text = String::new();
    for check in CHECKS {
        // Writing to a string cannot fail.
        let _ = if excluded.contains(&check) {
            writeln!(text, "[+]{check} excluded: ok")
        } else if passes(state, endpoint, check) {
            writeln!(text, "[+]{check} ok")
        } else {
            writeln!(text, "[-]{check} failed: reason withheld")
        };
    }
    let outcome = if failed { "failed" } else { "passed" };
    let _ = writeln!(text, "{endpoint} check {outcome}");
    text
}

/// Reads go on while the store takes no writes, so only readiness fails; writes that need a restart also fail liveness.
fn passes(state: &State, endpoint: &str, check: &str) -> bool {
    match (check, state.store.health().writes) {
        ("ping", _) | (_, Writes::Accepted) => true,
        (_, Writes::Paused(_)) => endpoint == "livez",
        (_, Writes::Stopped(_)) => false,
    }
}
