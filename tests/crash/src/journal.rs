//! What the clients know: every write that was acknowledged, and every one whose fate is open.

use std::{collections::BTreeMap, time::Instant};

use anyhow::{Result, ensure};
use parking_lot::Mutex;

/// The state of one object as a client may expect it: its value, or `None` for "not there".
pub(crate) type State = Option<u64>;

/// A client-side record of all writes.
#[derive(Default)]
pub(crate) struct Journal {
    inner: Mutex<Inner>,
}

#[derive(Default)]
struct Inner {
    objects: BTreeMap<String, Known>,
    highest_revision: u64,
    acknowledged: usize,
    /// What was confirmed since the last comparison, by object.
    since: BTreeMap<String, Past>,
}

/// The states of an object since the last comparison.
struct Past {
    before: State,
    confirmed: Vec<Confirmed>,
}

struct Confirmed {
    to: State,
    /// 0 for a delete, whose answer does not tell.
    revision: u64,
    at: Instant,
}

struct Known {
    certain: State,
    /// A write that was sent and not answered: it may have happened.
    open: Option<State>,
}

impl Journal {
    /// A write is about to be sent.
    pub(crate) fn sent(&self, name: &str, to: State) {
        let mut inner = self.inner.lock();
        inner.objects.entry(name.to_owned()).or_insert(Known { certain: None, open: None }).open =
            Some(to);
    }

    /// The server has confirmed the write.
    pub(crate) fn acknowledged_at(&self, name: &str, to: State, revision: u64) {
        let mut inner = self.inner.lock();
        let known = inner.objects.insert(name.to_owned(), Known { certain: to, open: None });
        let before = known.and_then(|known| known.certain);
        let past = Past { before, confirmed: Vec::new() };
        let past = inner.since.entry(name.to_owned()).or_insert(past);
        past.confirmed.push(Confirmed { to, revision, at: Instant::now() });
        inner.highest_revision = inner.highest_revision.max(revision);
        inner.acknowledged += 1;
    }

    /// How many writes were confirmed.
    pub(crate) fn acknowledged(&self) -> usize {
        self.inner.lock().acknowledged
    }

    /// The last confirmed value of an object; `None` when it is not there or its fate is open.
    pub(crate) fn certain(&self, name: &str) -> State {
        self.inner
            .lock()
            .objects
            .get(name)
            .filter(|known| known.open.is_none())
            .and_then(|known| known.certain)
    }

    /// Compares with what the server shows after a restart, and takes that over as the truth.
    pub(crate) fn compare(&self, shown: &BTreeMap<String, u64>, revision: u64) -> Result<()> {
        let mut inner = self.inner.lock();
        ensure!(
            revision >= inner.highest_revision,
            "revisions went back: {revision} after {} was acknowledged",
            inner.highest_revision
        );
        inner.highest_revision = revision;
        inner.since.clear();
        for name in shown.keys() {
            ensure!(inner.objects.contains_key(name), "{name} was never written");
        }
        for (name, known) in &mut inner.objects {
            let state = shown.get(name).copied();
            ensure!(
                state == known.certain || known.open == Some(state),
                "{name}: acknowledged {:?}, open {:?}, but the server shows {state:?}",
                known.certain,
                known.open
            );
            *known = Known { certain: state, open: None };
        }
        Ok(())
    }

    /// Compares with what came back from a replica, of which `newest` is the newest object, and takes that over as the
    /// truth. What was confirmed before `bound` must be there, and of what came later all up to one moment. Returns when
    /// the oldest write was confirmed that is not there.
    pub(crate) fn compare_replica(
        &self,
        shown: &BTreeMap<String, u64>,
        newest: u64,
        bound: Instant,
    ) -> Result<Option<Instant>> {
        let mut inner = self.inner.lock();
        for name in shown.keys() {
            ensure!(inner.objects.contains_key(name), "{name} was never written");
        }
        let since = std::mem::take(&mut inner.since);
        let mut lost: Option<Instant> = None;
        for (name, known) in &mut inner.objects {
            let state = shown.get(name).copied();
            let unchanged = Past { before: known.certain, confirmed: Vec::new() };
            let past = since.get(name).unwrap_or(&unchanged);
            let reached = past.reached(state, newest, bound);
            ensure!(
                reached.is_some() || known.open == Some(state),
                "{name}: the replica has {state:?}, its newest object is of revision {newest}, but {}",
                past.told(bound)
            );
            let first = reached.and_then(|at| past.confirmed.get(at)).map(|first| first.at);
            lost = lost.into_iter().chain(first).min();
            *known = Known { certain: state, open: None };
        }
        inner.highest_revision = 0;
        Ok(lost)
    }
}

impl Past {
    /// How many of the writes were there, if this can be its state at a moment at which everything up to revision `newest`
    /// was there, and everything that was confirmed before `bound`.
    fn reached(&self, state: State, newest: u64, bound: Instant) -> Option<usize> {
        let is_older = |confirmed: &Confirmed| (1..=newest).contains(&confirmed.revision);
        let at_newest = self.confirmed.iter().rposition(is_older).map_or(0, |at| at + 1);
        let due = self.confirmed.iter().take_while(|confirmed| confirmed.at <= bound).count();
        let states: Vec<State> =
            [self.before].into_iter().chain(self.confirmed.iter().map(|it| it.to)).collect();
        // Later than the newest object there can only be deletes.
        let later = (at_newest + 1..states.len()).filter(|at| states.get(*at) == Some(&None));
        let mut candidates = [at_newest].into_iter().chain(later);
        candidates.find(|at| *at >= due && states.get(*at) == Some(&state))
    }

    fn told(&self, bound: Instant) -> String {
        let told = self.confirmed.iter().map(|it| {
            let due = if it.at <= bound { "due" } else { "young" };
            format!("{:?}@{} {due}", it.to, it.revision)
        });
        format!("it was {:?}, then {}", self.before, told.collect::<Vec<_>>().join(", "))
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn a_replica_has_all_up_to_one_moment_and_all_that_is_old() {
        let start = Instant::now();
        let at = |seconds| start + Duration::from_secs(seconds);
        let confirmed = |to, revision, seconds| Confirmed { to, revision, at: at(seconds) };
        let past = Past {
            before: Some(1),
            confirmed: vec![
                confirmed(Some(2), 10, 10),
                confirmed(None, 0, 20),
                confirmed(Some(3), 30, 30),
            ],
        };
        let may_be = |state, newest, seconds| past.reached(state, newest, at(seconds)).is_some();
        assert!(may_be(Some(2), 15, 12));
        assert!(may_be(None, 15, 12), "the delete may have come after the newest object");
        assert!(!may_be(Some(3), 15, 12), "it would be the newest object");
        assert!(!may_be(Some(1), 15, 5), "half of what was there is missing");
        assert!(may_be(Some(1), 5, 5));
        assert!(!may_be(Some(1), 5, 12), "the first is too old to be missing");
        assert!(!may_be(Some(2), 15, 25), "the delete is too old to be missing");
        assert!(may_be(Some(3), 30, 40) && !may_be(None, 30, 25));
    }
}
