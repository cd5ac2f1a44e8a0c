//! What a client remembers while it plays a history on one server: enough to fill in what a request leaves open.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::operation::{Body, Key, Request};

/// Stands for a uid that nothing has.
const NO_UID: &str = "00000000-0000-4000-8000-000000000000";
/// Stands for the revision of what was never seen: it existed before any object of a history.
const NO_REVISION: &str = "1";

/// The memory of one player.
pub(crate) struct Memory {
    history: String,
    seen: BTreeMap<Key, Seen>,
    /// Generated names by the number of the request.
    generated: BTreeMap<String, String>,
    list_revision: Option<String>,
    continuation: Option<String>,
}

/// An object as it was seen last.
struct Seen {
    object: Value,
    revision: String,
    /// The revision before this one.
    old_revision: String,
    uid: String,
}

impl Memory {
    /// An empty memory; `history` tells the objects of this run apart.
    pub(crate) fn new(history: &str) -> Self {
        Self {
            history: history.to_owned(),
            seen: BTreeMap::new(),
            generated: BTreeMap::new(),
            list_revision: None,
            continuation: None,
        }
    }

    /// Takes note of what a successful reply shows.
    pub(crate) fn note(&mut self, request: &Request, reply: &Value) {
        let metadata = |field: &str| {
            reply.pointer(&format!("/metadata/{field}")).and_then(Value::as_str).map(str::to_owned)
        };
        if reply.get("items").is_some() {
            self.list_revision = metadata("resourceVersion").or(self.list_revision.take());
            self.continuation = metadata("continue").filter(|token| !token.is_empty());
        }
        let (Some(key), Some(uid)) = (&request.target, metadata("uid")) else { return };
        let Some(revision) = metadata("resourceVersion").filter(|_| !request.is_dry()) else {
            return;
        };
        if let (Some(number), Some(name)) = (key.name.strip_prefix("generated-"), metadata("name"))
        {
            self.generated.insert(number.to_owned(), name);
        }
        let old_revision = match self.seen.get(key) {
            Some(seen) if seen.revision == revision => seen.old_revision.clone(),
            Some(seen) => seen.revision.clone(),
            None => revision.clone(),
        };
        self.seen.insert(key.clone(), Seen { object: reply.clone(), revision, old_revision, uid });
    }

    /// The revision of the list that was read last.
    pub(crate) fn list_revision(&self) -> Option<&str> {
        self.list_revision.as_deref()
    }

    /// Fills in every `<…>` of a text; what is unknown gets a value that fits nothing.
    pub(crate) fn resolve(&self, text: &str) -> String {
        let mut resolved = String::with_capacity(text.len());
        let mut rest = text;
        while let Some((before, after)) = rest.split_once('<') {
            resolved.push_str(before);
            if let Some((word, behind)) = after.split_once('>') {
                resolved.push_str(&self.word(word));
                rest = behind;
            } else {
                resolved.push('<');
                rest = after;
            }
        }
        resolved + rest
    }

    fn word(&self, word: &str) -> String {
        let (word, key) = word.split_once(' ').unwrap_or((word, ""));
        let seen = self.seen.iter().find(|(known, _)| known.to_string() == key);
        let seen = seen.map(|(_, seen)| seen);
        let known = match word {
            "history" => Some(self.history.clone()),
            // Without a token a list begins anew.
            "continue" => return self.continuation.clone().unwrap_or_default(),
            "list-revision" => self.list_revision.clone(),
            "generated" => self.generated.get(key).cloned(),
            "uid" => return seen.map_or(NO_UID.to_owned(), |seen| seen.uid.clone()),
            "revision" => seen.map(|seen| seen.revision.clone()),
            "old-revision" => seen.map(|seen| seen.old_revision.clone()),
            _ => None,
        };
        known.unwrap_or_else(|| NO_REVISION.to_owned())
    }

    /// The body of a request as it goes over the wire.
    pub(crate) fn body(&self, body: &Body) -> Option<Value> {
        match body {
            Body::Empty => None,
            Body::Literal(body) => Some(self.resolve_all(body)),
            Body::Edited { object, change } => {
                let mut edited =
                    self.seen.get(object).map_or(Value::Null, |seen| seen.object.clone());
                merge(&mut edited, &self.resolve_all(change));
                Some(edited)
            }
        }
    }

    fn resolve_all(&self, value: &Value) -> Value {
        match value {
            Value::String(text) => self.resolve(text).into(),
            Value::Array(items) => items.iter().map(|item| self.resolve_all(item)).collect(),
            Value::Object(fields) => {
                let resolved = fields
                    .iter()
                    .map(|(name, value)| (self.resolve(name), self.resolve_all(value)));
                Value::Object(resolved.collect())
            }
            other => other.clone(),
        }
    }
}

/// RFC 7386.
pub(crate) fn merge(target: &mut Value, patch: &Value) {
    let Value::Object(fields) = patch else {
        *target = patch.clone();
        return;
    };
    if !target.is_object() {
        *target = Value::Object(serde_json::Map::new());
    }
    let Some(object) = target.as_object_mut() else { return };
    for (name, value) in fields {
        if value.is_null() {
            object.remove(name);
        } else {
            merge(object.entry(name.clone()).or_insert(Value::Null), value);
        }
    }
}

#[cfg(test)]
mod tests {
    use http::Method;
    use serde_json::json;

    use super::*;

    fn key() -> Key {
        Key { plural: "widgets", namespace: 'a', name: "x".into() }
    }

    fn get() -> Request {
        Request {
            method: Method::GET,
            path: String::new(),
            query: Vec::new(),
            content_type: None,
            accept: None,
            body: Body::Empty,
            target: Some(key()),
            settles: false,
        }
    }

    #[test]
    fn what_a_request_leaves_open_is_filled_in_from_replies() {
        let mut memory = Memory::new("h1");
        assert_eq!(memory.resolve("<history>-a <revision widgets/a/x>"), "h1-a 1");
        for revision in ["7", "7", "9"] {
            memory.note(&get(), &json!({"metadata": {"uid": "u", "resourceVersion": revision}}));
        }
        let text = "<revision widgets/a/x> <old-revision widgets/a/x> <uid widgets/a/x>";
        assert_eq!(memory.resolve(text), "9 7 u");
    }

    #[test]
    fn an_edited_object_is_the_one_seen_last() {
        let mut memory = Memory::new("h1");
        let object =
            json!({"metadata": {"uid": "u", "resourceVersion": "7"}, "spec": {"a": 1, "b": 2}});
        memory.note(&get(), &object);
        let body = Body::Edited { object: key(), change: json!({"spec": {"a": null, "c": 3}}) };
        assert_eq!(memory.body(&body).unwrap()["spec"], json!({"b": 2, "c": 3}));
    }

    #[test]
    fn what_was_never_seen_resolves_to_something_that_fits_nothing() {
        let memory = Memory::new("h1");
        assert_eq!(memory.resolve("a < b"), "a < b");
        assert_eq!(memory.resolve("<uid widgets/a/x>"), NO_UID);
    }
}
