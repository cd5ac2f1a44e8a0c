//! All objects of a kind, and what they are found by.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use super::{
    Change, Expired, Object, Snapshot,
    shelf::{Cursor, Shelf},
};

/// Objects by namespace and name.
pub(super) struct State {
    shelves: BTreeMap<String, Shelf>,
    /// Namespaces and names by tag.
    tags: BTreeMap<String, BTreeSet<(String, String)>>,
    version: u64,
    /// The version of the last list: before it nothing is known.
    listed: u64,
    is_logged: bool,
}

impl State {
    pub(super) fn new(is_logged: bool) -> Self {
        Self { shelves: BTreeMap::new(), tags: BTreeMap::new(), version: 0, listed: 0, is_logged }
    }

    /// Everything up to this is here.
    pub(super) fn version(&self) -> u64 {
        self.version
    }

    pub(super) fn get(&self, namespace: &str, name: &str) -> Option<Arc<Object>> {
        self.shelves.get(namespace)?.objects.get(name).cloned()
    }

    pub(super) fn list(&self, namespace: &str) -> Snapshot {
        let objects = self.shelves.get(namespace).map(|shelf| shelf.objects.values().cloned());
        Snapshot { version: self.version, objects: objects.into_iter().flatten().collect() }
    }

    pub(super) fn list_all(&self) -> Snapshot {
        let objects = self.shelves.values().flat_map(|shelf| shelf.objects.values().cloned());
        Snapshot { version: self.version, objects: objects.collect() }
    }

    pub(super) fn tagged(&self, tag: &str, namespace: Option<&str>) -> Vec<Arc<Object>> {
        let keys = self.tags.get(tag).into_iter().flatten();
        keys.filter(|(of, _)| namespace.is_none_or(|namespace| namespace == of))
            .filter_map(|(namespace, name)| self.get(namespace, name))
            .collect()
    }

    /// The shelf of a namespace, which need not have objects.
    pub(super) fn shelf(&mut self, namespace: &str) -> &mut Shelf {
        let listed = self.listed;
        self.shelves.entry(namespace.to_owned()).or_insert_with(|| Shelf::new(namespace, listed))
    }

    pub(super) fn changes(&self, cursor: &mut Cursor) -> Result<Vec<Arc<Change>>, Expired> {
        let shelf = self.shelves.get(&cursor.namespace).ok_or(Expired)?;
        let changes = shelf.log.from(cursor.sequence)?;
        cursor.sequence = shelf.log.next();
        Ok(changes)
    }

    /// Nothing happened up to `version`.
    pub(super) fn advance(&mut self, version: u64) {
        self.version = self.version.max(version);
    }

    /// One object changed or went.
    pub(super) fn apply(&mut self, object: Object, is_deleted: bool) {
        let version = object.version;
        self.change(Arc::new(object), is_deleted, version, true);
        self.advance(version);
    }

    /// All objects at `version`. Who follows is told of what differs; who comes back with an older
    /// version must list, because what happened in between is not known.
    pub(super) fn replace(&mut self, objects: Vec<Object>, version: u64) {
        let mut gone: BTreeMap<(String, String), Arc<Object>> = self.all().collect();
        for object in objects {
            let key = (object.namespace.clone(), object.name.clone());
            let is_known = gone.remove(&key).is_some_and(|known| known.version == object.version);
            if !is_known {
                self.change(Arc::new(object), false, version, false);
            }
        }
        for object in gone.into_values() {
            self.change(object, true, version, false);
        }
        self.version = self.version.max(version);
        self.listed = self.version;
        for shelf in self.shelves.values_mut() {
            shelf.log.raise(version);
        }
    }

    fn all(&self) -> impl Iterator<Item = ((String, String), Arc<Object>)> {
        self.shelves
            .values()
            .flat_map(|shelf| shelf.objects.values())
            .map(|object| ((object.namespace.clone(), object.name.clone()), object.clone()))
    }

    fn change(&mut self, new: Arc<Object>, is_deleted: bool, version: u64, is_complete: bool) {
        let is_logged = self.is_logged;
        let shelf = self.shelf(&new.namespace);
        let old = if is_deleted {
            shelf.objects.remove(&new.name)
        } else {
            shelf.objects.insert(new.name.clone(), new.clone())
        };
        if is_logged {
            let (old, new) = (old.clone(), new.clone());
            shelf.push(Change { sequence: 0, version, old, new, is_deleted, is_complete });
        }
        if let Some(old) = old {
            self.untag(&old);
        }
        if !is_deleted {
            self.tag(&new);
        }
    }

