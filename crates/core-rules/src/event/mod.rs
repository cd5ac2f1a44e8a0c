//! What happened, in the form in which others read it from Kubernetes Events.
//!
//! One function per event, by what it is about: [`promotion`] and [`freight`]. Facts for programs go into
//! annotations (`payload`), among them the Applications that the steps of a Promotion update (`application`).

pub mod activity;
mod application;
pub mod freight;
pub mod listing;
mod payload;
pub mod promotion;
#[cfg(test)]
mod tests;

use std::{borrow::Cow, collections::BTreeMap};

use api_kinds::API_VERSION;
use core_clock::Time;
use k8s_openapi::api::core::v1::ObjectReference;

pub use freight::{freight_approved, freight_created, freight_verification};
pub use promotion::{
    promotion_aborted, promotion_answered, promotion_automatic, promotion_created,
    promotion_discarded, promotion_ended,
};

/// One event about one object.
#[derive(Clone, Debug, PartialEq)]
pub struct Event {
    /// What happened, in one word.
    pub reason: &'static str,
    /// What happened, for people.
    pub message: String,
    /// Who tells it.
    pub component: Cow<'static, str>,
    /// The kind of the object.
    pub kind: &'static str,
    /// The object's namespace, which is the Project.
    pub namespace: String,
    /// The object's name.
    pub name: String,
    /// The payload, by full annotation key.
    pub annotations: BTreeMap<String, String>,
}

/// Who tells of something, when, and what they know of Argo CD.
#[derive(Clone, Copy, Debug)]
pub struct Teller<'a> {
    /// What they are called in events.
    pub component: &'a str,
    /// Where Applications are whose namespace is not named.
    pub argocd_namespace: &'a str,
    /// The time.
    pub now: Time,
}

impl Event {
    /// The object, as an Event of the API names it.
    pub fn object(&self) -> ObjectReference {
        ObjectReference {
            api_version: Some(API_VERSION.to_owned()),
            kind: Some(self.kind.to_owned()),
            namespace: Some(self.namespace.clone()),
            name: Some(self.name.clone()),
            ..ObjectReference::default()
        }
    }
}
