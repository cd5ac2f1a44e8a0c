//! The way of a commit: prepared, sequenced, gathered into a batch, made durable, published, answered.
//!
//! One batch is in the log at a time. While it is, further commits gather and go together in the next one, so that many
//! callers share an fsync and a lone caller waits for no company.

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{Arc, atomic::Ordering},
};

use tokio::sync::oneshot;

use super::{Inner, open::shared_key};
use crate::{
    CommitError, Event, Key, LogError, Op, Writes,
    entry::Prepared,
    sequence::{CommitResult, Pending, Step},
};

impl Inner {
    pub(super) fn commit(self: &Arc<Self>, ops: Vec<Op>, reply: oneshot::Sender<CommitResult>) {
        let steps = match self.prepare(ops) {
            Ok(steps) => steps,
            Err(error) => return answer(reply, error),
        };
        self.probe_if_due();
        {
            let mut sequencer = self.sequencer.lock();
            if sequencer.closed {
                return answer(reply, CommitError::Closed);
            }
            if let Writes::Paused(reason) | Writes::Stopped(reason) = &sequencer.writes {
                return answer(reply, CommitError::ReadOnly(reason.clone()));
            }
            sequencer.enqueue(&self.tables, steps, self.clock.now(), reply);
        }
        self.pump();
    }

    /// Everything that can be done before the order is known.
    fn prepare(&self, ops: Vec<Op>) -> Result<Vec<Step>, CommitError> {
        let limit = self.options.max_object_bytes;
        let step = |(at, op)| match op {
            Op::Put { key, object, expect } => {
                let prepared = Prepared::new(&object, &self.interner);
                let size = prepared.size();
                if size > limit {
                    return Err(CommitError::TooLarge { at, size, limit });
                }
                Ok(Step::Put { key: self.shared(&key), prepared, expect })
            }
            Op::Delete { key, expect } => Ok(Step::Delete { key, expect }),
            Op::Check { key, expect } => Ok(Step::Check { key, expect }),
        };
        ops.into_iter().enumerate().map(step).collect()
    }

    fn shared(&self, key: &Key) -> Key {
        shared_key(key, &self.tables, &self.interner)
    }

    /// Hands gathered commits to the log until one batch is in it or nothing is left. Only one thread does so at a time; a
    /// log that answers inside the call comes back here and is sent away, so that the stack does not grow.
    fn pump(self: &Arc<Self>) {
        {
            let mut sequencer = self.sequencer.lock();
            if sequencer.pumping {
                return;
            }
            sequencer.pumping = true;
        }
        while let Some(batch) = self.next_batch() {
            let events: Vec<Arc<Event>> =
                batch.iter().flat_map(|pending| pending.events.iter().cloned()).collect();
            if events.is_empty() {
                self.finish(batch, &events);
                continue;
            }
            let inner = self.clone();
            let durable = events.clone();
            let done = Box::new(move |result| match result {
                Ok(()) => {
                    inner.finish(batch, &durable);
                    inner.pump();
                }
                Err(error) => inner.give_up(batch, &error),
            });
            self.log.append(events, done);
        }
    }

    /// The next batch, marked as being in the log; `None` also ends the pumping.
    fn next_batch(&self) -> Option<Vec<Pending>> {
        let mut sequencer = self.sequencer.lock();
        if !sequencer.in_log {
            let batch = sequencer.take_batch(self.options.batch_operations);
            if !batch.is_empty() {
                sequencer.in_log = true;
                return Some(batch);
            }
        }
        sequencer.pumping = false;
        self.idle.notify_all();
        None
    }

    /// The batch is durable: everyone may see it.
    fn finish(&self, batch: Vec<Pending>, events: &[Arc<Event>]) {
        self.publish(events);
        {
            let mut sequencer = self.sequencer.lock();
            sequencer.settle(events);
            sequencer.in_log = false;
        }
        batch.into_iter().for_each(Pending::succeed);
        self.idle.notify_all();
    }

    fn publish(&self, events: &[Arc<Event>]) {
        let Some(last) = events.last() else { return };
        self.tables.publish(events);
        self.durable.store(last.revision, Ordering::Release);
        let hooks = self.hooks.read().clone();
        for hook in hooks {
            // The thread of the log runs this: a faulty hook must not end all writing.
            if catch_unwind(AssertUnwindSafe(|| hook(events))).is_err() {
                tracing::error!("a commit hook panicked");
            }
        }
        self.tables.announce(events);
        self.advanced.notify_waiters();
    }

    /// The batch is not durable: it and everything that was sequenced after it never happened.
    fn give_up(&self, batch: Vec<Pending>, error: &LogError) {
        let reason = error.to_string();
        tracing::error!(error = %reason, "the store stopped writing");
        let abandoned = {
            let mut sequencer = self.sequencer.lock();
            sequencer.in_log = false;
            sequencer.probe_at = self.clock.monotonic() + self.options.probe_interval;
            sequencer.writes = writes_after(error);
            sequencer.abandon()
        };
        let error = match error {
            LogError::Closed => CommitError::Closed,
            _ => CommitError::ReadOnly(reason),
        };
        for pending in batch.into_iter().chain(abandoned) {
            pending.fail(&error);
        }
        self.idle.notify_all();
    }

    /// Tries the log again when writes are paused and it is time to.
    pub(super) fn probe_if_due(self: &Arc<Self>) {
        {
            let mut sequencer = self.sequencer.lock();
            let paused = matches!(sequencer.writes, Writes::Paused(_));
            if !paused || sequencer.probing || self.clock.monotonic() < sequencer.probe_at {
                return;
            }
            sequencer.probing = true;
        }
        let inner = self.clone();
        self.log.probe(Box::new(move |result| inner.probed(result)));
    }

    fn probed(&self, result: Result<(), LogError>) {
        let mut sequencer = self.sequencer.lock();
        sequencer.probing = false;
        match result {
            Ok(()) => {
                tracing::info!("the store writes again");
                sequencer.writes = Writes::Accepted;
            }
            Err(error) => {
                sequencer.probe_at = self.clock.monotonic() + self.options.probe_interval;
                sequencer.writes = writes_after(&error);
            }
        }
    }
}

fn writes_after(error: &LogError) -> Writes {
    match error {
        LogError::DiskFull(_) | LogError::Io(_) => Writes::Paused(error.to_string()),
        LogError::Fatal(_) | LogError::Closed => Writes::Stopped(error.to_string()),
    }
}

fn answer(reply: oneshot::Sender<CommitResult>, error: CommitError) {
    // The caller holds the other end until it polls; if it is gone nobody asks.
    let _ = reply.send(Err(error));
}
