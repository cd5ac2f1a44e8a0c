//! The rules of a webhook: which requests it is for.

use emb_meta::ObjectExt;
use serde_json::Value;

use crate::admission::Operation;

/// What a rule looks at.
#[derive(Clone, Copy, Debug)]
pub(super) struct Subject<'a> {
    pub(super) operation: Operation,
    pub(super) group: &'a str,
    pub(super) version: &'a str,
    pub(super) resource: &'a str,
    pub(super) subresource: &'a str,
    /// Whether the object lives in a namespace; a Namespace does not.
    pub(super) namespaced: bool,
}

/// One rule.
#[derive(Clone, Debug)]
pub(super) struct Rule {
    operations: Vec<String>,
    groups: Vec<String>,
    versions: Vec<String>,
    resources: Vec<String>,
    scope: Scope,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Scope {
    All,
    Cluster,
    Namespaced,
}

impl Rule {
    /// Reads a stored rule.
    pub(super) fn read(rule: &Value) -> Self {
        let texts = |member: &str| {
            let list = rule.get(member).and_then(Value::as_array);
            list.into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect()
        };
        Self {
            operations: texts("operations"),
            groups: texts("apiGroups"),
            versions: texts("apiVersions"),
            resources: texts("resources"),
            scope: match rule.text(&["scope"]) {
                "Cluster" => Scope::Cluster,
                "Namespaced" => Scope::Namespaced,
                _ => Scope::All,
            },
        }
    }

    /// Whether the rule is for this request.
    pub(super) fn matches(&self, subject: &Subject<'_>) -> bool {
        self.scope_fits(subject.namespaced)
            && lists(&self.operations, subject.operation.name())
            && lists(&self.groups, subject.group)
            && lists(&self.versions, subject.version)
            && self.resources.iter().any(|text| resource_fits(text, subject))
    }

    fn scope_fits(&self, namespaced: bool) -> bool {
        match self.scope {
            Scope::All => true,
            Scope::Cluster => !namespaced,
            Scope::Namespaced => namespaced,
        }
    }
}

impl Operation {
    /// The name on the wire.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Create => "CREATE",
            Self::Update => "UPDATE",
            Self::Delete => "DELETE",
        }
    }
}

fn lists(list: &[String], wanted: &str) -> bool {
    list.iter().any(|item| fits(item, wanted))
}

fn fits(pattern: &str, wanted: &str) -> bool {
    pattern == "*" || pattern == wanted
}

/// `widgets` means the objects alone, `widgets/*` the objects and everything below them.
fn resource_fits(text: &str, subject: &Subject<'_>) -> bool {
    let (resource, subresource) = text.split_once('/').unwrap_or((text, ""));
    fits(resource, subject.resource) && fits(subresource, subject.subresource)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn matches(changes: Value, subresource: &str, namespaced: bool) -> bool {
        let mut rule = json!({
            "operations": ["CREATE"], "apiGroups": ["g"], "apiVersions": ["v1"], "resources": ["widgets"],
        });
        emb_codec::patch::merge(&mut rule, &changes);
        Rule::read(&rule).matches(&Subject {
            operation: Operation::Create,
            group: "g",
            version: "v1",
            resource: "widgets",
            subresource,
            namespaced,
        })
    }

    #[test]
    fn every_part_of_a_rule_must_fit() {
        assert!(matches(json!({}), "", true));
        for other in [
            json!({"operations": ["UPDATE", "DELETE"]}),
            json!({"apiGroups": [""]}),
            json!({"apiVersions": ["v2"]}),
            json!({"resources": ["gadgets"]}),
            json!({"scope": "Cluster"}),
        ] {
            assert!(!matches(other.clone(), "", true), "{other}");
        }
        let wild = json!({"operations": ["*"], "apiGroups": ["*"], "apiVersions": ["*"], "resources": ["*"]});
        assert!(matches(wild, "", true));
    }

    #[test]
    fn subresources_must_be_named() {
        for (resources, object, status) in [
            ("widgets", true, false),
            ("*", true, false),
            ("widgets/status", false, true),
            ("widgets/*", true, true),
            ("*/status", false, true),
            ("*/*", true, true),
        ] {
            let rule = json!({"resources": [resources]});
            assert_eq!(matches(rule.clone(), "", true), object, "{resources}");
            assert_eq!(matches(rule, "status", true), status, "{resources}");
        }
    }

    #[test]
    fn a_scope_tells_namespaced_objects_from_the_others() {
        for (scope, namespaced, cluster) in
            [("*", true, true), ("Namespaced", true, false), ("Cluster", false, true)]
        {
            assert_eq!(matches(json!({"scope": scope}), "", true), namespaced, "{scope}");
            assert_eq!(matches(json!({"scope": scope}), "", false), cluster, "{scope}");
        }
    }
}
