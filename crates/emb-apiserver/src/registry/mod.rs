//! Which resources are served. Built-in kinds are fixed; custom ones come and go with their definitions, and the set is
//! replaced as a whole inside the commit that changes it, so a kind is served when the create of its definition returns.

mod custom;
mod document;
mod served;

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{Arc, OnceLock},
};

use emb_kinds::Resource;
use parking_lot::RwLock;
use serde_json::Value;

pub(crate) use custom::DEFINITIONS;
pub(crate) use document::Document;
pub(crate) use served::{Served, members_length, metadata_length, write_members, write_metadata};

use custom::Definition;

/// The served set, replaced on change.
pub(crate) struct Registry {
    current: RwLock<Arc<Snapshot>>,
}

/// One state of the served set.
pub(crate) struct Snapshot {
    served: BTreeMap<String, Arc<Served>>,
    definitions: BTreeMap<String, Definition>,
    built_in_groups: BTreeSet<String>,
    /// Documents made of the whole set, by path and form; made once for each state.
    documents: RwLock<BTreeMap<String, Arc<Document>>>,
    resources: OnceLock<Vec<Arc<Resource>>>,
}

impl Registry {
    /// The built-in kinds alone.
    pub(crate) fn new() -> Self {
        let built_in = emb_kinds::builtins().into_iter().map(|r| Arc::new(Served::built_in(r)));
        Self { current: RwLock::new(Arc::new(Snapshot::new(built_in, BTreeMap::new()))) }
    }

    /// The set as it is now.
    pub(crate) fn snapshot(&self) -> Arc<Snapshot> {
        self.current.read().clone()
    }

    /// Takes over a committed definition, or its removal. A definition that is not established serves nothing.
    pub(crate) fn apply_definition(&self, name: &str, definition: Option<(&Value, u64)>) {
        let mut current = self.current.write();
        let mut definitions = current.definitions.clone();
        let before = definitions.remove(name);
        if let Some((object, revision)) = definition {
            definitions.insert(name.to_owned(), Definition::new(object, revision, before.as_ref()));
        }
        let built_in: Vec<Arc<Served>> =
            current.served.values().filter(|served| served.custom.is_none()).cloned().collect();
        *current = Arc::new(Snapshot::new(built_in.into_iter(), definitions));
    }
}

impl Snapshot {
    fn new(
        built_in: impl Iterator<Item = Arc<Served>>,
        definitions: BTreeMap<String, Definition>,
    ) -> Self {
        let mut served = BTreeMap::new();
        let mut built_in_groups = BTreeSet::new();
        for entry in built_in {
            built_in_groups.insert(entry.resource.gvk.group.to_string());
            served.insert(path_key(&entry.resource), entry);
        }
        for entry in definitions.values().flat_map(|definition| &definition.served) {
            served.insert(path_key(&entry.resource), entry.clone());
        }
        Self {
            served,
            definitions,
            built_in_groups,
            documents: RwLock::default(),
            resources: OnceLock::new(),
        }
    }

    /// The resource at a path.
    pub(crate) fn find(&self, group: &str, version: &str, plural: &str) -> Option<&Arc<Served>> {
        self.served.get(&format!("{group}/{version}/{plural}"))
    }

    /// Some served version of a stored resource.
    pub(crate) fn find_stored(&self, group: &str, plural: &str) -> Option<&Arc<Served>> {
        let prefix = format!("{group}/");
        self.served
            .range(prefix.clone()..)
            .take_while(|(key, _)| key.starts_with(&prefix))
            .map(|(_, served)| served)
            .find(|served| &*served.resource.plural == plural && served.resource.is_stored())
    }

    /// The resource that holds objects of a kind.
    pub(crate) fn find_kind(&self, group: &str, kind: &str) -> Option<&Arc<Served>> {
        self.served.values().find(|served| {
            &*served.resource.gvk.group == group && &*served.resource.gvk.kind == kind
        })
    }

    /// The resource that holds objects of a kind at a version.
    pub(crate) fn find_version_kind(&self, api_version: &str, kind: &str) -> Option<&Arc<Served>> {
        self.served.values().find(|served| {
            &*served.resource.gvk.kind == kind
                && served.resource.gvk.group_version().to_string() == api_version
        })
    }

    /// Everything served, ordered by group, version and name.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &Arc<Served>> {
        self.served.values()
    }

    /// Everything served, as descriptors.
    pub(crate) fn resources(&self) -> &[Arc<Resource>] {
        self.resources
            .get_or_init(|| self.served.values().map(|served| served.resource.clone()).collect())
    }

    /// Whether the group is compiled in, which words its errors differently.
    pub(crate) fn is_built_in_group(&self, group: &str) -> bool {
        self.built_in_groups.contains(group)
    }

    /// A document of this state, made by `make` when it is first asked for.
    pub(crate) fn document(
        &self,
        key: &str,
        make: impl FnOnce() -> Option<Document>,
    ) -> Option<Arc<Document>> {
        if let Some(document) = self.documents.read().get(key) {
            return Some(document.clone());
        }
        let document = Arc::new(make()?);
        self.documents.write().insert(key.to_owned(), document.clone());
        Some(document)
    }
}

fn path_key(resource: &Resource) -> String {
    format!("{}/{}/{}", resource.gvk.group, resource.gvk.version, resource.plural)
}
