//! Answers that hold for a moment.

use std::{collections::BTreeMap, sync::Arc, time::Duration};

use core_clock::Clock;
use parking_lot::Mutex;

/// How many answers are kept; all of them go when there are more.
const MAX_ENTRIES: usize = 4_096;

/// Answers by question, each for the same short time. Only what allows something belongs here: what
/// refuses must be looked up.
pub(crate) struct Memo<K, V> {
    clock: Arc<dyn Clock>,
    life: Duration,
    entries: Mutex<BTreeMap<K, (Duration, V)>>,
}

impl<K: Ord, V: Clone> Memo<K, V> {
    pub(crate) fn new(clock: Arc<dyn Clock>, life: Duration) -> Self {
        Self { clock, life, entries: Mutex::default() }
    }

    pub(crate) fn get(&self, key: &K) -> Option<V> {
        let entries = self.entries.lock();
        let (until, value) = entries.get(key)?;
        (*until > self.clock.monotonic()).then(|| value.clone())
    }

    /// The answer, which nobody else will get.
    pub(crate) fn take(&self, key: &K) -> Option<V> {
        let (until, value) = self.entries.lock().remove(key)?;
        (until > self.clock.monotonic()).then_some(value)
    }

    pub(crate) fn put(&self, key: K, value: V) {
        let now = self.clock.monotonic();
        let mut entries = self.entries.lock();
        if entries.len() >= MAX_ENTRIES {
            entries.retain(|_, (until, _)| *until > now);
        }
        if entries.len() >= MAX_ENTRIES {
            entries.clear();
        }
        entries.insert(key, (now + self.life, value));
    }
}

#[cfg(test)]
mod tests {
    use std::{sync::Arc, time::Duration};

    use core_clock::{ManualClock, Time};

    use super::{MAX_ENTRIES, Memo};

    #[test]
    fn answers_are_forgotten() {
        let clock = ManualClock::new(Time::default());
        let memo = Memo::new(Arc::new(clock.clone()), Duration::from_secs(2));
        memo.put("a", 1);
        assert_eq!(memo.get(&"a"), Some(1));
        clock.advance(Duration::from_secs(2));
        assert_eq!(memo.get(&"a"), None);
        memo.put("b", 2);
        assert_eq!((memo.take(&"b"), memo.take(&"b")), (Some(2), None));
    }

    #[test]
    fn their_number_is_bounded() {
        let clock = ManualClock::new(Time::default());
        let memo = Memo::new(Arc::new(clock), Duration::from_secs(2));
        for key in 0..=MAX_ENTRIES {
            memo.put(key, ());
        }
        assert_eq!(memo.entries.lock().len(), 1);
    }
}
