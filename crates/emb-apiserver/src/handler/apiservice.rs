//! `apiservices`: one made-up object for each served group and version, because clients look at them.

use emb_kinds::{Verb, discovery};
use emb_meta::{ObjectExt, Status};
use http::StatusCode;
use serde_json::{Value, json};

use crate::{
    call::{Call, Reply},
    request::negotiate::{self, Shape},
    response,
};

/// Answers a get or list.
pub(super) fn answer(call: &Call, verb: Verb) -> Result<Reply, Status> {
    let mut objects = discovery::api_services(call.snapshot.resources(), call.state.started);
    match verb {
        Verb::Get => objects
            .into_iter()
            .find(|object| object.name() == call.name())
            .map(|object| Reply::Object(StatusCode::OK, object))
            .ok_or_else(|| call.not_found()),
        Verb::List => {
            let form = negotiate::form(call.info.header("accept"))?;
            let revision = json!({ "resourceVersion": call.state.store.revision().to_string() });
            let list = if let Shape::Table(version) = form.shape {
                response::table(call, version)?.document(
                    &call.served.resource,
                    objects.into_iter(),
                    revision,
                )
            } else {
                for members in objects.iter_mut().filter_map(Value::as_object_mut) {
                    members.remove("kind");
                    members.remove("apiVersion");
                }
                json!({
                    "kind": "APIServiceList", "apiVersion": "apiregistration.k8s.io/v1",
                    "metadata": revision, "items": objects,
                })
            };
            Ok(Reply::Plain(StatusCode::OK, list))
        }
        _ => Err(call.method_not_allowed()),
    }
}
