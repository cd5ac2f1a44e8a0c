//! AdmissionReview v1 on the wire.

use std::collections::BTreeMap;

use base64::{Engine as _, engine::general_purpose::STANDARD};
use core_rules::admission::{Operation, PatchOperation, User};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Status;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::{Request, Verdict};

const API_VERSION: &str = "admission.k8s.io/v1";
const KIND: &str = "AdmissionReview";
/// How many warnings one answer holds; clients show no more anyway.
const MAX_WARNINGS: usize = 32;

/// A question with the identifier that the answer must repeat.
pub(super) struct Review {
    body: Body,
    operation: Operation,
    user: User,
}

impl Review {
    pub(super) fn uid(&self) -> &str {
        &self.body.uid
    }

    pub(super) fn request(&self) -> Request<'_> {
        let body = &self.body;
        Request {
            operation: self.operation,
            group: &body.resource.group,
            resource: &body.resource.resource,
            subresource: &body.sub_resource,
            namespace: &body.namespace,
            name: &body.name,
            user: &self.user,
            object: body.object.as_ref().filter(|object| !object.is_null()),
            old_object: body.old_object.as_ref().filter(|object| !object.is_null()),
            dry_run: body.dry_run,
        }
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Envelope {
    api_version: String,
    kind: String,
    request: Option<Body>,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Body {
    uid: String,
    resource: Resource,
    sub_resource: String,
    name: String,
    namespace: String,
    operation: String,
    user_info: UserInfo,
    object: Option<Value>,
    old_object: Option<Value>,
    dry_run: bool,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Resource {
    group: String,
    resource: String,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct UserInfo {
    username: String,
    uid: String,
    groups: Vec<String>,
    extra: BTreeMap<String, Vec<String>>,
}

/// Reads a question, or says why it is none.
pub(super) fn read(body: &[u8]) -> Result<Review, String> {
    let envelope: Envelope = serde_json::from_slice(body).map_err(|error| error.to_string())?;
    if envelope.api_version != API_VERSION || envelope.kind != KIND {
        return Err(format!("expected {KIND} of {API_VERSION}"));
    }
    let mut body = envelope.request.ok_or("the review holds no request")?;
    let operation = match body.operation.as_str() {
        "CREATE" => Operation::Create,
        "UPDATE" => Operation::Update,
        "DELETE" => Operation::Delete,
        other => return Err(format!("operation {other:?} is not asked about")),
    };
    let user = std::mem::take(&mut body.user_info);
    let user = User { name: user.username, uid: user.uid, groups: user.groups, extra: user.extra };
    Ok(Review { body, operation, user })
}

/// The answer on the wire.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Reply<'a> {
    uid: &'a str,
    allowed: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    status: Option<Status>,
    #[serde(skip_serializing_if = "Option::is_none")]
    patch_type: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    patch: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    warnings: Vec<&'a String>,
}

/// Words the answer to the question `uid`.
pub(super) fn reply(uid: &str, verdict: &Verdict) -> Value {
    let (status, admission) = match verdict {
        Ok(admission) => (None, Some(admission)),
        Err(refusal) => (Some(refusal.to_status()), None),
    };
    let patch = admission.map(|admission| admission.patch.as_slice()).unwrap_or_default();
    let encode = |patch: &[PatchOperation]| {
        let operations: Value = patch.iter().map(PatchOperation::to_value).collect();
        STANDARD.encode(operations.to_string())
    };
    let warnings = admission.iter().flat_map(|admission| &admission.warnings);
    let response = Reply {
        uid,
        allowed: status.is_none(),
        status,
        patch_type: (!patch.is_empty()).then_some("JSONPatch"),
        patch: (!patch.is_empty()).then(|| encode(patch)),
        warnings: warnings.take(MAX_WARNINGS).collect(),
    };
    json!({"apiVersion": API_VERSION, "kind": KIND, "response": response})
}

#[cfg(test)]
mod tests {
    use core_rules::admission::{PatchOperation, Refusal};
    use serde_json::json;

    use super::{STANDARD, read, reply};
    use crate::request::Admission;
    use base64::Engine as _;

    #[test]
    fn a_question_is_read_with_what_it_leaves_out() {
        let body = json!({"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "request": {
            "uid": "u", "operation": "DELETE", "resource": {"group": "kargo.akuity.io", "version": "v1alpha1", "resource": "freights"},
            "userInfo": {"username": "alice", "groups": ["g"]}, "object": null, "oldObject": {"a": 1}}});
        let review = read(body.to_string().as_bytes()).unwrap();
        let request = review.request();
        assert_eq!((review.uid(), request.user.name.as_str()), ("u", "alice"));
        assert_eq!((request.object, request.dry_run), (None, false));
        assert_eq!(request.old_object, Some(&json!({"a": 1})));
    }

    #[test]
    fn what_is_no_question_is_refused() {
        for body in [
            "",
            "{}",
            "[1]",
            r#"{"apiVersion":"admission.k8s.io/v1beta1","kind":"AdmissionReview"}"#,
            r#"{"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview"}"#,
            r#"{"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","request":{"operation":"CONNECT"}}"#,
        ] {
            assert!(read(body.as_bytes()).is_err(), "{body}");
        }
    }

    #[test]
    fn an_answer_carries_patch_warnings_or_status() {
        let patch = vec![PatchOperation { path: "/a".into(), value: Some(json!(1)) }];
        let admission = Admission { patch, warnings: vec!["w".into()] };
        let allowed = reply("u", &Ok(admission));
        assert_eq!(allowed["response"]["allowed"], true);
        assert_eq!(allowed["response"]["warnings"], json!(["w"]));
        let patch =
            allowed["response"]["patch"].as_str().map(|text| STANDARD.decode(text).unwrap());
        assert_eq!(patch.as_deref(), Some(br#"[{"op":"add","path":"/a","value":1}]"#.as_slice()));
        let denied = reply("u", &Err(Refusal::denied("no")));
        assert_eq!(denied["response"]["status"]["code"], 403);
        assert_eq!(denied["response"]["uid"], "u");
    }
}
