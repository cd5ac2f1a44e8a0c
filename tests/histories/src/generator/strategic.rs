//! Strategic merge patches: maps and lists that are merged by key, and the directives in them.

use serde_json::{Value, json};

use super::{Generator, change::Change};
use crate::{kinds::Kind, operation::Key};

const STRATEGIC: &str = "application/strategic-merge-patch+json";

impl Generator {
    /// A strategic merge patch; kinds of CRDs refuse it, which needs no many tries.
    pub(super) fn strategic_patch(&mut self) {
        let (kind, key) = self.patch_target();
        if kind.custom && !self.dice.percent(15) {
            return self.json_patch();
        }
        let change = match self.dice.below(5) {
            0 | 1 => self.change(kind, ""),
            _ => self.directive(kind, &key),
        };
        self.push_patch(STRATEGIC, &key, kind.item(&key), &change);
    }

    fn directive(&self, kind: &Kind, key: &Key) -> Change {
        let mut choices = metadata_directives(key);
        choices.extend(match kind.plural {
            "configmaps" | "secrets" => data_directives(),
            "serviceaccounts" => account_directives(),
            "roles" => vec![json!({"rules": [{"$patch": "delete"}]})],
            "rolebindings" => vec![
                json!({"subjects": [{"kind": "Group", "name": "more"}]}),
                json!({"roleRef": {"$retainKeys": ["name"], "name": "x"}}),
            ],
            "leases" => vec![
                json!({"spec": {"$patch": "replace", "holderIdentity": "three"}}),
                json!({"spec": {"$patch": "delete"}}),
            ],
            _ => vec![json!({"source": {"$patch": "delete"}})],
        });
        let value = self.dice.pick(&choices).unwrap_or_default();
        Change { value, finalizers: None, bad: false }
    }
}

fn metadata_directives(key: &Key) -> Vec<Value> {
    vec![
        json!({"metadata": {"labels": {"$patch": "replace", "tier": "back"}}}),
        json!({"metadata": {"labels": {"$patch": "delete"}}}),
        json!({"metadata": {"labels": {"$patch": "merge", "tier": "front"}}}),
        json!({"metadata": {"finalizers": ["example.com/wait"]}}),
        json!({"metadata": {"finalizers": null}}),
        json!({"metadata": {"$deleteFromPrimitiveList/finalizers": ["example.com/hold"]}}),
        json!({"metadata": {"$setElementOrder/finalizers": ["example.com/wait", "example.com/hold"],
            "finalizers": ["example.com/wait"]}}),
        json!({"metadata": {"resourceVersion": format!("<old-revision {key}>"), "labels": {"app": "two"}}}),
        json!({"metadata": {"labels": {"$patch": "explode"}}}),
        json!({"$patch": "replace", "metadata": {"name": key.name}}),
    ]
}

fn data_directives() -> Vec<Value> {
    vec![
        json!({"data": {"$patch": "replace", "four": "NA=="}}),
        json!({"data": {"$patch": "delete"}}),
        json!({"data": {"one": null, "five": "NQ=="}}),
        json!({"data": {"$patch": 5}}),
        json!({"data": null}),
    ]
}

fn account_directives() -> Vec<Value> {
    vec![
        json!({"secrets": [{"name": "three"}]}),
        json!({"secrets": [{"name": "one", "$patch": "delete"}]}),
        json!({"secrets": [{"$patch": "replace"}, {"name": "four"}]}),
        json!({"$setElementOrder/secrets": [{"name": "two"}, {"name": "one"}], "secrets": [{"name": "two"}]}),
        json!({"imagePullSecrets": [{"name": "only"}]}),
    ]
}
