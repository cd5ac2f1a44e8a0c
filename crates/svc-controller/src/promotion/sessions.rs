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

    /// Has the current step of a Promotion looked at, if it runs here.
    pub(super) fn wake(&self, key: &ObjectKey) {
        if let Some(ticket) = self.get(key) {
            ticket.wake();
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

#[cfg(test)]
mod tests {
    use core_rules::argo_cd::Awaited;
    use futures::FutureExt;
    use serde_json::{Value, json};

    use super::*;

    fn ticket(name: &str, uid: &str, stage: &str) -> Arc<Ticket> {
        let key = ObjectKey::new("demo", name);
        Arc::new(Ticket::new(key, uid.to_owned(), stage, String::new()).0)
    }

    fn application(name: &str, health: &str) -> Application {
        let object: Value = json!({
            "metadata": {"name": name, "namespace": "argocd"}, "status": {"health": {"status": health}},
        });
        Application::read(object).unwrap()
    }

    #[test]
    fn a_stage_is_busy_until_no_step_runs_any_more() {
        let sessions = Sessions::default();
        let (first, second) = (ticket("p1", "u1", "dev"), ticket("p2", "u2", "dev"));
        let stage = ObjectKey::new("demo", "dev");
        assert!(!sessions.is_busy(&stage));
        sessions.add(&first);
        assert!(sessions.is_busy(&stage) && !sessions.is_busy(&ObjectKey::new("demo", "test")));
        first.end();
        assert!(!sessions.is_busy(&stage));
        sessions.add(&second);
        sessions.remove(&first);
        assert!(sessions.is_busy(&stage));
        assert_eq!(sessions.len(), 1);
    }

    #[test]
    fn a_ticket_does_not_take_another_of_its_name_with_it() {
        let sessions = Sessions::default();
        let (old, new) = (ticket("p", "u1", "dev"), ticket("p", "u2", "dev"));
        sessions.add(&old);
        sessions.add(&new);
        sessions.remove(&old);
        assert_eq!(sessions.get(&new.key).unwrap().uid, "u2");
        assert!(sessions.is_busy(&new.stage));
        sessions.remove(&new);
        assert!(!sessions.is_busy(&new.stage));
    }

    #[test]
    fn only_who_looks_at_an_application_is_woken_by_it() {
        let sessions = Sessions::default();
        let (waits, other) = (ticket("p1", "u1", "dev"), ticket("p2", "u2", "test"));
        for (ticket, app) in [(&waits, "web"), (&other, "api")] {
            let config = json!({"apps": [{"name": app}]});
            ticket.await_applications(Awaited::of_step("argocd-wait", &config, "argocd"));
            sessions.add(ticket);
        }
        let (old, new) = (application("web", "Progressing"), application("web", "Healthy"));
        sessions.notice(Some(&old), Some(&new));
        assert!(waits.woken().now_or_never().is_some());
        assert!(other.woken().now_or_never().is_none());
    }

    #[test]
    fn a_refresh_wakes_once() {
        let ticket = ticket("p", "u", "dev");
        ticket.refresh("t1".to_owned());
        assert!(ticket.woken().now_or_never().is_some());
        ticket.refresh("t1".to_owned());
        assert!(ticket.woken().now_or_never().is_none());
        assert_eq!(ticket.handled_refresh(), "t1");
    }
}
