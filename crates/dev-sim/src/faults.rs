//! What can go wrong, and how often.
//!
//! Each seed draws its own mix: some faults are absent, others frequent. Rare combinations come up sooner this way than
//! with every fault always at the same small rate.

use std::{
    collections::BTreeMap,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

use parking_lot::Mutex;

use crate::dice::Dice;

/// A kind of fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Fault {
    /// The connection fails before the server sees the request.
    Refused,
    /// The server does what was asked, but the reply is lost.
    LostReply,
    /// A write is answered 409 although nobody interfered.
    Conflict,
    /// 429, with a `Retry-After`.
    Throttled,
    /// 500.
    InternalError,
    /// 504; the effect may have happened or not.
    Timeout,
    /// The request takes seconds to the server, perhaps longer than the caller waits for it.
    SlowRequest,
    /// The reply takes seconds.
    SlowReply,
    /// The process of the caller dies before its request is sent.
    CrashBeforeRequest,
    /// The process of the caller dies after the effect of its request.
    CrashAfterRequest,
    /// An open watch breaks.
    WatchDropped,
    /// Events of a watch arrive late: caches are stale.
    WatchDelayed,
    /// A watch that resumes, or a list that continues, is told that its version is too old.
    WatchExpired,
    /// The disk of the server refuses a batch.
    DiskError,
    /// A component dies at any moment and comes back.
    ComponentCrash,
    /// A component is asked to stop and comes back.
    ComponentRestart,
    /// A component stands still for a while, and does not notice.
    ComponentPause,
    /// The API server dies at any moment and comes back with what was durable.
    ServerCrash,
    /// The wall clock of a component jumps.
    ClockJump,
    /// Somebody else takes a Lease over.
    LeaderChange,
    /// An event of a watch arrives twice.
    WatchRepeated,
    /// A component dies and comes back on another machine: what it had on disk is gone.
    MachineLost,
}

/// Faults that meet a single request or event, with their highest rate per thousand.
const AT_REQUESTS: [(Fault, u32); 15] = [
    (Fault::Refused, 60),
    (Fault::LostReply, 60),
    (Fault::Conflict, 60),
    (Fault::Throttled, 40),
    (Fault::InternalError, 40),
    (Fault::Timeout, 40),
    (Fault::SlowRequest, 40),
    (Fault::SlowReply, 40),
    (Fault::CrashBeforeRequest, 20),
    (Fault::CrashAfterRequest, 20),
    (Fault::WatchDropped, 60),
    (Fault::WatchDelayed, 200),
    (Fault::WatchExpired, 200),
    (Fault::DiskError, 10),
    (Fault::WatchRepeated, 100),
];

/// Faults that strike from time to time, with their highest weight against each other.
const AT_TIMES: [(Fault, u32); 7] = [
    (Fault::ComponentCrash, 100),
    (Fault::ComponentRestart, 60),
    (Fault::ComponentPause, 60),
    (Fault::ServerCrash, 30),
    (Fault::ClockJump, 60),
    (Fault::LeaderChange, 80),
    (Fault::MachineLost, 40),
];

/// How often each fault happens, per thousand occasions.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rates(BTreeMap<Fault, u32>);

impl Rates {
    /// The faults that have a rate.
    pub fn faults(&self) -> impl Iterator<Item = Fault> + '_ {
        self.0.iter().filter(|(_, rate)| **rate > 0).map(|(fault, _)| *fault)
    }

    /// Nothing goes wrong.
    pub fn none() -> Self {
        Self::default()
    }

    /// Everything goes wrong at times.
    pub fn all() -> Self {
        Self(AT_REQUESTS.into_iter().chain(AT_TIMES).collect())
    }

    /// The same, without one fault.
    #[must_use]
    pub fn without(self, fault: Fault) -> Self {
        // Not removed: it still takes part in the draws, so that seeds keep their meaning for the others.
        self.with(fault, 0)
    }

    /// The same, with another highest rate for one fault.
    #[must_use]
    pub fn with(mut self, fault: Fault, per_mille: u32) -> Self {
        self.0.insert(fault, per_mille);
        self
    }

    fn of(&self, fault: Fault) -> u32 {
        self.0.get(&fault).copied().unwrap_or(0)
    }

    /// About half of the faults, each at some rate up to its highest.
    fn drawn(&self, dice: &Dice) -> Self {
        let drawn = self.0.iter().map(|(fault, highest)| {
            let rate = if dice.chance(500) { dice.below(u64::from(*highest) + 1) } else { 0 };
            (*fault, u32::try_from(rate).unwrap_or(*highest))
        });
        Self(drawn.collect())
    }
}

