//! What somebody may want to do, in the words of an access review.

use api_kinds::GROUP;

/// The verb that promotion to a Stage takes, beside the usual ones.
pub const PROMOTE: &str = "promote";

/// One thing to do with one resource. An empty field means all, as in a rule.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Attributes {
    /// For example `get` or `promote`.
    pub verb: String,
    /// The API group; empty for the core group.
    pub group: String,
    /// The plural of the kind.
    pub resource: String,
    /// For example `status`.
    pub subresource: String,
    /// Empty for all namespaces, and for kinds without.
    pub namespace: String,
    /// Empty for all names.
    pub name: String,
}

impl Attributes {
    /// Promotion to a Stage.
    pub fn promote(namespace: &str, stage: &str) -> Self {
        Self {
            verb: PROMOTE.to_owned(),
            group: GROUP.to_owned(),
            resource: "stages".to_owned(),
            namespace: namespace.to_owned(),
            name: stage.to_owned(),
            ..Self::default()
        }
    }
}

/// The resource of a kind, by the rule that everybody follows who does not ask the server.
pub fn plural(kind: &str) -> String {
    let kind = kind.to_lowercase();
    match kind.strip_suffix('y') {
        _ if kind.ends_with('s') => format!("{kind}es"),
        Some(stem) => format!("{stem}ies"),
        None => format!("{kind}s"),
    }
}

#[cfg(test)]
mod tests {
    use super::plural;

    #[test]
    fn kinds_are_pluralized_by_their_last_letter() {
        for (kind, resource) in [
            ("Freight", "freights"),
            ("NetworkPolicy", "networkpolicies"),
            ("Ingress", "ingresses"),
            ("ClusterConfig", "clusterconfigs"),
        ] {
            assert_eq!(plural(kind), resource);
        }
    }
}
