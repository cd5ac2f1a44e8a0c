//! Answers that count for a moment.

use std::{collections::HashMap, hash::Hash, time::Duration};

use parking_lot::Mutex;

/// Values that are forgotten when their time is over, and all at once when there are too many or
/// something says that they may be wrong.
pub(crate) struct Expiring<K, V> {
    most: usize,
    entries: Mutex<HashMap<K, (V, Duration)>>,
}

impl<K: Eq + Hash, V: Clone> Expiring<K, V> {
    /// At most `most` values.
    pub(crate) fn new(most: usize) -> Self {
        Self { most, entries: Mutex::default() }
    }

    /// The value, if its time is not over `now`.
    pub(crate) fn get(&self, key: &K, now: Duration) -> Option<V> {
        let entries = self.entries.lock();
        entries.get(key).filter(|(_, until)| now < *until).map(|(value, _)| value.clone())
    }

    /// Keeps a value until then.
    pub(crate) fn put(&self, key: K, value: V, until: Duration) {
        let mut entries = self.entries.lock();
        if entries.len() >= self.most {
            entries.clear();
        }
        entries.insert(key, (value, until));
    }

    /// Forgets everything.
    pub(crate) fn clear(&self) {
        self.entries.lock().clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_end_with_their_time_and_do_not_pile_up() {
        let at = Duration::from_secs;
        let kept = Expiring::new(2);
        kept.put("a", 1, at(10));
        assert_eq!((kept.get(&"a", at(9)), kept.get(&"a", at(10))), (Some(1), None));
        kept.put("b", 2, at(10));
        kept.put("c", 3, at(10));
        assert_eq!((kept.get(&"a", at(0)), kept.get(&"c", at(0))), (None, Some(3)));
        kept.clear();
        assert_eq!(kept.get(&"c", at(0)), None);
    }
}
