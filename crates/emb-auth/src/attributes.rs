//! What a caller wants to do, and the answer.

use std::fmt;

use crate::Identity;

/// What the request is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target<'a> {
    /// Objects of a resource.
    Resource {
        /// API group; empty for the core group.
        group: &'a str,
        /// API version.
        version: &'a str,
        /// Plural resource name.
        resource: &'a str,
        /// Subresource, or empty.
        subresource: &'a str,
        /// Namespace, or empty for cluster scope.
        namespace: &'a str,
        /// Object name, or empty for a collection.
        name: &'a str,
    },
    /// A path that is no resource, for example `/metrics`.
    NonResource {
        /// The path.
        path: &'a str,
    },
}

/// One question to the authorizer.
#[derive(Clone, Copy, Debug)]
pub struct Attributes<'a> {
    /// Who.
    pub identity: &'a Identity,
    /// API verb (`get`, `list`, `promote`…), or the lower-case HTTP method for a non-resource path.
    pub verb: &'a str,
    /// On what.
    pub target: Target<'a>,
}

/// The authorizer's answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Decision {
    /// Yes, and which binding says so; empty for `system:masters`.
    Allowed {
        /// Which binding grants it.
        reason: String,
    },
    /// No rule grants it.
    Denied,
}

impl Decision {
    /// Whether the request may go on.
    pub fn is_allowed(&self) -> bool {
        matches!(self, Self::Allowed { .. })
    }
}

/// The sentence of a 403: `User "u" cannot get resource "stages" in API group "kargo.akuity.io" in the namespace "a"`.
impl fmt::Display for Attributes<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "User {:?} cannot {} ", self.identity.user, self.verb)?;
        match self.target {
            Target::NonResource { path } => write!(f, "path {path:?}"),
            Target::Resource { group, resource, subresource, namespace, .. } => {
                let slash = if subresource.is_empty() { "" } else { "/" };
                write!(f, "resource \"{resource}{slash}{subresource}\" in API group {group:?} ")?;
                if namespace.is_empty() {
                    f.write_str("at the cluster scope")
                } else {
                    write!(f, "in the namespace {namespace:?}")
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_denial_names_verb_resource_group_and_scope() {
        let identity = Identity { user: "u".into(), ..Identity::default() };
        let target = Target::Resource {
            group: "probe.example.com",
            version: "v1",
            resource: "widgets",
            subresource: "status",
            namespace: "probe-a",
            name: "x",
        };
        assert_eq!(
            Attributes { identity: &identity, verb: "patch", target }.to_string(),
            "User \"u\" cannot patch resource \"widgets/status\" in API group \"probe.example.com\" in the namespace \"probe-a\""
        );
        let path = Target::NonResource { path: "/metrics" };
        assert_eq!(
            Attributes { identity: &identity, verb: "get", target: path }.to_string(),
            "User \"u\" cannot get path \"/metrics\""
        );
    }
}
