//! Opening: objects from the log into the tables, then the recent events into the rings, so that watchers of the process
//! before go on where they were.

use std::{
    collections::BTreeMap,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU64},
    },
};

use core_clock::{Clock, Entropy};
use parking_lot::{Condvar, Mutex, RwLock};
use tokio::sync::Notify;

use super::{Inner, history::past_event};
use crate::{
    CommitLog, Entry, Event, Identity, Key, Loaded, OpenError, OpenReport, Options, Past, Record,
    intern::Interner, ring::Keep, sequence::Sequencer, tables::Tables,
};

impl Inner {
    pub(super) fn open(
        log: Box<dyn CommitLog>,
        clock: Arc<dyn Clock>,
        entropy: &dyn Entropy,
        options: Options,
    ) -> Result<(Self, OpenReport), OpenError> {
        let keep = Keep { entries: options.ring_entries, age: options.ring_age };
        let tables = Tables::new(keep, options.ring_bytes);
        let interner = Interner::default();
        let mut objects = 0;
        let fresh = Identity { uuid: entropy.uuid(), epoch: 1 };
        let loaded = log.load(fresh, &mut |record| {
            tables.load(Arc::new(restored(record, &tables, &interner)?));
            objects += 1;
            Ok(())
        })?;
        replay(log.as_ref(), &loaded, &options, &tables, &interner);
        let report = report(&loaded, objects);
        let inner = Self {
            log,
            clock,
            options,
            identity: loaded.identity,
            quarantined: loaded.quarantined.len(),
            tables,
            interner,
            sequencer: Mutex::new(Sequencer::new(loaded.last_revision)),
            idle: Condvar::new(),
            durable: AtomicU64::new(loaded.last_revision),
            advanced: Notify::new(),
            compacted: AtomicU64::new(loaded.compacted),
            hooks: RwLock::default(),
            closed: AtomicBool::new(false),
        };
        Ok((inner, report))
    }
}

fn restored(record: Record, tables: &Tables, interner: &Interner) -> Result<Entry, String> {
    let key = shared_key(&record.key, tables, interner);
    Entry::restore(key, record.revision, record.body, record.written_at, interner)
        .ok_or_else(|| "the body is no object of this revision".to_owned())
}

/// The same key with its texts shared with other objects.
pub(super) fn shared_key(key: &Key, tables: &Tables, interner: &Interner) -> Key {
    Key {
        resource: tables.find_or_create(&key.resource).resource.clone(),
        namespace: interner.share(&key.namespace),
        name: key.name.clone(),
    }
}

/// Fills the rings with the newest events. Whatever is older is read from the log when a watcher asks for it.
fn replay(
    log: &dyn CommitLog,
    loaded: &Loaded,
    options: &Options,
    tables: &Tables,
    interner: &Interner,
) {
    let last = loaded.last_revision;
    let window = u64::try_from(options.ring_entries).unwrap_or(u64::MAX);
    let start = last.saturating_sub(window).max(loaded.compacted);
    let (complete_after, events) = match log.history(None, start, last, options.ring_entries) {
        Ok(past) => rebuild(past, start, tables, interner),
        Err(error) => {
            tracing::warn!(%error, "recent history cannot be read");
            (last, Vec::new())
        }
    };
    tables.start_rings(complete_after);
    for event in events {
        tables.replay(event);
    }
}

/// The events of the past after the returned revision, sharing states with each other and with the present. Damage among
/// them cuts off what is before.
fn rebuild(
    past: Vec<Past>,
    start: u64,
    tables: &Tables,
    interner: &Interner,
) -> (u64, Vec<Arc<Event>>) {
    let mut known: BTreeMap<u64, Arc<Entry>> = BTreeMap::new();
    let mut complete_after = start;
    let mut events = Vec::with_capacity(past.len());
    for item in past {
        let revision = item.record.revision;
        let find = |key: &Key, revision: u64| {
            let current = || tables.get(key).filter(|entry| entry.revision == revision);
            known.get(&revision).cloned().or_else(current)
        };
        let Some(event) = past_event(item, &find, interner) else {
            events.clear();
            complete_after = revision;
            continue;
        };
        known.insert(event.revision, event.entry.clone());
        events.push(Arc::new(event));
    }
    (complete_after, events)
}

fn report(loaded: &Loaded, objects: usize) -> OpenReport {
    OpenReport {
        identity: loaded.identity.clone(),
        revision: loaded.last_revision,
        compacted: loaded.compacted,
        objects,
        quarantined: loaded.quarantined.clone(),
        unclean: loaded.unclean,
    }
}
