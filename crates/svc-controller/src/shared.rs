//! What all controllers of a shard work with.

use std::sync::Arc;

use core_clock::Time;
use io_argo::Watched;
use io_kube::Ports;
use kube::{Client, Resource};

use crate::{Steps, caches::Caches, settings::Settings};

/// One for the whole process; controllers hold it behind an [`Arc`].
pub(crate) struct Shared {
    /// The control plane, with the controller's identity.
    pub(crate) client: Client,
    pub(crate) ports: Ports,
    pub(crate) settings: Settings,
    pub(crate) caches: Caches,
    /// What runs the steps of Promotions.
    pub(crate) steps: Steps,
    /// Argo CD's Applications as they were last seen, where the integration is on.
    pub(crate) applications: Option<Watched>,
}

/// Shared by all passes.
pub(crate) type Cx = Arc<Shared>;

impl Shared {
    /// Whether an object belongs to this shard.
    pub(crate) fn owns(&self, object: &impl Resource) -> bool {
        self.settings.shard.owns(object.meta().labels.as_ref())
    }

    pub(crate) fn now(&self) -> Time {
        self.ports.clock.now()
    }

    /// What a controller of this shard is called in events and as an actor, such as `stage-controller-east`.
    pub(crate) fn component(&self, controller: &str) -> String {
        let shard = self.settings.shard.name();
        if shard.is_empty() { controller.to_owned() } else { format!("{controller}-{shard}") }
    }
}
