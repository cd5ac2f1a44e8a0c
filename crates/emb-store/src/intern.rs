//! One copy of each text that many objects share: namespaces, label keys and values, owner uids.

use std::{collections::BTreeSet, sync::Arc};

use parking_lot::Mutex;

#[derive(Default)]
pub(crate) struct Interner {
    texts: Mutex<BTreeSet<Arc<str>>>,
}

impl Interner {
    /// The shared copy of `text`.
    pub(crate) fn share(&self, text: &str) -> Arc<str> {
        let mut texts = self.texts.lock();
        if let Some(shared) = texts.get(text) {
            return shared.clone();
        }
        let shared: Arc<str> = text.into();
        texts.insert(shared.clone());
        shared
    }

    /// Forgets texts that nobody else holds, so that short-lived values do not add up.
    pub(crate) fn prune(&self) {
        self.texts.lock().retain(|text| Arc::strong_count(text) > 1);
    }
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
        assert!(interner.texts.lock().is_empty());
    }
}
