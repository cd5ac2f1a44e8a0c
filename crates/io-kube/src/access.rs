//! Asking the API server who may do what.

use std::collections::BTreeMap;

use k8s_openapi::api::authorization::v1::{
    ResourceAttributes, SelfSubjectAccessReview, SelfSubjectAccessReviewSpec, SubjectAccessReview,
    SubjectAccessReviewSpec, SubjectAccessReviewStatus,
};
use kube::{Client, api::PostParams};
use serde::{Serialize, de::DeserializeOwned};

use crate::object::{Object, requests, send};

/// Something that a caller may want to do with a resource. Empty fields mean all, as in a rule.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct AccessRequest {
    /// For example `get` or `promote`.
    pub verb: String,
    /// The API group; empty for the core group.
    pub group: String,
    /// The plural of the kind.
    pub resource: String,
    /// For example `status`.
    pub subresource: String,
    /// Empty for all namespaces, and for kinds without.
    pub namespace: String,
    /// Empty for all names.
    pub name: String,
}

/// Somebody else, as the API server knows them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Subject {
    /// The name of the user.
    pub user: String,
    /// The uid, where the kind of user has one.
    pub uid: String,
    /// The groups of the user.
    pub groups: Vec<String>,
    /// What else the API server knew of them.
    pub extra: BTreeMap<String, Vec<String>>,
}

/// The answer of the API server.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Verdict {
    /// Whether it is allowed.
    pub allowed: bool,
    /// Why, where the API server says so.
    pub reason: String,
}

/// Whether `subject` may do this.
pub async fn may(
    client: &Client,
    subject: &Subject,
    request: &AccessRequest,
) -> Result<Verdict, kube::Error> {
    let review = SubjectAccessReview {
        spec: SubjectAccessReviewSpec {
            user: Some(subject.user.clone()),
            uid: filled(&subject.uid),
            groups: Some(subject.groups.clone()),
            extra: Some(subject.extra.clone()),
            resource_attributes: Some(attributes(request)),
            ..SubjectAccessReviewSpec::default()
        },
        ..SubjectAccessReview::default()
    };
    Ok(verdict(create(client, &review).await?.status))
}

/// Whether the identity of this client may do this.
pub async fn may_i(client: &Client, request: &AccessRequest) -> Result<Verdict, kube::Error> {
    let review = SelfSubjectAccessReview {
        spec: SelfSubjectAccessReviewSpec {
            resource_attributes: Some(attributes(request)),
            ..SelfSubjectAccessReviewSpec::default()
        },
        ..SelfSubjectAccessReview::default()
    };
    Ok(verdict(create(client, &review).await?.status))
}

async fn create<K: Object + Serialize + DeserializeOwned>(
    client: &Client,
    review: &K,
) -> Result<K, kube::Error> {
    let body = serde_json::to_vec(review).map_err(kube::Error::SerdeError)?;
    send(client, requests::<K>(None).create(&PostParams::default(), body)).await
}

fn attributes(request: &AccessRequest) -> ResourceAttributes {
    ResourceAttributes {
        verb: filled(&request.verb),
        group: filled(&request.group),
        resource: filled(&request.resource),
        subresource: filled(&request.subresource),
        namespace: filled(&request.namespace),
        name: filled(&request.name),
        ..ResourceAttributes::default()
    }
}

fn filled(text: &str) -> Option<String> {
    Some(text.to_owned()).filter(|text| !text.is_empty())
}

/// A review without a status allows nothing.
fn verdict(status: Option<SubjectAccessReviewStatus>) -> Verdict {
    let status = status.unwrap_or_default();
    let allowed = status.allowed && status.denied != Some(true);
    Verdict { allowed, reason: status.reason.unwrap_or_default() }
}
