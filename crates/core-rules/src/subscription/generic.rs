//! Artifacts of other types: somebody else finds and orders them, and is held to what can be stored.

use api_kinds::{
    artifact::ArtifactReference,
    warehouse::{DiscoveryResult, Subscription},
};
use serde_json::Value;

use super::{Rejection, Verdicts, limit::limit_of};

/// What is kept of what the subscriber of one subscription found.
#[derive(Clone, Debug)]
pub struct GenericSelector {
    subscription_name: String,
    limit: usize,
}

impl GenericSelector {
    /// Reads what a subscription of this name allows for.
    pub fn new(subscription: &Subscription, name: &str) -> Self {
        Self { subscription_name: name.to_owned(), limit: limit_of(subscription.discovery_limit) }
    }

    /// Keeps the first of the versions, the best first, that can be stored and become Freight.
    pub fn select(
        &self,
        found: impl IntoIterator<Item = ArtifactReference>,
        mut verdicts: Verdicts,
    ) -> (DiscoveryResult, Verdicts) {
        let mut kept = Vec::new();
        for reference in found {
            let rejection = problem(&reference)
                .map(|problem| Rejection::Unreadable { problem: problem.to_owned() });
            let limit = self.limit;
            let rejection = rejection
                .or_else(|| (kept.len() >= limit).then_some(Rejection::BeyondLimit { limit }));
            if let Some(rejection) = rejection {
                verdicts.reject(&reference.version, rejection);
            } else {
                verdicts.select(&reference.version);
                let subscription_name = self.subscription_name.clone();
                kept.push(ArtifactReference { subscription_name, ..reference });
            }
        }
        let name = self.subscription_name.clone();
        (DiscoveryResult { artifact_references: kept, name }, verdicts)
    }
}

fn problem(reference: &ArtifactReference) -> Option<&'static str> {
    if reference.version.is_empty() {
        return Some("has no version");
    }
    let is_object = reference.metadata.as_ref().is_none_or(Value::is_object);
    (!is_object).then_some("its metadata is no object")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_cannot_be_stored_is_left_out_and_the_limit_holds() {
        let subscription = Subscription { discovery_limit: 2, ..Subscription::default() };
        let reference = |version: &str, metadata: Value| ArtifactReference {
            artifact_type: "s3".into(),
            metadata: Some(metadata),
            subscription_name: "whatever".into(),
            version: version.into(),
        };
        let found = [
            reference("v4", json!([])),
            reference("v3", json!({"b": 1, "a": 2})),
            reference("", json!({})),
            reference("v2", json!({})),
            reference("v1", json!({})),
        ];
        let selector = GenericSelector::new(&subscription, "bucket");
        let (result, verdicts) = selector.select(found, Verdicts::up_to(9));
        assert_eq!(result.name, "bucket");
        let kept: Vec<_> = result
            .artifact_references
            .iter()
            .map(|kept| (kept.version.as_str(), kept.subscription_name.as_str()))
            .collect();
        assert_eq!(kept, [("v3", "bucket"), ("v2", "bucket")]);
        let texts: Vec<_> = verdicts
            .entries()
            .iter()
            .map(|(version, verdict)| format!("{version}: {verdict}"))
            .collect();
        assert_eq!(
            texts,
            [
                "v4: cannot be read: its metadata is no object",
                "v3: selected",
                ": cannot be read: has no version",
                "v2: selected",
                "v1: beyond the limit of 2",
            ]
        );
    }
}
