//! Objects by a value that is computed from them, kept change by change.

use std::{borrow::Borrow, collections::BTreeMap, sync::Arc};

use kube::Resource;
use parking_lot::RwLock;

use crate::ObjectKey;

/// The objects of a cache by values of type `V`. Create it, hand it to [`crate::CacheBuilder::index`], and keep it to ask.
pub struct Index<K, V> {
    inner: Arc<Inner<K, V>>,
}

type Values<K, V> = Box<dyn Fn(&K) -> Vec<V> + Send + Sync>;

struct Inner<K, V> {
    values: Values<K, V>,
    /// Ordered by key, which the objects themselves have.
    entries: RwLock<BTreeMap<V, Vec<Arc<K>>>>,
}

impl<K, V> Clone for Index<K, V> {
    fn clone(&self) -> Self {
        Self { inner: self.inner.clone() }
    }
}

/// What a cache keeps up to date.
pub(crate) trait Maintained<K>: Send + Sync {
    /// The object under `key` changed.
    fn update(&self, key: &ObjectKey, old: Option<&K>, new: Option<&Arc<K>>);
}

impl<K, V: Ord + Clone + Send + Sync + 'static> Index<K, V>
where
    K: Resource + Send + Sync + 'static,
{
    /// An index by what `values` gives for an object; it must depend on the object alone.
    pub fn new(values: impl Fn(&K) -> Vec<V> + Send + Sync + 'static) -> Self {
        let inner = Inner { values: Box::new(values), entries: RwLock::new(BTreeMap::new()) };
        Self { inner: Arc::new(inner) }
    }

    /// The objects with this value, ordered by key.
    pub fn get<Q: Ord + ?Sized>(&self, value: &Q) -> Vec<Arc<K>>
    where
        V: Borrow<Q>,
    {
        let entries = self.inner.entries.read();
        entries.get(value).cloned().unwrap_or_default()
    }

    /// Every value that some object has, in order.
    pub fn values(&self) -> Vec<V> {
        self.inner.entries.read().keys().cloned().collect()
    }

    pub(crate) fn maintained(&self) -> Arc<dyn Maintained<K>> {
        self.inner.clone()
    }
}

impl<K: Resource + Send + Sync, V: Ord + Clone + Send + Sync> Maintained<K> for Inner<K, V> {
    fn update(&self, key: &ObjectKey, old: Option<&K>, new: Option<&Arc<K>>) {
        let gone = old.map(|object| (self.values)(object)).unwrap_or_default();
        let come = new.map(|object| (self.values)(object)).unwrap_or_default();
        let mut entries = self.entries.write();
        for value in gone {
            if let Some(objects) = entries.get_mut(&value) {
                if let Ok(place) = place(objects, key) {
                    objects.remove(place);
                }
                if objects.is_empty() {
                    entries.remove(&value);
                }
            }
        }
        let Some(new) = new else { return };
        for value in come {
            let objects = entries.entry(value).or_default();
            // A value that an object gives twice counts once.
            if let Err(place) = place(objects, key) {
                objects.insert(place, new.clone());
            }
        }
    }
}

/// Where the object of this key is, or would be.
fn place<K: Resource>(objects: &[Arc<K>], key: &ObjectKey) -> Result<usize, usize> {
    objects.binary_search_by(|object| {
        let meta = object.meta();
        let namespace = meta.namespace.as_deref().unwrap_or_default();
        let name = meta.name.as_deref().unwrap_or_default();
        (namespace, name).cmp(&(key.namespace.as_str(), key.name.as_str()))
    })
}

#[cfg(test)]
mod tests {
    use k8s_openapi::{api::core::v1::ConfigMap, apimachinery::pkg::apis::meta::v1::ObjectMeta};
    use proptest::prelude::*;

    use super::*;

    /// Its annotations are its values.
    fn object(name: u8, values: &[u8]) -> Arc<ConfigMap> {
        let annotations = values.iter().map(|value| (value.to_string(), String::new()));
        let metadata = ObjectMeta {
            name: Some(name.to_string()),
            annotations: Some(annotations.collect()),
            ..ObjectMeta::default()
        };
        Arc::new(ConfigMap { metadata, ..ConfigMap::default() })
    }

    fn values(object: &ConfigMap) -> Vec<String> {
        object.metadata.annotations.iter().flat_map(|all| all.keys().cloned()).collect()
    }

    proptest! {
        #[test]
        fn shows_after_any_changes_what_a_scan_of_the_objects_shows(
            changes in prop::collection::vec((0u8..4, prop::option::of(prop::collection::vec(0u8..4, 0..3))), 0..40)
        ) {
            let index = Index::new(|object| [values(object), values(object)].concat());
            let maintained = index.maintained();
            let mut objects: BTreeMap<ObjectKey, Arc<ConfigMap>> = BTreeMap::new();
            for (name, new) in changes {
                let key = ObjectKey::cluster(name.to_string());
                let new = new.map(|values| object(name, &values));
                let old = match &new {
                    Some(new) => objects.insert(key.clone(), new.clone()),
                    None => objects.remove(&key),
                };
                maintained.update(&key, old.as_deref(), new.as_ref());
            }
            for value in ["0", "1", "2", "3"] {
                let has_value = |object: &&Arc<ConfigMap>| values(object).iter().any(|it| it == value);
                let scanned: Vec<_> = objects.values().filter(has_value).cloned().collect();
                prop_assert_eq!(index.get(value), scanned);
            }
            let all: std::collections::BTreeSet<String> =
                objects.values().flat_map(|object| values(object)).collect();
            prop_assert_eq!(index.values(), all.into_iter().collect::<Vec<_>>());
        }
    }
}
