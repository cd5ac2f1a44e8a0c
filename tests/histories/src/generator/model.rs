//! What probably exists while a history is made.

use std::collections::{BTreeMap, BTreeSet};

use crate::operation::Key;

/// The guess.
#[derive(Default)]
pub(super) struct Model {
    objects: BTreeMap<Key, Guess>,
    touched: BTreeSet<(&'static str, char)>,
    numbers: u32,
}

/// An object that probably exists.
#[derive(Clone, Copy, Default)]
struct Guess {
    finalizers: bool,
    terminating: bool,
}

impl Model {
    /// The objects that are probably there.
    pub(super) fn there(&self) -> Vec<Key> {
        self.objects.keys().cloned().collect()
    }

    /// The objects that wait for their finalizers.
    pub(super) fn terminating(&self) -> Vec<Key> {
        let waiting = self.objects.iter().filter(|(_, guess)| guess.terminating);
        waiting.map(|(key, _)| key.clone()).collect()
    }

    /// The collections that were written to.
    pub(super) fn collections(&self) -> Vec<(&'static str, char)> {
        self.touched.iter().copied().collect()
    }

    /// The objects of a collection.
    pub(super) fn of(&self, plural: &str, namespace: char) -> Vec<Key> {
        let all = self.objects.keys();
        all.filter(|key| key.plural == plural && key.namespace == namespace).cloned().collect()
    }

    /// An object was created or written.
    pub(super) fn written(&mut self, key: &Key, finalizers: Option<bool>) {
        self.touched.insert((key.plural, key.namespace));
        let guess = self.objects.entry(key.clone()).or_default();
        guess.finalizers = finalizers.unwrap_or(guess.finalizers);
        if guess.terminating && !guess.finalizers {
            self.objects.remove(key);
        }
    }

    /// An object was deleted.
    pub(super) fn deleted(&mut self, key: &Key) {
        match self.objects.get_mut(key) {
            Some(guess) if guess.finalizers => guess.terminating = true,
            _ => drop(self.objects.remove(key)),
        }
    }

    /// A number that this history has not used.
    pub(super) fn number(&mut self) -> u32 {
        self.numbers += 1;
        self.numbers
    }
}
