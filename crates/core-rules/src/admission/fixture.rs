//! Users and objects that the tests of several rules share.

use api_kinds::{Kind, ObjectMeta};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;

use super::{Identities, Refusal, User};

/// A component of the control plane.
pub(crate) const API: &str = "system:serviceaccount:kargo:kargo-api";
/// The server that receives webhooks from outside.
pub(crate) const EXTERNAL: &str = "system:serviceaccount:kargo:kargo-external-webhooks-server";
/// The management controller.
pub(crate) const MANAGEMENT: &str = "system:serviceaccount:kargo:kargo-management-controller";

pub(crate) fn identities() -> Identities {
    Identities::new("^system:serviceaccount:kargo:kargo-(api|controller)$", MANAGEMENT, EXTERNAL)
        .expect("the expression is correct")
}

pub(crate) fn user(name: &str) -> User {
    User { name: name.to_owned(), ..User::default() }
}

/// An object of Project `demo` from YAML-like JSON.
pub(crate) fn object<K: Kind>(name: &str, mut body: serde_json::Value) -> K {
    body["metadata"]["name"] = name.into();
    body["metadata"]["namespace"] = "demo".into();
    serde_json::from_value(body).expect("the object can be read")
}

pub(crate) fn delete(metadata: &mut ObjectMeta) {
    metadata.deletion_timestamp = serde_json::from_str::<Time>("\"2026-01-02T03:04:05Z\"").ok();
}

/// The message of a refusal after the object's name, which is the same in all of them.
pub(crate) fn message<T: std::fmt::Debug>(verdict: Result<T, Refusal>) -> String {
    let refusal = verdict.expect_err("should be refused");
    match refusal.message.split_once("is invalid: ") {
        Some((_, errors)) => errors.to_owned(),
        None => refusal.message,
    }
}
