use std::{collections::BTreeMap, sync::Arc};

use core_clock::{BoxTask, Entropy, ManualClock, SeededEntropy, Tasks, Time};
use futures::FutureExt;
use proptest::prelude::*;

use super::*;

struct NoTasks;

impl Tasks for NoTasks {
    fn spawn(&self, _: &'static str, _: BoxTask) {}
    fn stopping(&self) -> BoxTask {
        Box::pin(std::future::pending())
    }
}

fn ports() -> (Ports, ManualClock) {
    let clock = ManualClock::new(Time::from_seconds(0));
    let ports = Ports {
        clock: Arc::new(clock.clone()),
        entropy: Arc::new(SeededEntropy::new(1)),
        tasks: Arc::new(NoTasks),
    };
    (ports, clock)
}

fn next(queue: &Queue<&'static str>) -> Option<&'static str> {
    queue.next().now_or_never()
}

#[test]
fn a_key_that_is_added_twice_is_handed_out_once() {
    let (ports, _) = ports();
    let queue = Queue::new("test", &ports);
    queue.add("a");
    queue.add("b");
    queue.add("a");
    assert_eq!((next(&queue), next(&queue), next(&queue)), (Some("a"), Some("b"), None));
}

#[test]
fn a_key_is_never_with_two_workers_and_comes_again_when_added_meanwhile() {
    let (ports, _) = ports();
    let queue = Queue::new("test", &ports);
    queue.add("a");
    assert_eq!(next(&queue), Some("a"));
    queue.add("a");
    assert_eq!(next(&queue), None);
    queue.finish(&"a", Then::Rest);
    assert_eq!(next(&queue), Some("a"));
    queue.finish(&"a", Then::Rest);
    assert_eq!(next(&queue), None);
}

#[test]
fn of_two_delays_the_earlier_counts_and_a_pass_in_between_makes_both_needless() {
    let (ports, clock) = ports();
    let queue = Queue::new("test", &ports);
    queue.add_after("a", Duration::from_secs(20));
    queue.add_after("a", Duration::from_secs(10));
    queue.add_after("a", Duration::from_secs(30));
    clock.advance(Duration::from_secs(9));
    assert_eq!(next(&queue), None);
    clock.advance(Duration::from_secs(1));
    assert_eq!(next(&queue), Some("a"));
    queue.finish(&"a", Then::After(Duration::from_secs(5)));
    queue.add("a");
    assert_eq!(next(&queue), Some("a"));
    queue.finish(&"a", Then::Rest);
    clock.advance(Duration::from_mins(1));
    assert_eq!(next(&queue), None);
}

#[test]
fn a_waiting_worker_hears_of_an_earlier_delay() {
    let (ports, clock) = ports();
    let queue = Queue::new("test", &ports);
    queue.add_after("late", Duration::from_secs(100));
    let mut waiting = Box::pin(queue.next());
    assert!((&mut waiting).now_or_never().is_none());
    queue.add_after("soon", Duration::from_secs(1));
    assert!((&mut waiting).now_or_never().is_none());
    clock.advance(Duration::from_secs(1));
    assert_eq!(waiting.now_or_never(), Some("soon"));
}

#[test]
fn failures_in_a_row_wait_longer_each_time_until_one_pass_succeeds() {
    let (ports, clock) = ports();
    let queue = Queue::new("test", &ports);
    queue.add("a");
    let mut waits = Vec::new();
    for _ in 0..6 {
        let mut waited = Duration::ZERO;
        while next(&queue).is_none() {
            clock.advance(Duration::from_millis(1));
            waited += Duration::from_millis(1);
        }
        queue.finish(&"a", Then::Retry);
        waits.push(waited);
    }
    assert!(waits.windows(2).all(|pair| pair[0] <= pair[1]), "{waits:?}");
    assert!(waits[5] >= Duration::from_millis(400), "{waits:?}");
    clock.advance(Duration::from_mins(2));
    assert_eq!(next(&queue), Some("a"));
    queue.finish(&"a", Then::Rest);
    queue.add("a");
    next(&queue);
    queue.finish(&"a", Then::Retry);
    clock.advance(BACKOFF.base);
    assert_eq!(next(&queue), Some("a"));
}

#[test]
fn groups_take_turns() {
    let (ports, _) = ports();
    let queue = Queue::fair("test", &ports, |key: &&str| key[..1].to_owned());
    for key in ["a1", "a2", "a3", "b1", "b2", "c1"] {
        queue.add(key);
    }
    let order: Vec<_> = std::iter::from_fn(|| next(&queue)).collect();
    assert_eq!(order, ["a1", "b1", "c1", "a2", "b2", "a3"]);
}

#[test]
fn is_stalled_only_when_a_key_waits_and_nothing_is_finished() {
    let (ports, clock) = ports();
    let queue = Queue::new("test", &ports);
    let limit = Duration::from_mins(1);
    clock.advance(Duration::from_secs(1_000));
    assert_eq!(queue.stalled(limit), None);
    queue.add("a");
    queue.add("b");
    assert_eq!(next(&queue), Some("a"));
    clock.advance(Duration::from_secs(61));
    assert_eq!(queue.stalled(limit), Some(Duration::from_secs(61)));
    queue.finish(&"a", Then::Rest);
    assert_eq!(queue.stalled(limit), None);
    assert_eq!(next(&queue), Some("b"));
    clock.advance(Duration::from_secs(61));
    assert_eq!(queue.stalled(limit), None, "nothing is ready");
}

proptest! {
    #[test]
    fn every_added_key_is_handed_out_and_none_twice_at_once(seed in any::<u64>()) {
        let (ports, clock) = ports();
        let queue = Queue::fair("test", &ports, |key: &u64| (key % 3).to_string());
        let entropy = SeededEntropy::new(seed);
        // By key: whether something was added that no later pass has begun on.
        let mut owed: BTreeMap<u64, bool> = BTreeMap::new();
        let mut running: Vec<u64> = Vec::new();
        for _ in 0..200 {
            let key = entropy.below(8);
            match entropy.below(5) {
                0 => { queue.add(key); owed.insert(key, true); }
                1 => { queue.add_after(key, Duration::from_secs(entropy.below(5))); owed.insert(key, true); }
                2 => clock.advance(Duration::from_secs(1)),
                3 => if let Some(key) = queue.next().now_or_never() {
                    prop_assert!(!running.contains(&key), "two workers at {key}");
                    running.push(key);
                    owed.insert(key, false);
                },
                _ => if let Some(key) = running.pop() { queue.finish(&key, Then::Rest) },
            }
        }
        for key in running { queue.finish(&key, Then::Rest); }
        clock.advance(Duration::from_secs(10));
        while let Some(key) = queue.next().now_or_never() {
            owed.insert(key, false);
            queue.finish(&key, Then::Rest);
        }
        prop_assert!(owed.values().all(|owed| !owed), "{owed:?}");
    }
}
