//! The `audit.k8s.io/v1` event of one request.

use std::collections::BTreeMap;

use core_clock::Time;
use emb_auth::Identity;
use serde_json::{Map, Value, json};

use super::{AuditLevel, RequestObject};
use crate::request::{Info, path::Target};

/// What is known about a request when it completes.
pub(crate) struct Record<'a> {
    pub(crate) id: &'a str,
    pub(crate) info: &'a Info,
    pub(crate) level: AuditLevel,
    /// Nobody when the request came with a name that was not believed.
    pub(crate) identity: Option<&'a Identity>,
    pub(crate) impersonator: Option<&'a Identity>,
    pub(crate) source: Option<&'a str>,
    pub(crate) code: u16,
    pub(crate) allowed: Option<&'a str>,
    pub(crate) request: Option<&'a RequestObject>,
    /// What webhooks want to be told.
    pub(crate) remarks: &'a BTreeMap<String, String>,
    pub(crate) received: Time,
    pub(crate) completed: Time,
}

impl Record<'_> {
    /// The event, at the end of the request.
    pub(crate) fn to_value(&self) -> Value {
        let user = self.impersonator.or(self.identity);
        let mut event = json!({
            "kind": "Event", "apiVersion": "audit.k8s.io/v1", "level": self.level().name(),
            "auditID": self.id, "stage": "ResponseComplete", "requestURI": self.info.uri,
            "verb": self.info.verb(), "userAgent": self.info.header("user-agent"),
            "user": user.map_or_else(|| json!({}), Identity::to_user_info),
            "sourceIPs": self.source.into_iter().collect::<Vec<_>>(),
            "responseStatus": { "metadata": {}, "code": self.code },
            "requestReceivedTimestamp": self.received.to_rfc3339_micros(),
            "stageTimestamp": self.completed.to_rfc3339_micros(),
            "annotations": self.annotations(),
        });
        if let Some(event) = event.as_object_mut() {
            if let (Some(_), Some(identity)) = (self.impersonator, self.identity) {
                event.insert("impersonatedUser".into(), identity.to_user_info());
            }
            if let Some(reference) = self.object_reference() {
                event.insert("objectRef".into(), reference);
            }
            if let Some(RequestObject::Shown(object)) = self.request {
                event.insert("requestObject".into(), object.clone());
            }
        }
        event
    }

    fn level(&self) -> AuditLevel {
        match self.request {
            Some(RequestObject::Confidential) => AuditLevel::Metadata,
            _ => self.level,
        }
    }

    fn annotations(&self) -> Value {
        let remarks = self.remarks.iter();
        let mut annotations: Map<String, Value> =
            remarks.map(|(key, text)| (key.clone(), json!(text))).collect();
        if self.identity.is_some() {
            let decision = if self.allowed.is_some() { "allow" } else { "forbid" };
            let reason = self.allowed.unwrap_or_default();
            annotations.insert("authorization.k8s.io/decision".into(), decision.into());
            annotations.insert("authorization.k8s.io/reason".into(), reason.into());
        }
        if self.request == Some(&RequestObject::TooLarge) {
            annotations.insert("audit.k8s.io/truncated".into(), "true".into());
        }
        Value::Object(annotations)
    }

    fn object_reference(&self) -> Option<Value> {
        let Target::Resource(path) = &self.info.target else { return None };
        let parts = [
            ("resource", Some(path.resource.as_str())),
            ("namespace", path.namespace.as_deref()),
            ("name", path.name.as_deref()),
            ("apiGroup", Some(path.group.as_str())),
            ("apiVersion", Some(path.version.as_str())),
            ("subresource", Some(path.subresource.as_str())),
        ];
        let known: Map<String, Value> = parts
            .into_iter()
            .filter_map(|(key, text)| {
                text.filter(|t| !t.is_empty()).map(|t| (key.into(), json!(t)))
            })
            .collect();
        Some(Value::Object(known))
    }
}
