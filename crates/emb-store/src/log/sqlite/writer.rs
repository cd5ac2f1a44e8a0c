//! The thread that writes. It alone changes the file: batches as they come, and housekeeping in small steps between them.

use std::{
    collections::BTreeMap,
    sync::{
        Arc,
        mpsc::{Receiver, TryRecvError},
    },
};

use bytes::Bytes;
use emb_meta::GroupResource;
use rusqlite::{Connection, Result, TransactionBehavior, config::DbConfig};

use super::{
    checkpoint::Checkpoints,
    compaction::Compaction,
    digest,
    failure::log_error,
    mark::Mark,
    row::StoredRow,
    schema::{self, signed},
    sealing::{Keyring, Place, Rewrite},
};
use crate::{Change, Done, Event, Key, LogError};

/// What the thread is asked to do.
pub(super) enum Task {
    Append { batch: Vec<Arc<Event>>, done: Done<(), LogError> },
    Probe { done: Done<(), LogError> },
    Compact { upto: u64 },
}

/// Under constant load one step of the housekeeping is done for this many events. A step of the compaction looks at more than
/// these, so that it comes to its end however much is written.
const EVENTS_PER_STEP: usize = 100;

/// What the thread has beside its connection.
pub(super) struct Tools {
    pub(super) checkpoints: Checkpoints,
    pub(super) mark: Mark,
    pub(super) keyring: Option<Arc<Keyring>>,
}

pub(super) struct Writer {
    connection: Connection,
    kinds: BTreeMap<GroupResource, i64>,
    /// The sum over what is current, as recorded with the last batch.
    digest: i64,
    tools: Tools,
    compaction: Option<Compaction>,
    rewrite: Option<Rewrite>,
    /// Events that were written since housekeeping had its turn.
    events_since_step: usize,
    /// An fsync failed or the file is damaged: nothing may be written any more, not even on closing.
    stopped: Option<LogError>,
}

impl Writer {
    pub(super) fn new(
        connection: Connection,
        tools: Tools,
        rewrite: Option<Rewrite>,
    ) -> Result<Self> {
        let kinds = schema::kinds(&connection)?;
        Ok(Self {
            kinds: kinds.into_iter().map(|(id, resource)| (resource, id)).collect(),
            digest: digest::recorded(&connection)?.unwrap_or(0),
            connection,
            tools,
            compaction: None,
            rewrite,
            events_since_step: 0,
            stopped: None,
        })
    }

    /// Works until the other end of `tasks` is gone and everything handed over is done.
    pub(super) fn run(mut self, tasks: &Receiver<Task>) {
        loop {
            let task = match self.has_chores() {
                false => tasks.recv().map_err(|_| TryRecvError::Disconnected),
                true if self.events_since_step >= EVENTS_PER_STEP => Err(TryRecvError::Empty),
                true => tasks.try_recv(),
            };
            match task {
                Ok(task) => self.perform(task),
                Err(TryRecvError::Empty) => self.keep_house(),
                Err(TryRecvError::Disconnected) => return self.shut_down(),
            }
        }
    }

