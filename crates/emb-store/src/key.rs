//! How objects are named and ordered in the store.

use std::{cmp::Ordering, fmt, iter, sync::Arc};

use emb_meta::GroupResource;

/// The name of one object. The namespace is empty for cluster-scoped kinds.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Key {
    /// What kind of object.
    pub resource: GroupResource,
    /// Where it lives; empty when cluster-scoped.
    pub namespace: Arc<str>,
    /// Its name.
    pub name: Arc<str>,
}

impl Key {
    /// Names an object; `namespace` is empty for cluster-scoped kinds.
    pub fn new(
        resource: &GroupResource,
        namespace: impl Into<Arc<str>>,
        name: impl Into<Arc<str>>,
    ) -> Self {
        Self { resource: resource.clone(), namespace: namespace.into(), name: name.into() }
    }

    pub(crate) fn place(&self) -> Place {
        Place { namespace: self.namespace.clone(), name: self.name.clone() }
    }
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ", self.resource)?;
        if !self.namespace.is_empty() {
            write!(f, "{}/", self.namespace)?;
        }
        f.write_str(&self.name)
    }
}

/// Where an object stands among those of its resource: in the byte order of `namespace/name`, which is how clients of
/// kube-apiserver know lists (`a-b/x` comes before `a/x`).
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    pub(crate) namespace: Arc<str>,
    pub(crate) name: Arc<str>,
}

impl Place {
    pub(crate) fn new(namespace: &str, name: &str) -> Self {
        Self { namespace: namespace.into(), name: name.into() }
    }
}

impl Ord for Place {
    fn cmp(&self, other: &Self) -> Ordering {
        if self.namespace == other.namespace {
            return self.name.cmp(&other.name);
        }
        let slash = iter::once(b'/');
        let mine = self.namespace.bytes().chain(slash.clone());
        mine.cmp(other.namespace.bytes().chain(slash))
    }
}

impl PartialOrd for Place {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_in_byte_order_of_namespace_slash_name() {
        let mut places = ["a/x", "p15/a", "a-b/x", "p1/z", "p2/a", "a/b"].map(|path| {
            let (namespace, name) = path.split_once('/').unwrap();
            Place::new(namespace, name)
        });
        places.sort();
        let paths = places.map(|place| format!("{}/{}", place.namespace, place.name));
        assert_eq!(paths, ["a-b/x", "a/b", "a/x", "p1/z", "p15/a", "p2/a"]);
    }

    #[test]
    fn a_key_is_shown_with_its_namespace_if_it_has_one() {
        let stages = GroupResource::new("kargo.akuity.io", "stages");
        assert_eq!(Key::new(&stages, "p", "a").to_string(), "stages.kargo.akuity.io p/a");
        assert_eq!(Key::new(&stages, "", "a").to_string(), "stages.kargo.akuity.io a");
    }
}
