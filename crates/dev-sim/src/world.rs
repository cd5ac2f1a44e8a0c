//! Everything that one run shares.

use std::sync::Arc;

use core_clock::{Clock, ManualClock, Time};
use parking_lot::Mutex;

use crate::{
    dice::Dice,
    engine::{Engine, Setup},
    executor::Executor,
    faults::Faults,
    ledger::Ledger,
    process::Replica,
    scenario::{Invariant, Scenario},
    story::Story,
    view::View,
};

/// The wall clock at the beginning: 2026-01-01T00:00:00Z.
const START: Time = Time::from_seconds(1_767_225_600);

/// The world of one run.
pub(crate) struct World {
    pub(crate) seed: u64,
    pub(crate) executor: Executor,
    pub(crate) clock: ManualClock,
    pub(crate) faults: Faults,
    pub(crate) story: Story,
    pub(crate) ledger: Ledger,
    pub(crate) engine: Arc<Engine>,
    pub(crate) scenario: Scenario,
    /// The replicas of all components, for those who do them harm.
    pub(crate) replicas: Mutex<Vec<Arc<Replica>>>,
}

impl World {
    pub(crate) fn new(seed: u64, mut scenario: Scenario) -> Self {
        let clock = ManualClock::new(START);
        let executor = Executor::new(Dice::new(seed, "schedule"));
        let faults = Faults::new(&scenario.rates, &Dice::new(seed, "mix of faults"));
        let story = Story::new(clock.clone());
        let ledger = Ledger::new(clock.clone());
        let engine = Engine::new(Setup {
            seed,
            executor: executor.clone(),
            clock: clock.clone(),
            faults: faults.clone(),
            story: story.clone(),
            ledger: ledger.clone(),
            crds: std::mem::take(&mut scenario.crds),
            objects: std::mem::take(&mut scenario.seeds),
            admission: std::mem::take(&mut scenario.admission),
            gatekeeper: scenario.gatekeeper.take(),
        });
        Self {
            seed,
            executor,
            clock,
            faults,
            story,
            ledger,
            engine: Arc::new(engine),
            scenario,
            replicas: Mutex::default(),
        }
    }

    /// The stream of choices for a purpose.
    pub(crate) fn dice(&self, purpose: &str) -> Dice {
        Dice::new(self.seed, purpose)
    }

    /// Checks what must always hold, if something was committed since the last time.
    pub(crate) fn check_always(&self) -> Result<(), String> {
        let Some(running) = self.engine.running() else { return Ok(()) };
        let Some(changes) = self.ledger.take_unseen() else { return Ok(()) };
        let view = View { store: &running.store, changes: &changes, now: self.clock.now() };
        check(&self.scenario.always, &view)
    }

    /// Checks what must hold in the end.
    pub(crate) fn check_finally(&self) -> Result<(), String> {
        let running = self.engine.running().ok_or("the API server is down in the end")?;
        let view = View { store: &running.store, changes: &[], now: self.clock.now() };
        check(&self.scenario.always, &view)?;
        check(&self.scenario.finally, &view)
    }

    /// Ends everything, so that nothing of the run stays in memory.
    pub(crate) fn end(&self) {
        self.executor.clear();
        self.engine.crash();
    }
}

fn check(invariants: &[Invariant], view: &View<'_>) -> Result<(), String> {
    invariants.iter().try_for_each(|invariant| {
        (invariant.check)(view)
            .map_err(|reason| format!("invariant {:?} is broken: {reason}", invariant.name))
    })
}