    fn perform(&mut self, task: Task) {
        match task {
            Task::Append { batch, done } => {
                self.events_since_step += batch.len();
                let result = self.guarded(|writer| writer.append(&batch));
                // What the batch holds is released before the caller goes on, so that it is freed in one place.
                drop(batch);
                done(result);
                self.checkpoint();
            }
            Task::Probe { done } => {
                let result = self.guarded(|writer| probe(&writer.connection));
                done(result);
            }
            Task::Compact { upto } => {
                self.events_since_step = 0;
                self.compaction = Some(Compaction::new(upto));
            }
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
        let mut digest = self.digest;
        for event in batch {
            let resource = &event.key.resource;
            let known = self.kinds.get(resource).or_else(|| new_kinds.get(resource)).copied();
            let kind_id = if let Some(id) = known {
                id
            } else {
                let id = insert_kind(&transaction, resource)?;
                new_kinds.insert(resource.clone(), id);
                digest = digest.wrapping_add(digest::of_kind(id, resource));
                id
            };
            let body = stored_body(event, self.tools.keyring.as_deref())?;
            StoredRow::of_event(event, kind_id, &body).put(&transaction)?;
            digest = digest.wrapping_add(digest_change(event, kind_id));
        }
        digest::record(&transaction, digest)?;
        transaction.commit()?;
        // Only now: a rolled back transaction takes its kinds with it.
        self.kinds.append(&mut new_kinds);
        self.digest = digest;
        if let Some(last) = batch.last() {
            // A mark that stays behind misses a loss, but causes none.
            let _ = self.tools.mark.set(last.revision);
        }
        Ok(())
    }

    /// Puts a part of what is durable into its place. The batch is acknowledged already, whatever comes of it.
    fn checkpoint(&mut self) {
        if self.stopped.is_some() {
            return;
        }
        let result =
            self.guarded(|writer| writer.tools.checkpoints.after_batch(&writer.connection));
        if let Err(error) = result {
            tracing::warn!(%error, "the write-ahead log is put into place later");
        }
    }

    fn has_chores(&self) -> bool {
        self.compaction.is_some() || self.rewrite.is_some()
    }

    /// Does one step of what is to be done beside the batches.
    fn keep_house(&mut self) {
        self.events_since_step = self.events_since_step.saturating_sub(EVENTS_PER_STEP);
        if self.compaction.is_some() {
            self.compact_step();
        } else {
            self.rewrite_step();
        }
        self.checkpoint();
    }

    fn compact_step(&mut self) {
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

    fn rewrite_step(&mut self) {
        let (Some(mut rewrite), Some(keyring)) = (self.rewrite.take(), self.tools.keyring.clone())
        else {
            return;
        };
        let mut more = false;
        let result = self.guarded(|writer| {
            more = rewrite.step(&writer.connection, &keyring)?;
            Ok(())
        });
        match result {
            Ok(()) => self.rewrite = more.then_some(rewrite),
            Err(error) => tracing::warn!(%error, "sealing is put off until the next start"),
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

/// Gives a resource a number.
pub(super) fn insert_kind(connection: &Connection, resource: &GroupResource) -> Result<i64> {
    let sql = r#"INSERT INTO kinds ("group", resource) VALUES (?1, ?2)"#;
    connection.execute(sql, (&*resource.group, &*resource.resource))?;
    Ok(connection.last_insert_rowid())
}

/// What the row of an event holds: nothing for a delete, and nothing in clear text that is to be sealed.
fn stored_body(event: &Event, keyring: Option<&Keyring>) -> Result<Bytes> {
    if event.change == Change::Deleted {
        return Ok(Bytes::new());
    }
    let record = event.entry.record();
    let Key { resource, namespace, name } = &event.key;
    let Some(keyring) = keyring.filter(|keyring| keyring.seals(resource)) else {
        return Ok(record);
    };
    let place = Place { resource, namespace, name, rev: signed(event.revision) };
    let refused = || rusqlite::Error::ToSqlConversionFailure("the body cannot be sealed".into());
    keyring.seal(place, &record).map(Bytes::from).ok_or_else(refused)
}

/// By how much an event changes the sum over what is current.
fn digest_change(event: &Event, kind_id: i64) -> i64 {
    let Key { namespace, name, .. } = &event.key;
    let of = |revision| digest::of_object(kind_id, namespace, name, signed(revision));
    let before = event.previous.as_ref().map_or(0, |previous| of(previous.revision));
    let after = if event.change == Change::Deleted { 0 } else { of(event.revision) };
    after.wrapping_sub(before)
}

/// Writes and removes something of the size of a large object.
fn probe(connection: &Connection) -> Result<()> {
    schema::set_meta(connection, "probe", rusqlite::types::Value::Blob(vec![0; 64 * 1024]))?;
    connection.execute("DELETE FROM meta WHERE key = 'probe'", []).map(drop)
}
