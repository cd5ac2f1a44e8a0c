//! What a controller tells about itself, whether it leads or waits.

use std::sync::Arc;

use core_rules::access::Component;
use io_git::Store;
use io_kube::Family;
use parking_lot::RwLock;
use svc_controller::Monitor;

use super::mirrors;
use crate::component::{Probe, stuck_workers};

/// How a controller is. Clones share it.
#[derive(Clone)]
pub(crate) struct Vital {
    standing: Arc<RwLock<Standing>>,
    mirrors: Store,
}

/// Where it stands among its replicas.
enum Standing {
    /// It has not begun.
    Starting,
    /// It waits for another to stop.
    Waiting { knows_leader: Box<dyn Fn() -> bool + Send + Sync> },
    /// It works.
    Leading(Monitor),
}

impl Vital {
    pub(crate) fn new(mirrors: Store) -> Self {
        Self { standing: Arc::new(RwLock::new(Standing::Starting)), mirrors }
    }

    /// It waits until another stops; `knows_leader` tells whether it could ask.
    pub(super) fn wait(&self, knows_leader: impl Fn() -> bool + Send + Sync + 'static) {
        *self.standing.write() = Standing::Waiting { knows_leader: Box::new(knows_leader) };
    }

    /// It leads from now on, with a monitor of its own: that of an earlier time tells of work that has ended.
    pub(super) fn lead(&self) -> Monitor {
        let monitor = Monitor::default();
        *self.standing.write() = Standing::Leading(monitor.clone());
        monitor
    }

    fn monitor(&self) -> Option<Monitor> {
        match &*self.standing.read() {
            Standing::Leading(monitor) => Some(monitor.clone()),
            Standing::Starting | Standing::Waiting { .. } => None,
        }
    }
}

impl Probe for Vital {
    fn name(&self) -> &'static str {
        Component::Controller.label()
    }

    fn unready(&self) -> Option<String> {
        match &*self.standing.read() {
            Standing::Starting => Some("starting".to_owned()),
            Standing::Waiting { knows_leader } => {
                (!knows_leader()).then(|| "it is not known who leads".to_owned())
            }
            Standing::Leading(monitor) => monitor.unready().map(str::to_owned),
        }
    }

    fn stuck(&self) -> Option<String> {
        stuck_workers(|limit| self.monitor()?.stalled(limit))
    }

    fn metrics(&self) -> Vec<Family> {
        let mut families = self.monitor().map(|monitor| monitor.metrics()).unwrap_or_default();
        families.extend(mirrors::families(&self.mirrors.usage()));
        families
    }
}
