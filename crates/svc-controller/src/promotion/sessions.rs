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
    tickets: Mutex<BTreeMap<ObjectKey, Arc<Ticket>>>,
}

impl Sessions {
    /// The ticket of the Promotion of this name, if it runs here.
    pub(super) fn get(&self, key: &ObjectKey) -> Option<Arc<Ticket>> {
        self.tickets.lock().get(key).cloned()
    }

    /// Whether steps of another Promotion of the Stage run here. That is so for a moment after a Promotion was
    /// deleted or ended by somebody else.
    pub(super) fn is_busy(&self, stage: &ObjectKey) -> bool {
        let tickets = self.tickets.lock();
        tickets.values().any(|ticket| ticket.stage == *stage && !ticket.is_over())
    }

    pub(super) fn add(&self, ticket: Arc<Ticket>) {
        self.tickets.lock().insert(ticket.key.clone(), ticket);
    }

    /// Takes a ticket out, unless another has its place.
    pub(super) fn remove(&self, ticket: &Ticket) {
        let mut tickets = self.tickets.lock();
        if tickets.get(&ticket.key).is_some_and(|known| known.uid == ticket.uid) {
            tickets.remove(&ticket.key);
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
        let tickets: Vec<_> = self.tickets.lock().values().cloned().collect();
        for ticket in tickets {
            ticket.notice(|awaited| awaited.is_woken_by(old, new));
        }
    }

    /// How many there are.
    pub(super) fn len(&self) -> usize {
        self.tickets.lock().len()
    }
}
