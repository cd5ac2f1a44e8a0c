//! Stages, as tests describe them.

use serde_json::{Value, json};

/// The repository of a Warehouse; nobody ever reaches it.
pub(crate) fn repository(warehouse: &str) -> String {
    format!("registry.invalid/{warehouse}")
}

/// In templates: the version of what is promoted from a Warehouse.
pub(crate) fn version_of(warehouse: &str) -> String {
    format!("${{{{ imageFrom('{}').Tag }}}}", repository(warehouse))
}

/// A Stage to be.
pub(crate) struct Stage {
    pub(crate) name: &'static str,
    pub(crate) spec: Value,
}

impl Stage {
    /// One that asks for nothing and does nothing.
    pub(crate) fn new(name: &'static str) -> Self {
        Self { name, spec: json!({ "requestedFreight": [] }) }
    }

    /// Takes all Freight of a Warehouse.
    pub(crate) fn direct(self, warehouse: &str) -> Self {
        self.from(warehouse, &json!({ "direct": true }))
    }

    /// Takes what Stages before it have verified.
    pub(crate) fn after(self, warehouse: &str, stages: &[&str]) -> Self {
        self.from(warehouse, &json!({ "stages": stages }))
    }

    /// Takes Freight of a Warehouse from these sources.
    pub(crate) fn from(mut self, warehouse: &str, sources: &Value) -> Self {
        let origin = json!({ "kind": "Warehouse", "name": warehouse });
        if let Some(requests) = self.spec["requestedFreight"].as_array_mut() {
            requests.push(json!({ "origin": origin, "sources": sources }));
        }
        self
    }

    /// Does this to promote.
    pub(crate) fn steps(mut self, steps: &Value) -> Self {
        self.spec["promotionTemplate"] = json!({ "spec": { "steps": steps } });
        self
    }

    /// Promotes by a step that does nothing.
    pub(crate) fn trivial(self) -> Self {
        self.steps(&json!([trivial_step()]))
    }

    /// Verifies by asking this address.
    pub(crate) fn verified_at(mut self, url: &str) -> Self {
        self.spec["verification"] = json!({
            "analysisTemplates": [{ "name": "verdict" }],
            "args": [{ "name": "url", "value": url }],
        });
        self
    }

    /// Another field of its spec.
    pub(crate) fn with(mut self, field: &str, value: Value) -> Self {
        self.spec[field] = value;
        self
    }
}

/// A step that does nothing.
pub(crate) fn trivial_step() -> Value {
    json!({ "uses": "compose-output", "as": "deployed", "config": { "done": true } })
}

/// A step that asks an address, for as long as there is no answer.
pub(crate) fn asking_step(url: &str) -> Value {
    json!({ "uses": "http", "as": "ask", "config": { "url": url, "timeout": "2m" } })
}
