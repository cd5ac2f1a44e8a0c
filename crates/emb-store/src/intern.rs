//! One copy of each text that many objects share: namespaces, label keys and values, owner uids, managed fields.

use std::{collections::BTreeSet, sync::Arc};

use parking_lot::Mutex;

/// Texts are looked through for unused ones when they have grown by this many bytes, or to the double.
const GROWTH: usize = 4 * 1024 * 1024;
/// What a text costs beside its bytes.
const OVERHEAD: usize = 48;

#[derive(Default)]
pub(crate) struct Interner {
    texts: Mutex<Texts>,
}

#[derive(Default)]
struct Texts {
    shared: BTreeSet<Arc<str>>,
    /// Bytes that were in use when the texts were last looked through, and what came since.
    used: usize,
    added: usize,
}

impl Interner {
    /// The shared copy of `text`.
    pub(crate) fn share(&self, text: &str) -> Arc<str> {
        let mut texts = self.texts.lock();
        let known = texts.shared.get(text).cloned();
        known.unwrap_or_else(|| texts.add(text.into()))
    }

    /// Forgets texts that nobody else holds, so that short-lived values do not add up.
    pub(crate) fn prune(&self) {
        self.texts.lock().prune();
    }
}

impl Texts {
    fn add(&mut self, text: Arc<str>) -> Arc<str> {
        // Between two compactions busy writers may bring far more than is ever in use at once.
        if self.added > self.used.max(GROWTH) {
            self.prune();
        }
        self.added += cost(&text);
        self.shared.insert(text.clone());
        text
    }

    fn prune(&mut self) {
        self.shared.retain(|text| Arc::strong_count(text) > 1);
        self.used = self.shared.iter().map(cost).sum();
        self.added = 0;
    }
}

fn cost(text: &Arc<str>) -> usize {
    text.len() + OVERHEAD
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_texts_share_one_copy_until_nobody_uses_it() {
        let interner = Interner::default();
        let first = interner.share("a");
        assert!(Arc::ptr_eq(&first, &interner.share("a")));
        interner.prune();
        assert!(Arc::ptr_eq(&first, &interner.share("a")));
        drop(first);
        interner.prune();
        assert!(interner.texts.lock().shared.is_empty());
    }

    #[test]
    fn texts_that_come_and_go_do_not_add_up() {
        let interner = Interner::default();
        let kept = interner.share("kept");
        for number in 0..40 {
            interner.share(&format!("{number}{}", "x".repeat(1_000_000)));
        }
        let texts = interner.texts.lock();
        assert!(texts.shared.len() < 12, "{} are there", texts.shared.len());
        assert!(texts.shared.contains(&kept));
    }
}
