//! The thread that writes. It alone changes the file: batches as they come, and housekeeping in small steps between them.

use std::{
    collections::BTreeMap,
    sync::{
        Arc,
        mpsc::{Receiver, TryRecvError},
    },
};

use emb_meta::GroupResource;
use rusqlite::{Connection, Result, TransactionBehavior, config::DbConfig};

use super::{
    compaction::Compaction,
    failure::log_error,
    row::StoredRow,
    schema::{self, signed},
};
use crate::{Change, Done, Event, LogError};

/// What the thread is asked to do.
pub(super) enum Task {
    Append { batch: Vec<Arc<Event>>, done: Done<(), LogError> },
    Probe { done: Done<(), LogError> },
    Compact { upto: u64 },
}

/// Under constant load one step of the compaction is done after this many batches, so that it comes to its end.
const BATCHES_PER_STEP: u32 = 2;

pub(super) struct Writer {
    connection: Connection,
    kinds: BTreeMap<GroupResource, i64>,
    compaction: Option<Compaction>,
    batches_since_step: u32,
    /// An fsync failed or the file is damaged: nothing may be written any more, not even on closing.
    stopped: Option<LogError>,
}

impl Writer {
    pub(super) fn new(connection: Connection) -> Result<Self> {
        let kinds = schema::kinds(&connection)?;
        let kinds = kinds.into_iter().map(|(id, resource)| (resource, id)).collect();
        Ok(Self { connection, kinds, compaction: None, batches_since_step: 0, stopped: None })
    }

    /// Works until the other end of `tasks` is gone and everything handed over is done.
    pub(super) fn run(mut self, tasks: &Receiver<Task>) {
        loop {
            let task = match self.compaction {
                None => tasks.recv().map_err(|_| TryRecvError::Disconnected),
                Some(_) if self.batches_since_step >= BATCHES_PER_STEP => Err(TryRecvError::Empty),
                Some(_) => tasks.try_recv(),
            };
            match task {
                Ok(task) => self.perform(task),
                Err(TryRecvError::Empty) => self.compact_step(),
                Err(TryRecvError::Disconnected) => return self.shut_down(),
            }
        }
    }

    fn perform(&mut self, task: Task) {
        match task {
            Task::Append { batch, done } => {
                self.batches_since_step = self.batches_since_step.saturating_add(1);
                let result = self.guarded(|writer| writer.append(&batch));
                // What the batch holds is released before the caller goes on, so that it is freed in one place.
                drop(batch);
                done(result);
            }
            Task::Probe { done } => {
                let result = self.guarded(|writer| probe(&writer.connection));
                done(result);
            }
            Task::Compact { upto } => self.compaction = Some(Compaction::new(upto)),
        }
    }

    /// Runs a write unless an earlier failure forbids it, and remembers such a failure.
    fn guarded(&mut self, write: impl FnOnce(&mut Self) -> Result<()>) -> Result<(), LogError> {
        if let Some(reason) = &self.stopped {
            return Err(reason.clone());
        }
        write(self).map_err(|error| {
            let error = log_error(&error);
            if matches!(error, LogError::Fatal(_)) {
                self.stopped = Some(error.clone());
            }
            error
        })
    }

    fn append(&mut self, batch: &[Arc<Event>]) -> Result<()> {
        let transaction =
            self.connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        let mut new_kinds = BTreeMap::new();
        for event in batch {
            let resource = &event.key.resource;
            let known = self.kinds.get(resource).or_else(|| new_kinds.get(resource)).copied();
            let kind_id = if let Some(id) = known {
                id
            } else {
                let id = insert_kind(&transaction, resource)?;
                new_kinds.insert(resource.clone(), id);
                id
            };
            insert_event(&transaction, event, kind_id)?;
        }
        transaction.commit()?;
        // Only now: a rolled back transaction takes its kinds with it.
        self.kinds.append(&mut new_kinds);
        Ok(())
    }

    fn compact_step(&mut self) {
        self.batches_since_step = 0;
        let Some(mut compaction) = self.compaction.take() else { return };
        let mut more = false;
        let result = self.guarded(|writer| {
            more = compaction.step(&mut writer.connection)?;
            Ok(())
        });
        match result {
            Ok(()) => self.compaction = more.then_some(compaction),
            // The next compaction takes up where this one stopped.
            Err(error) => tracing::warn!(%error, "compaction is put off"),
        }
    }

    fn shut_down(mut self) {
        let closed = self.guarded(|writer| {
            schema::set_meta(&writer.connection, "clean", true)?;
            writer.connection.execute_batch("PRAGMA wal_checkpoint(TRUNCATE)")
        });
        if let Err(error) = closed {
            tracing::warn!(%error, "the store was not closed cleanly");
            // Recovery at the next start decides what is durable; closing must not write over it.
            let config = DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE;
            if let Err(error) = self.connection.set_db_config(config, true) {
                tracing::warn!(%error, "closing may write to the store");
            }
        }
    }
}

fn insert_kind(connection: &Connection, resource: &GroupResource) -> Result<i64> {
    let sql = r#"INSERT INTO kinds ("group", resource) VALUES (?1, ?2)"#;
    connection.execute(sql, (&*resource.group, &*resource.resource))?;
    Ok(connection.last_insert_rowid())
}

fn insert_event(connection: &Connection, event: &Event, kind_id: i64) -> Result<()> {
    StoredRow::of_event(event, kind_id).insert(connection)?;
    let (ns, name) = (&*event.key.namespace, &*event.key.name);
    if event.change == Change::Deleted {
        let sql = "DELETE FROM current WHERE kind_id = ?1 AND ns = ?2 AND name = ?3";
        connection.prepare_cached(sql)?.execute((kind_id, ns, name))?;
    } else {
        let sql = "INSERT OR REPLACE INTO current (kind_id, ns, name, rev) VALUES (?1, ?2, ?3, ?4)";
        let rev = signed(event.revision);
        connection.prepare_cached(sql)?.execute((kind_id, ns, name, rev))?;
    }
    Ok(())
}

/// Writes and removes something of the size of a large object.
fn probe(connection: &Connection) -> Result<()> {
    schema::set_meta(connection, "probe", rusqlite::types::Value::Blob(vec![0; 64 * 1024]))?;
    connection.execute("DELETE FROM meta WHERE key = 'probe'", []).map(drop)
}
