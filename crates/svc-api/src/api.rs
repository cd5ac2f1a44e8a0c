//! What all handlers share.

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

use api_rest::body::VersionInfo;
use core_rules::{
    action::COMPONENT,
    event::Event,
    ulid::{MonotonicUlids, Ulid},
};
use io_http::outbound;
use io_kube::{EventRecorder, Occurrence, Ports};
use kube::Client;
use parking_lot::Mutex;

use crate::{
    authentication::{Authenticator, Means},
    caller::AccessReviews,
    directory::Directory,
    discovery::Discovery,
    mirrors::Mirrors,
    rate::RateLimits,
    server::{Blocking, Metrics},
    settings::Settings,
    turn::Turns,
};

/// The server, as its handlers see it. Clones share it.
#[derive(Clone)]
pub(crate) struct Api {
    inner: Arc<Inner>,
}

struct Inner {
    settings: Settings,
    version: VersionInfo,
    client: Client,
    ports: Ports,
    mirrors: Mirrors,
    reviews: Arc<AccessReviews>,
    authenticator: Authenticator,
    outbound: outbound::Client,
    discovery: Discovery,
    events: EventRecorder,
    ids: Mutex<MonotonicUlids>,
    metrics: Metrics,
    rates: RateLimits,
    turns: Turns,
    is_stopping: AtomicBool,
}

/// What a server is made from.
pub(crate) struct Parts {
    pub(crate) settings: Settings,
    pub(crate) version: VersionInfo,
    pub(crate) client: Client,
    pub(crate) outbound: outbound::Client,
    pub(crate) blocking: Arc<dyn Blocking>,
    pub(crate) ports: Ports,
}

impl Api {
    /// Starts the watches behind a server.
    pub(crate) fn new(parts: Parts) -> Self {
        let Parts { settings, version, client, outbound, blocking, ports } = parts;
        let reviews = Arc::new(AccessReviews::new(client.clone(), ports.clone()));
        let forget = {
            let reviews = reviews.clone();
            move || reviews.forget()
        };
        let mirrors = Mirrors::start(&settings, &client, &ports, forget);
        let directory = Directory {
            service_accounts: mirrors.service_accounts.clone(),
            namespaces: mirrors.namespaces.clone(),
        };
        let means = Means {
            client: client.clone(),
            outbound: outbound.clone(),
            blocking,
            directory,
            ports: ports.clone(),
        };
        let authenticator = Authenticator::new(&settings, means);
        let events = EventRecorder::start(client.clone(), COMPONENT, &ports);
        let rates = RateLimits::new(settings.rate);
        let turns = Turns::new(settings.expensive_queries);
        let is_stopping = AtomicBool::new(false);
        let inner = Inner {
            settings,
            version,
            client: client.clone(),
            ports,
            mirrors,
            reviews,
            authenticator,
            outbound,
            discovery: Discovery::new(client.clone()),
            events,
            ids: Mutex::default(),
            metrics: Metrics::default(),
            rates,
            turns,
            is_stopping,
        };
        Self { inner: Arc::new(inner) }
    }

    pub(crate) fn settings(&self) -> &Settings {
        &self.inner.settings
    }

    pub(crate) fn version(&self) -> &VersionInfo {
        &self.inner.version
    }

    /// The server's own client. Handlers reach it through a grant only.
    pub(crate) fn client(&self) -> &Client {
        &self.inner.client
    }

    pub(crate) fn ports(&self) -> &Ports {
        &self.inner.ports
    }

    pub(crate) fn mirrors(&self) -> &Mirrors {
        &self.inner.mirrors
    }

    pub(crate) fn reviews(&self) -> &AccessReviews {
        &self.inner.reviews
    }

    pub(crate) fn authenticator(&self) -> &Authenticator {
        &self.inner.authenticator
    }

    /// How other servers are asked.
    pub(crate) fn outbound(&self) -> &outbound::Client {
        &self.inner.outbound
    }

    /// What is counted.
    pub(crate) fn metrics(&self) -> &Metrics {
        &self.inner.metrics
    }

    /// How often somebody may ask.
    pub(crate) fn rates(&self) -> &RateLimits {
        &self.inner.rates
    }

    /// Whose turn it is to ask for much.
    pub(crate) fn turns(&self) -> &Turns {
        &self.inner.turns
    }

    /// Which kinds there are.
    pub(crate) fn discovery(&self) -> &Discovery {
        &self.inner.discovery
    }

    /// Tells what happened, in the background.
    pub(crate) fn tell(&self, event: Event) {
        self.inner.events.record(Occurrence {
            object: event.object(),
            reason: event.reason.to_owned(),
            message: event.message,
            annotations: event.annotations,
        });
    }

    /// A name part that sorts after all that were given out before.
    pub(crate) fn next_id(&self) -> Ulid {
        let Ports { clock, entropy, .. } = self.ports();
        let milliseconds = u64::try_from(clock.now().as_millis()).unwrap_or(0);
        let random = u128::from(entropy.next_u64()) << 64 | u128::from(entropy.next_u64());
        self.inner.ids.lock().next(milliseconds, random)
    }

    /// From now on the server is not ready.
    pub(crate) fn stop(&self) {
        self.inner.is_stopping.store(true, Ordering::Relaxed);
    }

    /// Why the server cannot work now.
    pub(crate) fn unready(&self) -> Option<String> {
        if self.inner.is_stopping.load(Ordering::Relaxed) {
            return Some("the server is stopping".to_owned());
        }
        let missing = self.mirrors().missing();
        let sentence = || format!("not listed yet: {}", missing.join(", "));
        (!missing.is_empty()).then(sentence)
    }
}
