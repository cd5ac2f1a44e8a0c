//! What a simulation is made of: who acts, what runs, what may go wrong and what must hold.

use std::{future::Future, sync::Arc, time::Duration};

use core_clock::BoxTask;
use emb_apiserver::Admission;
use futures::FutureExt;
use serde_json::Value;

use crate::{
    faults::Rates,
    gatekeeper::{Make, ServerCx},
    process::ProcessCx,
    view::View,
};

/// Starts a process.
pub(crate) type Start = Arc<dyn Fn(ProcessCx) -> BoxTask + Send + Sync>;

/// Something that must hold; the error says how it does not.
pub(crate) type Check = Box<dyn Fn(&View<'_>) -> Result<(), String> + Send + Sync>;

/// A named check.
pub(crate) struct Invariant {
    pub(crate) name: String,
    pub(crate) check: Check,
}

/// A component with its number of replicas.
pub(crate) struct Component {
    pub(crate) name: String,
    pub(crate) replicas: usize,
    pub(crate) start: Start,
}

/// Someone who does things and at some time is done.
pub(crate) struct Actor {
    pub(crate) name: String,
    pub(crate) start: Start,
}

/// One simulation, built anew for each seed so that models and counters start empty.
///
/// A run has two parts. First actors act while components work and faults strike; it ends when all actors are done. Then
/// nothing goes wrong any more, everything must come to rest, and what must hold in the end is checked.
pub struct Scenario {
    pub(crate) crds: Vec<Value>,
    pub(crate) seeds: Vec<Value>,
    pub(crate) admission: Vec<Arc<dyn Admission>>,
    pub(crate) gatekeeper: Option<Make>,
    pub(crate) rates: Rates,
    pub(crate) components: Vec<Component>,
    pub(crate) actors: Vec<Actor>,
    pub(crate) always: Vec<Invariant>,
    pub(crate) finally: Vec<Invariant>,
    /// For how long nothing may change before everything counts as at rest.
    pub(crate) rest: Duration,
    /// How long each part of a run may take.
    pub(crate) patience: Duration,
}

impl Default for Scenario {
    fn default() -> Self {
        Self {
            crds: Vec::new(),
            seeds: Vec::new(),
            admission: Vec::new(),
            gatekeeper: None,
            rates: Rates::all(),
            components: Vec::new(),
            actors: Vec::new(),
            always: Vec::new(),
            finally: Vec::new(),
            rest: Duration::from_mins(5),
            patience: Duration::from_hours(12),
        }
    }
}

impl Scenario {
    /// An empty scenario in which everything may go wrong.
    pub fn new() -> Self {
        Self::default()
    }

    /// Custom resource definitions that the server serves.
    #[must_use]
    pub fn crds(mut self, crds: Vec<Value>) -> Self {
        self.crds = crds;
        self
    }

    /// Objects that are there from the beginning.
    #[must_use]
    pub fn objects(mut self, objects: Vec<Value>) -> Self {
        self.seeds = objects;
        self
    }

    /// Rules that every write passes.
    #[must_use]
    pub fn admission(mut self, plugin: Arc<dyn Admission>) -> Self {
        self.admission.push(plugin);
        self
    }

    /// Rules that every write passes and that read through the server themselves; made anew each time it starts.
    #[must_use]
    pub fn gatekeeper(
        mut self,
        make: impl Fn(ServerCx) -> Arc<dyn Admission> + Send + Sync + 'static,
    ) -> Self {
        self.gatekeeper = Some(Arc::new(make));
        self
    }

    /// What may go wrong, and how often at most.
    #[must_use]
    pub fn faults(mut self, rates: Rates) -> Self {
        self.rates = rates;
        self
    }

    /// Runs a component in so many replicas. One that ends, panics excepted, is started again.
    #[must_use]
    pub fn component<F: Future<Output = ()> + Send + 'static>(
        mut self,
        name: &str,
        replicas: usize,
        start: impl Fn(ProcessCx) -> F + Send + Sync + 'static,
    ) -> Self {
        let start: Start = Arc::new(move |cx| start(cx).boxed());
        self.components.push(Component { name: name.into(), replicas, start });
        self
    }

    /// Lets someone act. Actors meet faulty connections too, but live until they are done.
    #[must_use]
    pub fn actor<F: Future<Output = ()> + Send + 'static>(
        mut self,
        name: &str,
        start: impl Fn(ProcessCx) -> F + Send + Sync + 'static,
    ) -> Self {
        let start: Start = Arc::new(move |cx| start(cx).boxed());
        self.actors.push(Actor { name: name.into(), start });
        self
    }

    /// Must hold after every commit.
    #[must_use]
    pub fn always(
        mut self,
        name: &str,
        check: impl Fn(&View<'_>) -> Result<(), String> + Send + Sync + 'static,
    ) -> Self {
        self.always.push(Invariant { name: name.into(), check: Box::new(check) });
        self
    }

    /// Must hold when everything has come to rest.
    #[must_use]
    pub fn finally(
        mut self,
        name: &str,
        check: impl Fn(&View<'_>) -> Result<(), String> + Send + Sync + 'static,
    ) -> Self {
        self.finally.push(Invariant { name: name.into(), check: Box::new(check) });
        self
    }

    /// For how long nothing may change before everything counts as at rest; changes of Leases and Events do not count.
    #[must_use]
    pub fn rest(mut self, rest: Duration) -> Self {
        self.rest = rest;
        self
    }

    /// How long each part of a run may take, in simulated time.
    #[must_use]
    pub fn patience(mut self, patience: Duration) -> Self {
        self.patience = patience;
        self
    }
}
