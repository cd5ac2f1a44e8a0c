//! The request budget of one host: so many requests per second, fair between callers.
//!
//! Requests that must wait stand in lanes, one per caller, and the lanes take turns ([`queue`]), so a
//! Warehouse with a thousand tags delays one with two tags by a few turns, not by a thousand. When the
//! host asks a credential to pause, that credential's requests stand still and the others go on.

mod queue;

use std::{collections::HashMap, sync::Arc, time::Duration};

use core_clock::{Clock, Tasks};
use core_rules::credential::Credential;
use parking_lot::Mutex;
use tokio::sync::oneshot;

use self::queue::Queue;
use crate::{Error, Ports};

/// How many requests may follow each other at once after a quiet time.
const SLACK: u32 = 10;
/// A request waits for a pause of up to this; a longer one is an error at once.
const LONGEST_WAIT: Duration = Duration::from_secs(30);
/// What a pause is when the host refuses without naming one.
const UNNAMED_PAUSE: Duration = Duration::from_secs(1);
/// The dispatcher looks again at least this often, for callers that came while it slept.
const LONGEST_SLEEP: Duration = Duration::from_millis(250);

/// Who a request is for, and with which credential.
#[derive(Clone, PartialEq, Eq, Hash)]
pub(crate) struct Lane {
    pub(crate) caller: String,
    pub(crate) credential: Option<Credential>,
}

/// The budget of one host.
pub(crate) struct Budget {
    shared: Arc<Shared>,
    tasks: Arc<dyn Tasks>,
}

struct Shared {
    host: String,
    clock: Arc<dyn Clock>,
    interval: Duration,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// When the next request may go, in monotonic time.
    next: Duration,
    queue: Queue<Waiter>,
    pauses: Pauses,
    dispatching: bool,
}

/// Until when credentials are to be left alone, in monotonic time.
#[derive(Default)]
struct Pauses {
    until: HashMap<Option<Credential>, Duration>,
}

type Waiter = oneshot::Sender<Result<(), Duration>>;

enum Step {
    Answer(Waiter, Result<(), Duration>),
    Wait(Duration),
    Done,
}

impl Budget {
    pub(crate) fn new(host: &str, rate_per_second: u32, ports: &Ports) -> Self {
        let shared = Shared {
            host: host.to_owned(),
            clock: ports.clock.clone(),
            interval: Duration::from_secs(1) / rate_per_second.max(1),
            state: Mutex::default(),
        };
        Self { shared: Arc::new(shared), tasks: ports.tasks.clone() }
    }

    /// Waits for the turn of `lane`, whose caller has about `left` things left to do.
    ///
    /// Cancel safety: a request that is given up while it waits costs nothing.
    pub(crate) async fn acquire(&self, lane: &Lane, left: usize) -> Result<(), Error> {
        let Some(turn) = self.enqueue(lane, left)? else { return Ok(()) };
        match turn.await {
            Ok(Ok(())) => Ok(()),
            Ok(Err(after)) => Err(self.limited(after)),
            Err(_) => Err(Error::Stopping),
        }
    }

    /// Lets nothing of `lane`'s credential through for `pause`.
    pub(crate) fn pause(&self, lane: &Lane, pause: Duration) {
        let now = self.shared.clock.monotonic();
        self.shared.state.lock().pauses.add(lane, now, pause);
    }

    pub(crate) fn is_paused(&self, lane: &Lane) -> bool {
        let now = self.shared.clock.monotonic();
        self.shared.state.lock().pauses.left(lane, now).is_some()
    }

    /// The error that says for how long the host has asked not to be called.
    pub(crate) fn refusal(&self, lane: &Lane) -> Error {
        let now = self.shared.clock.monotonic();
        let left = self.shared.state.lock().pauses.left(lane, now);
        self.limited(left.unwrap_or(UNNAMED_PAUSE))
    }

    fn limited(&self, after: Duration) -> Error {
        Error::RateLimited { host: self.shared.host.clone(), after }
    }

