//! Everybody who is asked about a write, in order.

use std::sync::Arc;

use serde_json::Value;

use super::{
    Admission, Operation, Request, Verdict,
    webhook::{self, Hooks},
};

/// The plugins of the embedding program in the order given at start, then the webhooks.
pub(crate) struct Chain {
    plugins: Vec<Arc<dyn Admission>>,
    pub(crate) hooks: Hooks,
}

impl Chain {
    pub(crate) fn new(plugins: Vec<Arc<dyn Admission>>, hooks: Hooks) -> Self {
        Self { plugins, hooks }
    }

    /// Whether nobody has a say; a write then skips the copies that admission needs.
    pub(crate) fn is_empty(&self) -> bool {
        self.plugins.is_empty() && !self.hooks.are_known()
    }

    /// Lets everybody change the object, one after the other.
    pub(crate) async fn mutate(&self, request: &Request, object: &mut Value) -> Verdict {
        let mut warnings = Vec::new();
        for plugin in &self.plugins {
            warnings.extend(plugin.mutate(request, object).await?);
        }
        if self.hooks.are_known() {
            webhook::mutate(&self.hooks, request, object).await?;
        }
        Ok(warnings)
    }

    /// Asks everybody; the first refusal counts.
    pub(crate) async fn validate(&self, request: &Request, object: Option<&Value>) -> Verdict {
        if request.operation == Operation::Delete && self.hooks.are_known() {
            webhook::announce_delete(&self.hooks, request).await?;
        }
        let mut warnings = Vec::new();
        for plugin in &self.plugins {
            warnings.extend(plugin.validate(request, object).await?);
        }
        if self.hooks.are_known() {
            webhook::validate(&self.hooks, request, object).await?;
        }
        Ok(warnings)
    }
}