    fn tag(&mut self, object: &Object) {
        for tag in &object.tags {
            let key = (object.namespace.clone(), object.name.clone());
            self.tags.entry(tag.clone()).or_default().insert(key);
        }
    }

    fn untag(&mut self, object: &Object) {
        let key = (object.namespace.clone(), object.name.clone());
        for tag in &object.tags {
            if let Some(keys) = self.tags.get_mut(tag) {
                keys.remove(&key);
                if keys.is_empty() {
                    self.tags.remove(tag);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{json, value::to_raw_value};

    use super::{super::kinds, *};

    fn promotion(name: &str, stage: &str, version: u64) -> Object {
        let object = json!({"kind": "Promotion", "spec": {"stage": stage}, "metadata": {
            "namespace": "p", "name": name, "resourceVersion": version.to_string()}});
        Object::read(&kinds::PROMOTION, &to_raw_value(&object).unwrap()).unwrap()
    }

    fn names(objects: &[Arc<Object>]) -> Vec<&str> {
        objects.iter().map(|object| object.name.as_str()).collect()
    }

    fn told(state: &State, cursor: &mut Cursor) -> Vec<(String, bool)> {
        let changes = state.changes(cursor).unwrap();
        changes.iter().map(|change| (change.new.name.clone(), change.is_deleted)).collect()
    }

    #[test]
    fn objects_are_found_by_name_and_by_tag_until_they_change_or_go() {
        let mut state = State::new(true);
        state.replace(vec![promotion("b", "qa", 2), promotion("a", "qa", 1)], 2);
        assert_eq!(names(&state.list("p").objects), ["a", "b"]);
        assert_eq!(names(&state.tagged("qa", Some("p"))), ["a", "b"]);
        assert!(state.tagged("qa", Some("q")).is_empty());
        state.apply(promotion("a", "prod", 3), false);
        state.apply(promotion("b", "qa", 4), true);
        assert_eq!(names(&state.tagged("prod", None)), ["a"]);
        assert!(state.tagged("qa", None).is_empty());
        assert_eq!(state.list("p").version, 4);
        assert!(state.get("p", "b").is_none());
    }

    #[test]
    fn who_follows_is_told_of_everything_once() {
        let mut state = State::new(true);
        state.replace(vec![promotion("a", "qa", 1)], 1);
        let mut cursor = state.shelf("p").cursor();
        assert!(told(&state, &mut cursor).is_empty());
        state.apply(promotion("a", "qa", 2), false);
        state.apply(promotion("b", "qa", 3), false);
        let both = [("a".to_owned(), false), ("b".to_owned(), false)];
        assert_eq!(told(&state, &mut cursor), both);
        assert!(told(&state, &mut cursor).is_empty());
        // A list after a gap: what went is told as well.
        state.replace(vec![promotion("b", "qa", 3)], 9);
        assert_eq!(told(&state, &mut cursor), [("a".to_owned(), true)]);
    }

    #[test]
    fn one_goes_on_after_a_version_that_is_still_known_and_after_no_other() {
        let mut state = State::new(true);
        state.replace(vec![promotion("a", "qa", 5)], 5);
        state.apply(promotion("a", "qa", 6), false);
        state.apply(promotion("a", "qa", 7), false);
        let mut cursor = state.shelf("p").cursor_after(6).unwrap();
        assert_eq!(told(&state, &mut cursor).len(), 1);
        assert!(state.shelf("p").cursor_after(5).is_ok());
        assert!(state.shelf("p").cursor_after(4).is_err());
        assert!(state.shelf("empty").cursor_after(4).is_err());
        for version in 8..1_100 {
            state.apply(promotion("a", "qa", version), false);
        }
        assert!(state.shelf("p").cursor_after(6).is_err());
        assert_eq!(state.changes(&mut cursor).err(), Some(Expired));
        state.replace(vec![], 2_000);
        assert!(state.shelf("p").cursor_after(1_500).is_err());
        assert!(state.shelf("p").cursor_after(2_000).is_ok());
    }
}