    /// Takes the turn at once (`None`), or stands in line.
    fn enqueue(
        &self,
        lane: &Lane,
        left: usize,
    ) -> Result<Option<oneshot::Receiver<Result<(), Duration>>>, Error> {
        let now = self.shared.clock.monotonic();
        let mut state = self.shared.state.lock();
        let pause = state.pauses.left(lane, now);
        if let Some(left) = pause.filter(|left| *left > LONGEST_WAIT) {
            return Err(self.limited(left));
        }
        if pause.is_none() && state.queue.is_empty() && state.take_slot(now, self.shared.interval) {
            return Ok(None);
        }
        let (waiter, turn) = oneshot::channel();
        state.queue.push(lane, left, waiter);
        if !std::mem::replace(&mut state.dispatching, true) {
            let stopping = self.tasks.stopping();
            self.tasks.spawn("registry budget", Box::pin(dispatch(self.shared.clone(), stopping)));
        }
        Ok(Some(turn))
    }
}

/// Hands out turns until nobody waits.
async fn dispatch(shared: Arc<Shared>, mut stopping: core_clock::BoxTask) {
    loop {
        let step = shared.state.lock().step(shared.clock.monotonic(), shared.interval);
        match step {
            Step::Answer(waiter, answer) => {
                // Whoever gave up does not use the slot.
                if waiter.send(answer).is_err() && answer.is_ok() {
                    shared.state.lock().next -= shared.interval;
                }
            }
            Step::Wait(wait) => tokio::select! {
                () = shared.clock.sleep(wait) => {}
                () = &mut stopping => {
                    let mut state = shared.state.lock();
                    state.queue.clear();
                    state.dispatching = false;
                    return;
                }
            },
            Step::Done => return,
        }
    }
}

impl Pauses {
    fn add(&mut self, lane: &Lane, now: Duration, pause: Duration) {
        self.until.retain(|_, until| *until > now);
        let known = self.until.entry(lane.credential.clone()).or_default();
        *known = (*known).max(now + pause);
    }

    /// How long the credential of `lane` is still paused.
    fn left(&self, lane: &Lane, now: Duration) -> Option<Duration> {
        let left = self.until.get(&lane.credential)?.saturating_sub(now);
        (!left.is_zero()).then_some(left)
    }
}

impl State {
    fn take_slot(&mut self, now: Duration, interval: Duration) -> bool {
        let earliest = self.next.max(now.saturating_sub(interval * SLACK));
        let free = earliest <= now;
        if free {
            self.next = earliest + interval;
        }
        free
    }

    fn step(&mut self, now: Duration, interval: Duration) -> Step {
        self.queue.forget(oneshot::Sender::is_closed);
        if self.queue.is_empty() {
            self.dispatching = false;
            return Step::Done;
        }
        if let Some(refused) = self.refuse(now) {
            return refused;
        }
        let pauses = self.queue.lanes().map(|lane| self.pauses.left(lane, now));
        let shortest = pauses.flatten().min().unwrap_or(LONGEST_SLEEP).min(LONGEST_SLEEP);
        if self.queue.lanes().all(|lane| self.pauses.left(lane, now).is_some()) {
            return Step::Wait(shortest);
        }
        if !self.take_slot(now, interval) {
            return Step::Wait(shortest.min(self.next.saturating_sub(now)));
        }
        let next = self.queue.next(|lane| self.pauses.left(lane, now).is_none());
        next.map_or(Step::Wait(Duration::ZERO), |waiter| Step::Answer(waiter, Ok(())))
    }

    /// The answer to one that would have to wait too long.
    fn refuse(&mut self, now: Duration) -> Option<Step> {
        let too_long =
            |lane: &Lane| self.pauses.left(lane, now).filter(|left| *left > LONGEST_WAIT);
        let left = self.queue.lanes().find_map(too_long)?;
        let waiter = self.queue.take_from(|lane| too_long(lane).is_some())?;
        Some(Step::Answer(waiter, Err(left)))
    }
}

#[cfg(test)]
mod tests;
