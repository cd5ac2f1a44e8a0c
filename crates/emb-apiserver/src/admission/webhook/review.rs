//! The admission review: what a webhook is sent.

use emb_kinds::Resource;
use serde_json::{Map, Value, json};

use super::{
    matching::{self, Invocation},
    options,
};
use crate::{admission::Request, registry::Served};

/// Everything about a request but its objects. Empty texts are left out, as conditions can tell.
pub(super) fn describe(request: &Request, served: &Served) -> Map<String, Value> {
    let (wanted, sent) = (&served.resource, &request.origin.served.resource);
    let mut described = Map::new();
    described.insert("kind".into(), kind(wanted, request));
    described.insert("resource".into(), resource(wanted));
    described.insert("requestKind".into(), kind(sent, request));
    described.insert("requestResource".into(), resource(sent));
    described.insert("operation".into(), json!(request.operation.name()));
    described.insert("userInfo".into(), request.identity.to_user_info());
    described.insert("dryRun".into(), json!(request.dry_run));
    described.insert("options".into(), options::options(request));
    let texts = [
        ("subResource", request.subresource.as_str()),
        ("requestSubResource", request.subresource.as_str()),
        ("name", request.name.as_str()),
        ("namespace", namespace(request)),
    ];
    for (key, text) in texts.into_iter().filter(|(_, text)| !text.is_empty()) {
        described.insert(key.into(), json!(text));
    }
    described
}

/// The whole review as JSON text.
pub(super) fn review(
    invocation: &Invocation,
    request: &Request,
    object: Option<&Value>,
    uid: &str,
) -> String {
    let shown = |object: Option<&Value>| {
        object.map_or(Value::Null, |object| invocation.view(request, object).into_owned())
    };
    let mut described = describe(request, &invocation.served);
    described.insert("uid".into(), json!(uid));
    described.insert("object".into(), shown(object));
    described.insert("oldObject".into(), shown(request.old_object.as_deref()));
    json!({
        "kind": "AdmissionReview",
        "apiVersion": invocation.hook.version.api_version(),
        "request": described,
    })
    .to_string()
}

/// A Namespace counts as being inside of itself.
fn namespace(request: &Request) -> &str {
    if matching::is_namespace(request) { &request.name } else { &request.namespace }
}

fn kind(resource: &Resource, request: &Request) -> Value {
    let gvk = resource.kind_at(&request.subresource);
    json!({ "group": &*gvk.group, "version": &*gvk.version, "kind": &*gvk.kind })
}

fn resource(resource: &Resource) -> Value {
    let gvk = &resource.gvk;
    json!({ "group": &*gvk.group, "version": &*gvk.version, "resource": &*resource.plural })
}