/// The faults of one run; they end before it is checked whether everything comes to rest.
#[derive(Clone)]
pub(crate) struct Faults {
    rates: Rates,
    active: Arc<AtomicBool>,
    struck: Arc<Mutex<BTreeMap<Fault, u64>>>,
}

impl Faults {
    pub(crate) fn new(highest: &Rates, dice: &Dice) -> Self {
        Self::with_rates(highest.drawn(dice))
    }

    fn with_rates(rates: Rates) -> Self {
        Self { rates, active: Arc::default(), struck: Arc::default() }
    }

    /// From here on things go wrong.
    pub(crate) fn begin(&self) {
        self.active.store(true, Ordering::Relaxed);
    }

    /// Whether the fault happens on this occasion.
    pub(crate) fn strikes(&self, fault: Fault, dice: &Dice) -> bool {
        // Drawn even when it is clear, so that the streams of a seed do not depend on its mix.
        let drawn = dice.chance(self.rates.of(fault));
        let strikes = drawn && self.are_active();
        if strikes {
            self.count(fault);
        }
        strikes
    }

    /// The next fault that strikes by itself, if any.
    pub(crate) fn next_strike(&self, dice: &Dice) -> Option<Fault> {
        let weights = AT_TIMES.map(|(fault, _)| (fault, u64::from(self.rates.of(fault))));
        let mut drawn = dice.below(weights.iter().map(|(_, weight)| weight).sum());
        weights.into_iter().find_map(|(fault, weight)| {
            if drawn < weight {
                self.count(fault);
                return Some(fault);
            }
            drawn -= weight;
            None
        })
    }

    pub(crate) fn are_active(&self) -> bool {
        self.active.load(Ordering::Relaxed)
    }

    /// From here on nothing goes wrong any more.
    pub(crate) fn end(&self) {
        self.active.store(false, Ordering::Relaxed);
    }

    /// How often each fault has struck.
    pub(crate) fn struck(&self) -> BTreeMap<Fault, u64> {
        self.struck.lock().clone()
    }

    fn count(&self, fault: Fault) {
        *self.struck.lock().entry(fault).or_default() += 1;
    }

    /// The mix, for the story.
    pub(crate) fn describe(&self) -> String {
        let present = self.rates.0.iter().filter(|(_, rate)| **rate > 0);
        let named: Vec<String> =
            present.map(|(fault, rate)| format!("{fault:?} {rate}‰")).collect();
        if named.is_empty() { "no faults".into() } else { named.join(", ") }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_fault_strikes_after_the_end_or_without_a_rate() {
        let dice = Dice::new(1, "test");
        let always = Rates::none().with(Fault::Refused, 1000);
        let faults = Faults::with_rates(always);
        faults.begin();
        assert!(faults.strikes(Fault::Refused, &dice));
        assert!(!faults.strikes(Fault::Conflict, &dice));
        faults.end();
        assert!(!faults.strikes(Fault::Refused, &dice));
    }

    #[test]
    fn seeds_differ_in_their_mix() {
        let mix = |seed| Faults::new(&Rates::all(), &Dice::new(seed, "mix")).describe();
        assert_eq!(mix(1), mix(1));
        assert!((2..5).any(|seed| mix(seed) != mix(1)));
        assert_eq!(Faults::new(&Rates::none(), &Dice::new(1, "mix")).describe(), "no faults");
    }

    #[test]
    fn strikes_follow_their_weights() {
        let rates = Rates::none().with(Fault::ServerCrash, 10);
        let faults = Faults::with_rates(rates);
        assert_eq!(faults.next_strike(&Dice::new(1, "s")), Some(Fault::ServerCrash));
        let none = Faults::with_rates(Rates::none());
        assert_eq!(none.next_strike(&Dice::new(1, "s")), None);
    }
}
