//! The Promotions that run in this process.

use std::{collections::BTreeMap, sync::Arc};

use core_rules::{argo_cd::Application, promotion::Abort};
use io_kube::ObjectKey;
use parking_lot::Mutex;

use super::ticket::Ticket;

/// One ticket for each Promotion that runs here. It stays until the caches show that the Promotion ended, so that
/// a cache that lags behind never makes steps run again.
#[derive(Default)]
pub(super) struct Sessions {
    table: Mutex<Table>,
}

#[derive(Default)]
struct Table {
    tickets: BTreeMap<ObjectKey, Arc<Ticket>>,
    of_stage: BTreeMap<ObjectKey, Vec<Arc<Ticket>>>,
}

impl Sessions {
    /// The ticket of the Promotion of this name, if it runs here.
    pub(super) fn get(&self, key: &ObjectKey) -> Option<Arc<Ticket>> {
        self.table.lock().tickets.get(key).cloned()
    }

    /// Whether steps of a Promotion of the Stage run here. For another Promotion that is so for a moment after one
    /// was deleted, or ended by somebody else.
    pub(super) fn is_busy(&self, stage: &ObjectKey) -> bool {
        let table = self.table.lock();
        let tickets = table.of_stage.get(stage);
        tickets.is_some_and(|tickets| tickets.iter().any(|ticket| !ticket.is_over()))
    }

    pub(super) fn add(&self, ticket: &Arc<Ticket>) {
        let mut table = self.table.lock();
        table.of_stage.entry(ticket.stage.clone()).or_default().push(ticket.clone());
        table.tickets.insert(ticket.key.clone(), ticket.clone());
    }

    /// Takes a ticket out; another of the same name stays.
    pub(super) fn remove(&self, ticket: &Ticket) {
        let mut table = self.table.lock();
        if table.tickets.get(&ticket.key).is_some_and(|known| known.uid == ticket.uid) {
            table.tickets.remove(&ticket.key);
        }
        if let Some(tickets) = table.of_stage.get_mut(&ticket.stage) {
            tickets.retain(|known| known.uid != ticket.uid);
            if tickets.is_empty() {
                table.of_stage.remove(&ticket.stage);
            }
        }
    }

    pub(super) fn refresh(&self, key: &ObjectKey, token: String) {
        if let Some(ticket) = self.get(key) {
            ticket.refresh(token);
        }
    }

    /// Aborts a Promotion that runs here; `false` when none does.
    pub(super) fn abort(&self, key: &ObjectKey, abort: Abort) -> bool {
        let ticket = self.get(key);
        ticket.map(|ticket| ticket.abort(abort)).is_some()
    }

    /// Drops a Promotion that runs here; `false` when none does.
    pub(super) fn forget(&self, key: &ObjectKey) -> bool {
        self.get(key).map(|ticket| ticket.forget()).is_some()
    }

    /// Wakes the Promotions whose step looks at an Application.
    pub(super) fn notice(&self, old: Option<&Application>, new: Option<&Application>) {
        let tickets: Vec<_> = self.table.lock().tickets.values().cloned().collect();
        for ticket in tickets {
            ticket.notice(|awaited| awaited.is_woken_by(old, new));
        }
    }

    /// How many there are.
    pub(super) fn len(&self) -> usize {
        self.table.lock().tickets.len()
    }
}
