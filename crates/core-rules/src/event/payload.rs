//! The facts of an event, as annotations.

use std::collections::BTreeMap;

use api_kinds::{Freight, annotations};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use serde::Serialize;

use crate::admission::metadata::name;

/// Annotations of an event under construction.
#[derive(Default)]
pub(super) struct Payload(pub(super) BTreeMap<String, String>);

impl Payload {
    pub(super) fn put(&mut self, suffix: &str, value: &str) {
        self.0.insert(format!("{}{suffix}", annotations::EVENT_PREFIX), value.to_owned());
    }

    pub(super) fn put_if_any(&mut self, suffix: &str, value: &str) {
        if !value.is_empty() {
            self.put(suffix, value);
        }
    }

    pub(super) fn put_time(&mut self, suffix: &str, time: Option<&Time>) {
        if let Some(time) = time {
            self.put(suffix, &text_of(time));
        }
    }

    pub(super) fn put_list<T: Serialize>(&mut self, suffix: &str, list: &[T]) {
        if let (false, Ok(json)) = (list.is_empty(), serde_json::to_string(list)) {
            self.put(suffix, &json);
        }
    }

    pub(super) fn put_freight(&mut self, freight: &Freight) {
        self.put("freight-name", name(&freight.metadata));
        let created =
            freight.discovered_at.as_ref().or(freight.metadata.creation_timestamp.as_ref());
        self.put_time("freight-create-time", created);
        self.put_if_any("freight-alias", &freight.alias);
        self.put_if_any("freight-warehouse-name", &freight.origin.name);
        self.put_list("freight-commits", &freight.commits);
        self.put_list("freight-images", &freight.images);
        self.put_list("freight-charts", &freight.charts);
        self.put_list("freight-artifacts", &freight.artifacts);
    }
}

/// The time as the wire writes it.
pub(super) fn text_of(time: &Time) -> String {
    let value = serde_json::to_value(time).unwrap_or_default();
    value.as_str().unwrap_or_default().to_owned()
}
