//! The objects of one namespace.

use std::{collections::BTreeMap, sync::Arc};

use tokio::sync::watch;

use super::{Change, Expired, Object, log::Log};

/// Objects by name, their last changes, and who waits for more.
pub(super) struct Shelf {
    pub(super) objects: BTreeMap<String, Arc<Object>>,
    pub(super) log: Log,
    namespace: String,
    changed: watch::Sender<()>,
}

/// A place in the log of a namespace.
pub(crate) struct Cursor {
    pub(super) namespace: String,
    pub(super) sequence: u64,
    changed: watch::Receiver<()>,
}

impl Shelf {
    pub(super) fn new(namespace: &str, floor: u64) -> Self {
        Self {
            objects: BTreeMap::new(),
            log: Log::new(floor),
            namespace: namespace.to_owned(),
            changed: watch::Sender::default(),
        }
    }

    /// The place of what comes next.
    pub(super) fn cursor(&self) -> Cursor {
        self.cursor_at(self.log.next())
    }

    /// The place of what came after `version`.
    pub(super) fn cursor_after(&self, version: u64) -> Result<Cursor, Expired> {
        let mut cursor = self.cursor_at(self.log.after(version)?);
        // What is there already has to be read without waiting.
        cursor.changed.mark_changed();
        Ok(cursor)
    }

    fn cursor_at(&self, sequence: u64) -> Cursor {
        let changed = self.changed.subscribe();
        Cursor { namespace: self.namespace.clone(), sequence, changed }
    }

    /// Notes a change and wakes those who follow.
    pub(super) fn push(&mut self, change: Change) {
        let version = change.version;
        self.log.push(change);
        if self.objects.is_empty() && self.changed.receiver_count() == 0 {
            self.log.clear(version);
        }
        self.changed.send_replace(());
    }
}

impl Cursor {
    pub(super) fn mark_seen(&mut self) {
        self.changed.mark_unchanged();
    }

    pub(super) async fn changed(&mut self) {
        if self.changed.changed().await.is_err() {
            // The mirror is gone, and with it the server: whoever waits is told to stop.
            std::future::pending::<()>().await;
        }
    }
}
