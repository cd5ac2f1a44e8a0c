//! Drives one run: a task at a time, and time itself when no task is ready.
//!
//! The driver is the root future of a current-thread tokio runtime, because `kube::Client` keeps its requests in a
//! `tower` buffer whose worker is spawned on tokio. That runtime has no timer and no I/O; it runs those workers in the
//! order in which our tasks wake them, between two steps, so that it adds no choice of its own. Everything else runs on the
//! seeded executor. What could still differ between two runs of one seed is code that asks for randomness behind our back:
//! `tokio::select!` without `biased`, `futures::select!`, and iteration over maps with random hashes. Components avoid
//! them; comparing the audit logs of two runs finds those that do not.

use std::{
    collections::BTreeMap,
    future::poll_fn,
    sync::Arc,
    task::{Poll, Waker},
};

use core_clock::Tasks;
use futures::FutureExt;
use parking_lot::Mutex;

use crate::{
    director::direct, executor::Step, faults::Fault, scenario::Scenario, story::Records,
    world::World,
};

/// Rounds without a ready task until the workers on tokio are at rest too: they run to the end in the first, and those that
/// yielded by themselves in the second.
const SETTLED: u32 = 3;
/// The most steps that may be taken while time stands still.
const STEPS_PER_INSTANT: u64 = 1_000_000;

/// How a run went.
pub(crate) struct Outcome {
    pub(crate) result: Result<(), String>,
    pub(crate) records: Records,
    pub(crate) struck: BTreeMap<Fault, u64>,
}

/// Runs a scenario with a seed.
pub(crate) fn run(scenario: Scenario, seed: u64) -> Outcome {
    // Every worker runs before the next step: a worker never waits because others are many.
    let built = tokio::runtime::Builder::new_current_thread().event_interval(1 << 20).build();
    let runtime = match built {
        Ok(runtime) => runtime,
        Err(error) => {
            let result = Err(format!("the runtime cannot be built: {error}"));
            return Outcome { result, records: Records::default(), struck: BTreeMap::new() };
        }
    };
    let world = Arc::new(World::new(seed, scenario));
    let mut driver = Driver::new(world.clone());
    let result = runtime.block_on(poll_fn(|cx| driver.poll(cx.waker())));
    if let Err(reason) = &result {
        world.story.tell("director", reason);
    }
    let records = world.story.records();
    // Inside the runtime: what is dropped may talk to the workers.
    runtime.block_on(async { world.end() });
    Outcome { result, records, struck: world.faults.struck() }
}

struct Driver {
    world: Arc<World>,
    result: Arc<Mutex<Option<Result<(), String>>>>,
    idle_rounds: u32,
    steps: u64,
}

impl Driver {
    fn new(world: Arc<World>) -> Self {
        let result = Arc::new(Mutex::new(None));
        let (course, answer) = (direct(world.clone()), result.clone());
        let task = course.map(move |outcome| *answer.lock() = Some(outcome)).boxed();
        world.executor.group("director").spawn("director", task);
        Self { world, result, idle_rounds: 0, steps: 0 }
    }

    /// One round; the runtime runs its workers before the next.
    fn poll(&mut self, waker: &Waker) -> Poll<Result<(), String>> {
        match self.round() {
            Ok(()) => {}
            Err(reason) => return Poll::Ready(Err(reason)),
        }
        if let Some(result) = self.result.lock().take() {
            return Poll::Ready(result);
        }
        waker.wake_by_ref();
        Poll::Pending
    }

    fn round(&mut self) -> Result<(), String> {
        match self.world.executor.step() {
            Step::Panicked(text) => Err(text),
            Step::Ran(label) => {
                self.idle_rounds = 0;
                self.steps += 1;
                if self.steps > STEPS_PER_INSTANT {
                    return Err(format!("time stands still: {label} runs without end"));
                }
                self.world.check_always()
            }
            Step::Idle => {
                self.idle_rounds += 1;
                if self.idle_rounds < SETTLED { Ok(()) } else { self.advance() }
            }
        }
    }

    /// Moves time to whoever wakes next.
    fn advance(&mut self) -> Result<(), String> {
        self.idle_rounds = 0;
        self.steps = 0;
        let due =
            self.world.clock.next_due().ok_or("nobody waits for a time and nothing happens")?;
        self.world.clock.advance(due);
        Ok(())
    }
}
