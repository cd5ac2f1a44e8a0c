//! Discovery: which groups, versions and resources are served, in the old form and in the aggregated one.

use emb_kinds::discovery::{self, AggregatedVersion, Part};
use emb_meta::{GroupVersion, Status};
use http::{HeaderValue, Response, StatusCode, header};
use serde_json::Value;

use crate::{
    registry::{Document, Snapshot},
    request::{
        Info,
        negotiate::{self, Shape, wants_pretty},
    },
    response::{Body, value},
    state::State,
};

/// Answers `/api`, `/apis` and what lies below them up to a group and version.
pub(super) fn serve(
    state: &State,
    info: &Info,
    segments: &[&str],
) -> Result<Response<Body>, Status> {
    let form = negotiate::form(info.header("accept"))?;
    let snapshot = state.registry.snapshot();
    if let (Shape::Discovery(version), [root]) = (form.shape, segments) {
        return Ok(aggregated(&snapshot, info, root, version));
    }
    let resources = snapshot.resources();
    let body = match segments {
        ["api"] => Some(discovery::core_versions(&state.address)),
        ["apis"] => Some(discovery::group_list(resources)),
        ["apis", group] => discovery::group(resources, group),
        ["api", version] => discovery::resource_list(resources, &GroupVersion::new("", *version)),
        ["apis", group, version] => {
            discovery::resource_list(resources, &GroupVersion::new(*group, *version))
        }
        _ => None,
    };
    Ok(body.map_or_else(super::page_not_found, |body| legacy(info, form.encoding, &body)))
}

fn legacy(info: &Info, encoding: negotiate::Encoding, body: &Value) -> Response<Body> {
    let pretty = wants_pretty(info.query.find("pretty"), info.header("user-agent"));
    let encoding = match encoding {
        negotiate::Encoding::Json if pretty => negotiate::Encoding::PrettyJson,
        other => other,
    };
    let mut response = value(StatusCode::OK, encoding, body);
    response.headers_mut().insert(header::VARY, HeaderValue::from_static("Accept"));
    response
}

fn aggregated(snapshot: &Snapshot, info: &Info, root: &str, version: &str) -> Response<Body> {
    let (part, aggregated_version) = (
        if root == "api" { Part::Core } else { Part::Groups },
        if version == "v2" { AggregatedVersion::V2 } else { AggregatedVersion::V2Beta1 },
    );
    let document = snapshot.document(&format!("{root};{version}"), || {
        let body = discovery::aggregated(snapshot.resources(), part, aggregated_version);
        Some(Document::new(body.to_string().into()))
    });
    let Some(document) = document else { return super::page_not_found() };
    let content_type = match aggregated_version {
        AggregatedVersion::V2 => {
            "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"
        }
        AggregatedVersion::V2Beta1 => {
            "application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList"
        }
    };
    let mut response = document.respond(info, content_type);
    let headers = response.headers_mut();
    headers.insert(header::VARY, HeaderValue::from_static("Accept"));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("public"));
    response
}
