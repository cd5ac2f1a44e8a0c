//! Makes a history from a seed: operations that meet objects, conflicts and finalizers more often than chance would.
//!
//! A model of the world guides the choice of targets. It need not be right: what an operation does is for the servers to
//! say. Nothing here depends on a reply, so a seed always means the same history and steps can be left out of it.

mod change;
mod delete;
mod metadata;
mod model;
mod patch;
mod read;
mod strategic;
mod watch;
mod write;

use http::Method;
use serde_json::Value;

use crate::{
    dice::Dice,
    kinds::{KINDS, Kind},
    operation::{Body, Key, Operation, Request},
};

use model::Model;

/// A history, ready to be played.
pub(crate) struct History {
    pub(crate) kinds: Vec<&'static Kind>,
    /// The namespaces it needs, by letter.
    pub(crate) namespaces: Vec<char>,
    pub(crate) operations: Vec<Operation>,
    /// Whether objects own each other, so that the garbage collector is at work.
    pub(crate) owners: bool,
    pub(crate) taste: Taste,
}

/// What a run wants histories to have.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Taste {
    /// One history in so many restarts the embedded server; 0 for none.
    pub(crate) restart_one_in: u64,
    /// Whether server-side apply and the managers of fields are a part of them.
    pub(crate) apply: bool,
}

/// The history of a seed.
pub(crate) fn history(seed: u64, taste: Taste) -> History {
    let mut generator = Generator::new(seed, taste);
    let length = 12 + generator.dice.below(24);
    let restarts = taste.restart_one_in > 0 && seed.is_multiple_of(taste.restart_one_in);
    let restart_at = restarts.then(|| generator.dice.below(length));
    for _ in 0..3 {
        generator.create();
    }
    while generator.operations.len() < length {
        if restart_at.is_some_and(|position| generator.operations.len() >= position)
            && !generator.restarted
        {
            generator.restarted = true;
            generator.operations.push(Operation::Restart);
        }
        generator.step();
    }
    generator.finish();
    History {
        kinds: generator.kinds,
        namespaces: generator.namespaces,
        operations: generator.operations,
        owners: generator.owners,
        taste,
    }
}

/// One way to add operations.
type Make = fn(&mut Generator);

/// What happens in a history, and how often.
const STEPS: [(usize, Make); 14] = [
    (15, Generator::create),
    (3, Generator::create_with_random_name),
    (16, Generator::replace),
    (12, Generator::merge_patch),
    (8, Generator::json_patch),
    (7, Generator::strategic_patch),
    (14, Generator::apply),
    (9, Generator::write_status),
    (9, Generator::delete),
    (2, Generator::delete_collection),
    (8, Generator::get),
    (8, Generator::list),
    (3, Generator::page),
    (3, Generator::watch),
];

struct Generator {
    dice: Dice,
    kinds: Vec<&'static Kind>,
    namespaces: Vec<char>,
    /// Whether objects own each other, so that the garbage collector is at work.
    owners: bool,
    apply: bool,
    restarted: bool,
    model: Model,
    operations: Vec<Operation>,
}

impl Generator {
    fn new(seed: u64, taste: Taste) -> Self {
        let dice = Dice::new(seed);
        let mut kinds: Vec<&'static Kind> = Vec::new();
        // Few kinds and few names, so that operations meet.
        for _ in 0..=dice.below(3) {
            if let Some(kind) = dice.weighted(&KINDS)
                && !kinds.iter().any(|known| known.plural == kind.plural)
            {
                kinds.push(kind);
            }
        }
        let namespaces = if dice.percent(20) { vec!['a', 'b'] } else { vec!['a'] };
        let owners = dice.percent(12);
        let model = Model::default();
        Self {
            dice,
            kinds,
            namespaces,
            owners,
            apply: taste.apply,
            restarted: false,
            model,
            operations: Vec::new(),
        }
    }

    fn step(&mut self) {
        if let Some(make) = self.dice.weighted(&STEPS) {
            make(self);
        }
    }

    /// Reads and empties every collection that the history has used.
    fn finish(&mut self) {
        for (plural, namespace) in self.model.collections() {
            let Some(kind) = self.kinds.iter().copied().find(|kind| kind.plural == plural) else {
                continue;
            };
            self.list_all(kind, namespace);
            self.empty(kind, namespace);
        }
    }

    fn kind(&self) -> &'static Kind {
        self.dice.pick(&self.kinds).unwrap_or(KINDS[0].1)
    }

    fn namespace(&self, kind: &Kind) -> char {
        if kind.namespaced { self.dice.pick(&self.namespaces).unwrap_or('a') } else { '-' }
    }

    /// Any object, there or not.
    fn any_target(&self) -> (&'static Kind, Key) {
        let kind = self.kind();
        let name = self.dice.pick(&["x", "y", "z"]).unwrap_or("x");
        (kind, Key { plural: kind.plural, namespace: self.namespace(kind), name: name.into() })
    }

    /// An object that is there, mostly.
    fn target(&self) -> (&'static Kind, Key) {
        let there = self.model.there();
        match self.dice.pick(&there) {
            Some(key) if !self.dice.percent(10) => (self.kind_of(&key), key),
            _ => self.any_target(),
        }
    }

    fn kind_of(&self, key: &Key) -> &'static Kind {
        self.kinds.iter().copied().find(|kind| kind.plural == key.plural).unwrap_or(KINDS[0].1)
    }

    /// Adds a request; writes settle when the garbage collector may have to follow.
    fn push(&mut self, mut request: Request) {
        request.settles |= self.owners && request.method != Method::GET;
        self.operations.push(Operation::Request(request));
    }
}

/// A request without options.
fn request(method: Method, path: String, body: Body, target: Option<&Key>) -> Request {
    Request {
        method,
        path,
        query: Vec::new(),
        content_type: None,
        accept: None,
        body,
        target: target.cloned(),
        settles: false,
    }
}

/// Sets the value at a JSON pointer, with the objects on the way to it.
fn set(object: &mut Value, pointer: &str, value: Value) {
    let mut place = object;
    for step in pointer.split('/').skip(1) {
        if !place.is_object() {
            *place = Value::Object(serde_json::Map::new());
        }
        let Some(fields) = place.as_object_mut() else { return };
        place = fields.entry(step.replace("~1", "/")).or_insert(Value::Null);
    }
    *place = value;
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn shown(seed: u64) -> Vec<String> {
        let taste = Taste { restart_one_in: 2, apply: true };
        history(seed, taste).operations.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn a_seed_always_makes_the_same_history_and_another_seed_another() {
        for seed in 0..200 {
            assert_eq!(shown(seed), shown(seed));
            assert_ne!(shown(seed), shown(seed + 1));
        }
    }

    #[test]
    fn restarts_come_where_they_are_wanted() {
        let restarts = |seed| shown(seed).iter().filter(|step| step.starts_with("RESTART")).count();
        assert_eq!((restarts(4), restarts(5)), (1, 0));
    }

    #[test]
    fn pointers_are_set_through_missing_objects_and_escapes() {
        let mut object = json!({"metadata": {"name": "x"}});
        set(&mut object, "/metadata/labels/a~1b", json!("c"));
        assert_eq!(object, json!({"metadata": {"name": "x", "labels": {"a/b": "c"}}}));
    }
}
