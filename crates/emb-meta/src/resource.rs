//! Names of kinds and resources.

use std::{fmt, sync::Arc};

/// Whether objects of a kind live in a namespace.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Scope {
    /// Objects live in a namespace.
    Namespaced,
    /// Objects belong to the whole control plane.
    Cluster,
}

/// A resource without its version: what storage, permissions and error texts are keyed by.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct GroupResource {
    /// The API group; empty for the core group.
    pub group: Arc<str>,
    /// The plural, lower-case name, for example `stages`.
    pub resource: Arc<str>,
}

impl GroupResource {
    /// Names a resource; `group` is empty for the core group.
    pub fn new(group: impl Into<Arc<str>>, resource: impl Into<Arc<str>>) -> Self {
        Self { group: group.into(), resource: resource.into() }
    }
}

impl fmt::Display for GroupResource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        qualified(f, &self.resource, &self.group)
    }
}

/// A kind without its version, as error texts name it: `Widget.probe.example.com`, `ConfigMap`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct GroupKind {
    /// The API group; empty for the core group.
    pub group: Arc<str>,
    /// The kind, for example `Stage`.
    pub kind: Arc<str>,
}

impl GroupKind {
    /// Names a kind; `group` is empty for the core group.
    pub fn new(group: impl Into<Arc<str>>, kind: impl Into<Arc<str>>) -> Self {
        Self { group: group.into(), kind: kind.into() }
    }
}

impl fmt::Display for GroupKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        qualified(f, &self.kind, &self.group)
    }
}

/// A group and version as `apiVersion` writes them: `v1`, `kargo.akuity.io/v1alpha1`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct GroupVersion {
    /// The API group; empty for the core group.
    pub group: Arc<str>,
    /// The version, for example `v1alpha1`.
    pub version: Arc<str>,
}

impl GroupVersion {
    /// Names a group and version; `group` is empty for the core group.
    pub fn new(group: impl Into<Arc<str>>, version: impl Into<Arc<str>>) -> Self {
        Self { group: group.into(), version: version.into() }
    }

    /// Reads an `apiVersion`; `None` when it has more than one slash or an empty part.
    pub fn parse(api_version: &str) -> Option<Self> {
        let (group, version) = api_version.split_once('/').unwrap_or(("", api_version));
        let sound = !version.is_empty()
            && !version.contains('/')
            && (!group.is_empty() || !api_version.contains('/'));
        sound.then(|| Self::new(group, version))
    }
}

impl fmt::Display for GroupVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.group.is_empty() {
            f.write_str(&self.version)
        } else {
            write!(f, "{}/{}", self.group, self.version)
        }
    }
}

/// A kind at a version.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct GroupVersionKind {
    /// The API group; empty for the core group.
    pub group: Arc<str>,
    /// The version, for example `v1alpha1`.
    pub version: Arc<str>,
    /// The kind, for example `Stage`.
    pub kind: Arc<str>,
}

impl GroupVersionKind {
    /// Names a kind at a version; `group` is empty for the core group.
    pub fn new(
        group: impl Into<Arc<str>>,
        version: impl Into<Arc<str>>,
        kind: impl Into<Arc<str>>,
    ) -> Self {
        Self { group: group.into(), version: version.into(), kind: kind.into() }
    }

    /// The group and version alone; prints as `apiVersion`.
    pub fn group_version(&self) -> GroupVersion {
        GroupVersion { group: self.group.clone(), version: self.version.clone() }
    }

    /// The group and kind alone.
    pub fn group_kind(&self) -> GroupKind {
        GroupKind { group: self.group.clone(), kind: self.kind.clone() }
    }
}

fn qualified(f: &mut fmt::Formatter<'_>, name: &str, group: &str) -> fmt::Result {
    if group.is_empty() { f.write_str(name) } else { write!(f, "{name}.{group}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_core_group_leaves_no_suffix() {
        assert_eq!(GroupResource::new("", "configmaps").to_string(), "configmaps");
        assert_eq!(GroupKind::new("kargo.akuity.io", "Stage").to_string(), "Stage.kargo.akuity.io");
    }

    #[test]
    fn api_versions_parse_both_forms_and_refuse_others() {
        assert_eq!(GroupVersion::parse("v1"), Some(GroupVersion::new("", "v1")));
        assert_eq!(GroupVersion::parse("a.b/v1"), Some(GroupVersion::new("a.b", "v1")));
        for bad in ["", "/v1", "a/", "a/b/c"] {
            assert_eq!(GroupVersion::parse(bad), None, "{bad}");
        }
    }
}
