//! What the clients know: every write that was acknowledged, and every one whose fate is open.

use std::collections::BTreeMap;

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
        inner.objects.insert(name.to_owned(), Known { certain: to, open: None });
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
}
