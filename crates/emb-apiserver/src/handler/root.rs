//! What the server says about itself: its version, its paths, its metrics.

use std::collections::BTreeSet;

use http::{Response, StatusCode};
use serde_json::json;

use crate::{
    metrics,
    request::{
        Info,
        negotiate::{Encoding, wants_pretty},
    },
    response::{Body, document, value},
    state::State,
};

/// The Kubernetes version whose API this is.
const MAJOR: &str = "1";
const MINOR: &str = "36";

/// Answers `/version`.
pub(super) fn version(state: &State, info: &Info) -> Response<Body> {
    let body = json!({
        "major": MAJOR, "minor": MINOR, "emulationMajor": MAJOR, "emulationMinor": MINOR,
        "minCompatibilityMajor": MAJOR, "minCompatibilityMinor": "35",
        "gitVersion": format!("v{MAJOR}.{MINOR}.0+kargo-{}", state.version),
        "gitCommit": "", "gitTreeState": "clean", "buildDate": "1970-01-01T00:00:00Z",
        "goVersion": "", "compiler": "rustc",
        "platform": format!("{}/{}", std::env::consts::OS, std::env::consts::ARCH),
    });
    value(StatusCode::OK, encoding(info), &body)
}

/// Answers `/`.
pub(super) fn paths(state: &State, info: &Info) -> Response<Body> {
    let snapshot = state.registry.snapshot();
    let fixed = [
        "/.well-known/openid-configuration",
        "/api",
        "/api/v1",
        "/apis",
        "/apis/",
        "/debug/engine",
        "/healthz",
        "/livez",
        "/metrics",
        "/openapi/v3",
        "/openapi/v3/",
        "/openid/v1/jwks",
        "/readyz",
        "/version",
    ];
    let mut paths: BTreeSet<String> = fixed.into_iter().map(str::to_owned).collect();
    for served in snapshot.iter().filter(|served| !served.resource.gvk.group.is_empty()) {
        let gvk = &served.resource.gvk;
        paths.insert(format!("/apis/{}", gvk.group));
        paths.insert(format!("/apis/{}/{}", gvk.group, gvk.version));
    }
    value(StatusCode::OK, encoding(info), &json!({ "paths": paths }))
}

/// Answers `/metrics`.
pub(super) fn metrics(state: &State) -> Response<Body> {
    document(StatusCode::OK, "text/plain; version=0.0.4; charset=utf-8", metrics::print(state))
}

fn encoding(info: &Info) -> Encoding {
    if wants_pretty(info.query.find("pretty"), info.header("user-agent")) {
        Encoding::PrettyJson
    } else {
        Encoding::Json
    }
}
