//! Questions that are answered in the reply to their create: who am I, may they, is this token good.

use std::collections::BTreeMap;

use emb_auth::{Attributes, Decision, Identity, Target};
use emb_kinds::BuiltInKind;
use emb_meta::{FieldError, ObjectExt, Reason, Status};
use http::StatusCode;
use serde_json::{Value, json};

use crate::{
    access,
    call::{Call, Reply},
    object::decode,
    request::query::WriteOptions,
    state::State,
};

/// Answers the create of a review.
pub(super) fn answer(call: &mut Call, kind: BuiltInKind) -> Result<Reply, Status> {
    let options = WriteOptions::read(&call.info.query, "CreateOptions")?;
    let mut review = decode::object(call, options.field_validation)?;
    if kind == BuiltInKind::LocalSubjectAccessReview {
        review.metadata_mut().insert("namespace".into(), json!(call.namespace()));
    }
    let status = match kind {
        BuiltInKind::TokenReview => token_review(call, &review)?,
        BuiltInKind::SelfSubjectReview => {
            let now = call.state.clock.now().to_rfc3339_seconds();
            review.metadata_mut().insert("creationTimestamp".into(), json!(now));
            json!({ "userInfo": call.identity.to_user_info() })
        }
        BuiltInKind::SelfSubjectRulesReview => rules_review(call, &mut review)?,
        _ => access_review(call, kind, &review)?,
    };
    if let Some(members) = review.as_object_mut() {
        members.insert("status".into(), status);
    }
    Ok(Reply::Object(StatusCode::CREATED, review))
}

fn token_review(call: &Call, review: &Value) -> Result<Value, Status> {
    let token = review.text(&["spec", "token"]);
    if token.is_empty() {
        return Err(Status::new(
            Reason::BadRequest,
            "token is required for TokenReview in authentication",
        ));
    }
    let audiences = texts(review.pointer("/spec/audiences"));
    Ok(match access::verify_token(&call.state, token, &audiences) {
        Ok(verified) => json!({
            "authenticated": true, "user": verified.identity.to_user_info(),
            "audiences": verified.audiences,
        }),
        Err(problem) => json!({ "user": {}, "error": problem }),
    })
}

fn rules_review(call: &Call, review: &mut Value) -> Result<Value, Status> {
    let namespace = review.text(&["spec", "namespace"]).to_owned();
    if namespace.is_empty() {
        return Err(Status::new(Reason::BadRequest, "no namespace on request"));
    }
    if let Some(members) = review.as_object_mut() {
        members.insert("spec".into(), json!({}));
    }
    let rules = call.state.rbac.read().rules_for(&call.identity, &namespace);
    Ok(json!({
        "resourceRules": rules.resource_rules, "nonResourceRules": rules.non_resource_rules,
        "incomplete": false,
    }))
}

fn access_review(call: &Call, kind: BuiltInKind, review: &Value) -> Result<Value, Status> {
    let errors = check_access_review(call, kind, review);
    if !errors.is_empty() {
        let group_kind = call.served.resource.group_kind();
        return Err(Status::invalid(&group_kind, review.name(), &errors));
    }
    let spec = review.get("spec").cloned().unwrap_or_default();
    let identity = if kind == BuiltInKind::SelfSubjectAccessReview {
        call.identity.clone()
    } else {
        subject(&spec)
    };
    Ok(decision(&call.state, &identity, &spec))
}

fn check_access_review(call: &Call, kind: BuiltInKind, review: &Value) -> Vec<FieldError> {
    let mut errors = Vec::new();
    let spec = review.get("spec").cloned().unwrap_or_default();
    let resource = spec.get("resourceAttributes").filter(|value| value.is_object());
    let path = spec.get("nonResourceAttributes").filter(|value| value.is_object());
    match (resource, path) {
        (Some(_), Some(attributes)) => errors.push(FieldError::invalid(
            "spec.nonResourceAttributes",
            attributes,
            "cannot be specified in combination with resourceAttributes",
        )),
        (None, None) => errors.push(FieldError::invalid(
            "spec.resourceAttributes",
            &Value::Null,
            "exactly one of nonResourceAttributes or resourceAttributes must be specified",
        )),
        _ => {}
    }
    if kind != BuiltInKind::SelfSubjectAccessReview
        && spec.text(&["user"]).is_empty()
        && texts(spec.get("groups")).is_empty()
    {
        errors.push(FieldError::invalid(
            "spec.user",
            &json!(""),
            "at least one of user or group must be specified",
        ));
    }
    if kind == BuiltInKind::LocalSubjectAccessReview {
        let asked = spec.text(&["resourceAttributes", "namespace"]);
        if let Some(attributes) = path {
            errors.push(FieldError::invalid(
                "spec.nonResourceAttributes",
                attributes,
                "disallowed on this kind of request",
            ));
        } else if asked != call.namespace() {
            errors.push(FieldError::invalid(
                "spec.resourceAttributes.namespace",
                &json!(asked),
                "must match metadata.namespace",
            ));
        }
    }
    errors
}

fn subject(spec: &Value) -> Identity {
    let extra = spec.get("extra").and_then(Value::as_object);
    let extra: BTreeMap<String, Vec<String>> = extra
        .into_iter()
        .flatten()
        .map(|(key, values)| (key.clone(), texts(Some(values))))
        .collect();
    Identity {
        user: spec.text(&["user"]).to_owned(),
        uid: spec.text(&["uid"]).to_owned(),
        groups: texts(spec.get("groups")),
        extra,
    }
}

fn decision(state: &State, identity: &Identity, spec: &Value) -> Value {
    let at = |key: &str| spec.text(&["resourceAttributes", key]);
    let (verb, target) = if spec.get("resourceAttributes").is_some_and(Value::is_object) {
        let target = Target::Resource {
            group: at("group"),
            version: at("version"),
            resource: at("resource"),
            subresource: at("subresource"),
            namespace: at("namespace"),
            name: at("name"),
        };
        (at("verb"), target)
    } else {
        let path = spec.text(&["nonResourceAttributes", "path"]);
        (spec.text(&["nonResourceAttributes", "verb"]), Target::NonResource { path })
    };
    match state.rbac.read().authorize(&Attributes { identity, verb, target }) {
        Decision::Allowed { reason } if reason.is_empty() => json!({ "allowed": true }),
        Decision::Allowed { reason } => json!({ "allowed": true, "reason": reason }),
        Decision::Denied => json!({ "allowed": false }),
    }
}

fn texts(list: Option<&Value>) -> Vec<String> {
    let list = list.and_then(Value::as_array);
    list.into_iter().flatten().filter_map(|item| item.as_str().map(str::to_owned)).collect()
}
