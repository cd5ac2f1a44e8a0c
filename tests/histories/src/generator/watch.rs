//! Watches: with and without selectors, from the current state or from a list that others have written after.

use serde_json::json;

use super::{Generator, set};
use crate::operation::{Key, Operation, Start, Watch};

impl Generator {
    pub(super) fn watch(&mut self) {
        let kind = self.kind();
        let namespace = self.namespace(kind);
        let start = if self.dice.percent(60) { Start::List } else { Start::InitialEvents };
        if start == Start::List {
            self.list_all(kind, namespace);
            // The events of these are in the past when the watch begins.
            for _ in 0..self.dice.below(3) {
                self.replace();
            }
        }
        let number = self.model.number();
        let mut last = Key { plural: kind.plural, namespace, name: format!("zz-end-{number}") };
        let mut labels = json!({"history": "<history>"});
        let mut query = Vec::new();
        let mut selectors = Vec::new();
        if !kind.namespaced {
            selectors.push("history=<history>");
        }
        match self.dice.below(6) {
            0 => {
                selectors.push("tier=front");
                set(&mut labels, "/tier", "front".into());
            }
            1 => {
                selectors.push("!tier");
            }
            2 if kind.plural == "widgets" => query.push(("fieldSelector", "spec.color=red".into())),
            3 if kind.namespaced => {
                last.name = "x".into();
                query.push(("fieldSelector", "metadata.name=x".into()));
            }
            _ => {}
        }
        if !selectors.is_empty() {
            query.push(("labelSelector", selectors.join(",")));
        }
        let mut last_body = kind.object(&kind.object_name(&last));
        set(&mut last_body, "/metadata/labels", labels);
        set(&mut last_body, "/metadata/annotations", json!({"last": number.to_string()}));
        if kind.plural == "events" {
            let same = format!("<history>-{namespace}");
            set(&mut last_body, "/involvedObject/namespace", same.into());
        }
        let path = if kind.namespaced { kind.collection(namespace) } else { kind.everywhere() };
        self.operations.push(Operation::Watch(Watch { path, query, start, last, last_body }));
    }
}
