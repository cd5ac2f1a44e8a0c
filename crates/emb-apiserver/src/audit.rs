//! The audit log: one JSON line for each completed request.

use std::collections::BTreeMap;

use core_clock::Time;
use emb_auth::Identity;
use serde_json::{Map, Value, json};

use crate::request::{Info, path::Target};

/// Where audit lines go. A line has no line end of its own.
pub trait AuditSink: Send + Sync {
    /// Takes one line. Must not block.
    fn record(&self, line: &str);
}

/// What is known about a request when it completes.
pub(crate) struct Record<'a> {
    pub(crate) id: &'a str,
    pub(crate) info: &'a Info,
    pub(crate) identity: &'a Identity,
    pub(crate) impersonator: Option<&'a Identity>,
    pub(crate) source: Option<&'a str>,
    pub(crate) code: u16,
    pub(crate) allowed: Option<&'a str>,
    /// What webhooks add.
    pub(crate) remarks: &'a BTreeMap<String, String>,
    pub(crate) received: Time,
    pub(crate) completed: Time,
}

impl Record<'_> {
    /// The `audit.k8s.io/v1` event of level Metadata.
    pub(crate) fn to_value(&self) -> Value {
        let mut event = json!({
            "kind": "Event", "apiVersion": "audit.k8s.io/v1", "level": "Metadata",
            "auditID": self.id, "stage": "ResponseComplete", "requestURI": self.info.uri,
            "verb": self.info.verb(), "userAgent": self.info.header("user-agent"),
            "user": self.impersonator.unwrap_or(self.identity).to_user_info(),
            "sourceIPs": self.source.into_iter().collect::<Vec<_>>(),
            "responseStatus": { "metadata": {}, "code": self.code },
            "requestReceivedTimestamp": self.received.to_rfc3339_micros(),
            "stageTimestamp": self.completed.to_rfc3339_micros(),
            "annotations": self.annotations(),
        });
        if let Some(event) = event.as_object_mut() {
            if self.impersonator.is_some() {
                event.insert("impersonatedUser".into(), self.identity.to_user_info());
            }
            if let Some(reference) = self.object_reference() {
                event.insert("objectRef".into(), reference);
            }
        }
        event
    }

    fn annotations(&self) -> Value {
        let mut annotations = match self.allowed {
            Some(reason) => json!({
                "authorization.k8s.io/decision": "allow", "authorization.k8s.io/reason": reason
            }),
            None => json!({ "authorization.k8s.io/decision": "forbid" }),
        };
        if let Some(members) = annotations.as_object_mut() {
            members.extend(self.remarks.iter().map(|(key, value)| (key.clone(), json!(value))));
        }
        annotations
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
