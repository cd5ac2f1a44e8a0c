//! Spreads over time what nobody waits for.

use std::{sync::Arc, time::Duration};

use core_clock::Clock;
use tokio::sync::watch;

/// The longest time between two requests of one search: what is little is done soon.
const LONGEST_GAP: Duration = Duration::from_secs(1);

/// How fast a search asks whether tags still are what they were. Clones share it.
///
/// As long as nothing is found to have changed, the questions are spread, which spares the registry.
/// With the first change somebody waits for the result, and the rest is asked for at once.
#[derive(Clone, Default)]
pub struct Pace {
    spread: Option<Arc<Spread>>,
}

struct Spread {
    clock: Arc<dyn Clock>,
    began: Duration,
    time: Duration,
    hurried: watch::Sender<bool>,
}

impl Pace {
    /// As fast as the registry's budget allows.
    pub fn at_once() -> Self {
        Self::default()
    }

    /// From now on over up to this time.
    pub fn over(time: Duration, clock: Arc<dyn Clock>) -> Self {
        let began = clock.monotonic();
        let spread = Spread { clock, began, time, hurried: watch::Sender::new(false) };
        Self { spread: Some(Arc::new(spread)) }
    }

    /// Something has changed: nothing is spread any more.
    pub fn hurry(&self) {
        if let Some(spread) = &self.spread {
            spread.hurried.send_replace(true);
        }
    }

    /// Waits for the moment of question `number`, from 0, out of `count`.
    pub async fn moment(&self, number: usize, count: usize) {
        let Some(spread) = &self.spread else { return };
        let wait = spread.moment(number, count).saturating_sub(spread.clock.monotonic());
        if wait.is_zero() {
            return;
        }
        let mut hurried = spread.hurried.subscribe();
        tokio::select! {
            biased;
            _ = hurried.wait_for(|hurried| *hurried) => {}
            () = spread.clock.sleep(wait) => {}
        }
    }
}

impl Spread {
    fn moment(&self, number: usize, count: usize) -> Duration {
        let parts = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
        let gap = (self.time / parts(count).max(1)).min(LONGEST_GAP);
        self.began + gap.saturating_mul(parts(number)).min(self.time)
    }
}

#[cfg(test)]
mod tests {
    use std::task::Poll;

    use core_clock::{ManualClock, Time};
    use futures::{StreamExt as _, future::join_all, poll, stream::FuturesUnordered};

    use super::*;

    fn pace(seconds: u64) -> (Pace, ManualClock) {
        let clock = ManualClock::new(Time::default());
        (Pace::over(Duration::from_secs(seconds), Arc::new(clock.clone())), clock)
    }

    #[tokio::test]
    async fn questions_are_spread_evenly_and_few_of_them_no_further_than_a_second() {
        for (count, second, asked) in
            [(1_000, 0, 1), (1_000, 30, 201), (1_000, 150, 1_000), (20, 5, 6)]
        {
            let (pace, clock) = pace(150);
            let moments = (0..count).map(|number| pace.moment(number, count));
            let mut moments: FuturesUnordered<_> = moments.collect();
            clock.advance(Duration::from_secs(second));
            let mut past = 0;
            while let Poll::Ready(Some(())) = poll!(moments.next()) {
                past += 1;
            }
            assert_eq!(past, asked, "{count} {second}");
        }
    }

    #[tokio::test]
    async fn a_change_ends_the_waiting_of_all_and_of_those_to_come() {
        let (pace, _clock) = pace(150);
        let clone = pace.clone();
        let mut waiting = join_all((1..10).map(|number| clone.moment(number, 10)));
        assert!(poll!(&mut waiting).is_pending());
        pace.hurry();
        assert!(poll!(&mut waiting).is_ready());
        assert!(poll!(Box::pin(pace.moment(9, 10))).is_ready());
        assert!(poll!(Box::pin(Pace::at_once().moment(9, 10))).is_ready());
    }
}
