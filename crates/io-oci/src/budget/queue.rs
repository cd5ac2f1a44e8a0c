//! Who waits for a turn, and whose turn is next.
//!
//! Every other turn goes round all lanes, so that each of them advances whatever the others do. The
//! turns between go to the lane with the least left to do: a Warehouse with twenty tags is through in
//! seconds while hundreds with a thousand tags each stand in line, and hardly any of them notices.

use std::collections::VecDeque;

use super::Lane;

/// Waiters in lanes, in the order of their turns.
pub(super) struct Queue<W> {
    /// No lane is empty.
    lanes: VecDeque<(Lane, VecDeque<Waiting<W>>)>,
    /// Whether the next turn is one of those that go round.
    goes_round: bool,
}

struct Waiting<W> {
    /// How much its caller had left to do when it came.
    left: usize,
    waiter: W,
}

impl<W> Default for Queue<W> {
    fn default() -> Self {
        Self { lanes: VecDeque::new(), goes_round: false }
    }
}

impl<W> Queue<W> {
    pub(super) fn is_empty(&self) -> bool {
        self.lanes.is_empty()
    }

    pub(super) fn clear(&mut self) {
        self.lanes.clear();
    }

    /// Puts a waiter at the end of its lane.
    pub(super) fn push(&mut self, lane: &Lane, left: usize, waiter: W) {
        let waiting = Waiting { left, waiter };
        match self.lanes.iter_mut().find(|(known, _)| known == lane) {
            Some((_, waiters)) => waiters.push_back(waiting),
            None => self.lanes.push_back((lane.clone(), VecDeque::from([waiting]))),
        }
    }

    /// The lanes, in the order in which turns go round.
    pub(super) fn lanes(&self) -> impl Iterator<Item = &Lane> {
        self.lanes.iter().map(|(lane, _)| lane)
    }

    /// Takes the waiter whose turn is next among the lanes that may go, and puts its lane behind the
    /// others.
    pub(super) fn next(&mut self, may_go: impl Fn(&Lane) -> bool) -> Option<W> {
        let mut free = self.lanes.iter().enumerate().filter(|(_, (lane, _))| may_go(lane));
        let (at, _) = if self.goes_round {
            free.next()
        } else {
            // Among equals the first counts.
            free.min_by_key(|(_, (_, waiters))| waiters.front().map(|first| first.left))
        }?;
        self.goes_round = !self.goes_round;
        self.take(at)
    }

    /// Takes the first waiter of the first lane that is as wanted, out of turn.
    pub(super) fn take_from(&mut self, wanted: impl Fn(&Lane) -> bool) -> Option<W> {
        let at = self.lanes().position(wanted)?;
        self.take(at)
    }

    /// Drops waiters that have given up. Only the heads of lanes are looked at: the rest is looked at
    /// when its turn comes.
    pub(super) fn forget(&mut self, has_given_up: impl Fn(&W) -> bool) {
        self.lanes.retain_mut(|(_, waiters)| {
            while waiters.front().is_some_and(|first| has_given_up(&first.waiter)) {
                waiters.pop_front();
            }
            !waiters.is_empty()
        });
    }

    fn take(&mut self, at: usize) -> Option<W> {
        let (lane, mut waiters) = self.lanes.remove(at)?;
        let first = waiters.pop_front();
        if !waiters.is_empty() {
            self.lanes.push_back((lane, waiters));
        }
        first.map(|first| first.waiter)
    }
}

#[cfg(test)]
mod tests {
    use proptest::{collection::vec, prelude::*};

    use super::*;

    fn lane(number: usize) -> Lane {
        Lane { caller: format!("warehouse-{number}"), credential: None }
    }

    /// What happens to a queue: callers come with so much left to do, or a turn is given.
    #[derive(Clone, Debug)]
    enum Event {
        Comes { caller: usize, left: usize },
        Turn,
    }

    fn events() -> impl Strategy<Value = Vec<Event>> {
        let comes =
            (0..12_usize, 0..1_000_usize).prop_map(|(caller, left)| Event::Comes { caller, left });
        vec(prop_oneof![comes, Just(Event::Turn)], 0..200)
    }

    proptest! {
        #[test]
        fn nobody_waits_for_more_than_two_turns_of_each_lane_before_it(events in events()) {
            let mut queue = Queue::default();
            // The turn by which the head of each waiting lane must have been served.
            let mut latest: Vec<Option<usize>> = vec![None; 12];
            let mut turns = 0;
            for event in events {
                match event {
                    Event::Comes { caller, left } => {
                        queue.push(&lane(caller), left, caller);
                        let before = queue.lanes().count();
                        latest[caller] = latest[caller].or(Some(turns + 2 * before));
                    }
                    Event::Turn => {
                        let Some(caller) = queue.next(|_| true) else { continue };
                        turns += 1;
                        prop_assert!(latest[caller].is_some_and(|latest| turns <= latest));
                        let waits = queue.lanes().any(|waiting| *waiting == lane(caller));
                        latest[caller] = waits.then(|| turns + 2 * queue.lanes().count());
                        prop_assert!(latest.iter().flatten().all(|latest| turns <= *latest));
                    }
                }
            }
        }

        #[test]
        fn everybody_is_served_once_and_in_the_order_of_the_lane(callers in vec(0..5_usize, 0..60)) {
            let mut queue = Queue::default();
            for (number, caller) in callers.iter().enumerate() {
                queue.push(&lane(*caller), number % 7, number);
            }
            let mut served = vec![Vec::new(); 5];
            while let Some(number) = queue.next(|_| true) {
                served[callers[number]].push(number);
            }
            prop_assert_eq!(served.iter().map(Vec::len).sum::<usize>(), callers.len());
            prop_assert!(served.iter().all(|numbers| numbers.is_sorted()));
        }

        #[test]
        fn who_has_least_to_do_has_every_other_turn(crowd in 1..300_usize, few in 1..50_usize) {
            let mut queue = Queue::default();
            for caller in 1..=crowd {
                for left in (0..32).rev() {
                    queue.push(&lane(caller), 900 + left, caller);
                }
            }
            for left in (0..few).rev() {
                queue.push(&lane(0), left, 0);
            }
            let turns = std::iter::from_fn(|| queue.next(|_| true)).take(2 * few);
            prop_assert!(turns.filter(|caller| *caller == 0).count() >= few);
        }
    }

    #[test]
    fn lanes_that_may_not_go_keep_their_place() {
        let mut queue = Queue::default();
        for caller in 0..3 {
            queue.push(&lane(caller), 1, caller);
        }
        assert_eq!(queue.next(|waiting| *waiting != lane(0)), Some(1));
        assert_eq!(queue.next(|waiting| *waiting != lane(0)), Some(2));
        assert_eq!(queue.next(|waiting| *waiting != lane(0)), None);
        assert_eq!(queue.next(|_| true), Some(0));
    }
}
