//! What every controller here works with.

use std::{sync::Arc, time::Duration};

use core_clock::Time;
use io_kube::{Failure, Fence, Ports, is_conflict};
use kube::Client;

use crate::{cache::Caches, config::SecretWatches, queue::Queues, settings::Settings};

/// After somebody else changed an object first, its cache shows that soon.
const REPLAN: Duration = Duration::from_millis(100);

/// Client, caches, queues and settings.
pub(crate) struct Context {
    pub(crate) client: Client,
    pub(crate) ports: Ports,
    pub(crate) settings: Settings,
    pub(crate) caches: Caches,
    pub(crate) queues: Queues,
    pub(crate) secret_watches: SecretWatches,
    /// Absent where nobody else can lead.
    fence: Option<Fence>,
}

/// Shared by all controllers.
pub(crate) type Cx = Arc<Context>;

impl Context {
    pub(crate) fn start(
        client: Client,
        ports: Ports,
        settings: Settings,
        fence: Option<Fence>,
    ) -> Cx {
        let client = match &fence {
            Some(fence) => fence.guard(client),
            None => client,
        };
        let caches = Caches::start(&client, &settings, &ports);
        let queues = Queues::new(&ports);
        let secret_watches = SecretWatches::new(client.clone(), ports.clone());
        Arc::new(Self { client, ports, settings, caches, queues, secret_watches, fence })
    }

    pub(crate) fn now(&self) -> Time {
        self.ports.clock.now()
    }

    /// Whether we may still write: a replica that lost its Lease must not.
    pub(crate) fn is_leading(&self) -> bool {
        self.fence.as_ref().is_none_or(Fence::is_open)
    }
}

/// What a failed request means for a pass. A conflict is no failure: the plan was made from a state
/// that is no more, and is made again.
pub(crate) fn failure(error: kube::Error) -> Failure {
    if is_conflict(&error) { replan("changed meanwhile") } else { Failure::from(error) }
}

/// The plan must be made again from newer state.
pub(crate) fn replan(reason: &str) -> Failure {
    Failure::Waiting { after: REPLAN, reason: reason.to_owned() }
}
