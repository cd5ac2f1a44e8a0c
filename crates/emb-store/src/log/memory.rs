//! A log that lives as long as its last handle: for tests and simulation. Everything happens inside the call, so that the
//! same calls give the same run.

use std::{collections::BTreeMap, path::Path, sync::Arc};

use core_clock::Time;
use emb_meta::GroupResource;
use parking_lot::Mutex;

use super::{CommitLog, Done, Identity, Loaded, LogError, Past, Record};
use crate::{BackupError, Change, Event, Key, OpenError};

/// A log in memory. Clones share the contents: opening a clone is what reopening a file is.
#[derive(Clone, Default)]
pub struct MemoryLog {
    state: Arc<Mutex<State>>,
}

#[derive(Default)]
struct State {
    identity: Option<Identity>,
    records: BTreeMap<u64, Record>,
    current: BTreeMap<Key, u64>,
    last_revision: u64,
    compacted: u64,
}

impl State {
    fn append(&mut self, event: &Event) {
        let previous = event.previous.as_ref().map_or(0, |entry| entry.revision);
        let deleted = event.change == Change::Deleted;
        let record = Record {
            revision: event.revision,
            key: event.key.clone(),
            change: event.change,
            previous,
            written_at: event.entry.written_at,
            body: if deleted { bytes::Bytes::new() } else { event.entry.record() },
        };
        if deleted {
            self.current.remove(&event.key);
        } else {
            self.current.insert(event.key.clone(), event.revision);
        }
        self.records.insert(event.revision, record);
        self.last_revision = event.revision;
    }

    fn compact(&mut self, upto: u64) {
        let leaving: Vec<Record> = self
            .records
            .range(self.compacted + 1..=upto)
            .map(|(_, record)| record.clone())
            .collect();
        for record in leaving {
            self.records.remove(&record.previous);
            if record.change == Change::Deleted {
                self.records.remove(&record.revision);
            }
        }
        self.compacted = upto;
    }
}

impl CommitLog for MemoryLog {
    fn load(
        &self,
        fresh: Identity,
        accept: &mut dyn FnMut(Record) -> Result<(), String>,
    ) -> Result<Loaded, OpenError> {
        let mut state = self.state.lock();
        for revision in state.current.values() {
            if let Some(record) = state.records.get(revision) {
                accept(record.clone()).map_err(OpenError::Damaged)?;
            }
        }
        Ok(Loaded {
            identity: state.identity.get_or_insert(fresh).clone(),
            last_revision: state.last_revision,
            compacted: state.compacted,
            quarantined: Vec::new(),
            unclean: false,
        })
    }

    fn append(&self, batch: Vec<Arc<Event>>, done: Done<(), LogError>) {
        {
            let mut state = self.state.lock();
            for event in &batch {
                state.append(event);
            }
        }
        done(Ok(()));
    }

    fn probe(&self, done: Done<(), LogError>) {
        done(Ok(()));
    }

    fn history(
        &self,
        resource: Option<&GroupResource>,
        after: u64,
        upto: u64,
        limit: usize,
    ) -> Result<Vec<Past>, LogError> {
        let state = self.state.lock();
        let wanted = |record: &&Record| resource.is_none_or(|r| *r == record.key.resource);
        let records = state.records.range(after.saturating_add(1)..);
        Ok(records
            .map(|(_, record)| record)
            .take_while(|record| record.revision <= upto)
            .filter(wanted)
            .take(limit)
            .map(|record| Past {
                record: record.clone(),
                previous: state.records.get(&record.previous).cloned(),
            })
            .collect())
    }

    fn boundary(&self, time: Time) -> Result<u64, LogError> {
        let state = self.state.lock();
        let mut records = state.records.range(state.compacted + 1..).map(|(_, record)| record);
        let later = records.find(|record| record.written_at > time);
        Ok(later.map_or(state.last_revision, |record| record.revision - 1))
    }

    fn compact(&self, upto: u64) {
        self.state.lock().compact(upto);
    }

    fn backup(&self, _to: &Path, done: Done<(), BackupError>) {
        done(Err(BackupError::Unsupported));
    }

    fn close(&self) {}
}
