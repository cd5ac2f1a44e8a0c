//! Stages and Warehouses as far as they concern their Project. There are many of them, they are
//! large, and a cache of the whole would cost more than all else here together.

use std::{borrow::Cow, sync::Arc};

use api_kinds::{Stage, Warehouse};
use core_rules::management::statistics::{StageMark, WarehouseMark};
use io_kube::Cache;
use kube::{Resource, api::ObjectMeta};
use serde::{Deserialize, Deserializer, de::DeserializeOwned};

/// A kind of which only a mark is kept.
pub(crate) trait Summarised:
    Resource<DynamicType = ()> + DeserializeOwned + 'static
{
    /// What is kept.
    type Mark: Clone + PartialEq + Send + Sync + 'static;
    /// Takes the mark of an object.
    fn mark(&self) -> Self::Mark;
}

impl Summarised for Stage {
    type Mark = StageMark;
    fn mark(&self) -> StageMark {
        self.into()
    }
}

impl Summarised for Warehouse {
    type Mark = WarehouseMark;
    fn mark(&self) -> WarehouseMark {
        self.into()
    }
}

/// The mark of an object, and what names the object.
pub(crate) struct Summary<K: Summarised> {
    metadata: ObjectMeta,
    pub(crate) mark: K::Mark,
}

impl<K: Summarised> Clone for Summary<K> {
    fn clone(&self) -> Self {
        Self { metadata: self.metadata.clone(), mark: self.mark.clone() }
    }
}

impl<'de, K: Summarised> Deserialize<'de> for Summary<K> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let object = K::deserialize(deserializer)?;
        let whole = object.meta();
        let metadata = ObjectMeta {
            name: whole.name.clone(),
            namespace: whole.namespace.clone(),
            uid: whole.uid.clone(),
            resource_version: whole.resource_version.clone(),
            ..ObjectMeta::default()
        };
        Ok(Self { metadata, mark: object.mark() })
    }
}

impl<K: Summarised> Resource for Summary<K> {
    type DynamicType = ();
    type Scope = K::Scope;

    fn kind((): &()) -> Cow<'_, str> {
        K::kind(&())
    }

    fn group((): &()) -> Cow<'_, str> {
        K::group(&())
    }

    fn version((): &()) -> Cow<'_, str> {
        K::version(&())
    }

    fn plural((): &()) -> Cow<'_, str> {
        K::plural(&())
    }

    fn meta(&self) -> &ObjectMeta {
        &self.metadata
    }

    fn meta_mut(&mut self) -> &mut ObjectMeta {
        &mut self.metadata
    }
}

/// The marks of all objects in a namespace.
pub(crate) fn marks<K: Summarised>(cache: &Cache<Summary<K>>, namespace: &str) -> Vec<K::Mark> {
    let found: Vec<Arc<Summary<K>>> = cache.in_namespace(namespace);
    found.iter().map(|summary| summary.mark.clone()).collect()
}
