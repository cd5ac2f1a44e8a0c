use std::sync::Arc;

use core_clock::{ManualClock, SeededEntropy, Time};
use futures::{StreamExt, future::BoxFuture, stream::FuturesUnordered};
use io_runtime::TaskGroup;

use super::*;

fn budget(rate: u32) -> (Arc<Budget>, ManualClock) {
    let clock = ManualClock::new(Time::default());
    let ports = Ports {
        clock: Arc::new(clock.clone()),
        entropy: Arc::new(SeededEntropy::new(1)),
        tasks: Arc::new(TaskGroup::new()),
    };
    (Arc::new(Budget::new("registry.example", rate, &ports)), clock)
}

fn lane(caller: &str) -> Lane {
    Lane { caller: caller.into(), credential: None }
}

fn other_credential(caller: &str) -> Lane {
    Lane { caller: caller.into(), credential: Some(Credential::basic("u", "p")) }
}

fn turn(budget: &Arc<Budget>, lane: Lane) -> BoxFuture<'static, Result<(), Error>> {
    let budget = budget.clone();
    Box::pin(async move { budget.acquire(&lane, 1).await })
}

/// Lets the dispatcher and the waiters run, then moves the clock.
async fn pass(clock: &ManualClock, by: Duration) {
    for _ in 0..8 {
        tokio::task::yield_now().await;
    }
    clock.advance(by);
    for _ in 0..8 {
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn a_burst_passes_and_then_the_rate_holds() {
    let (budget, clock) = budget(10);
    clock.advance(Duration::from_mins(1));
    for _ in 0..=SLACK {
        budget.acquire(&lane("a"), 1).await.unwrap();
    }
    let mut waiting = turn(&budget, lane("a"));
    assert!(futures::poll!(&mut waiting).is_pending());
    pass(&clock, Duration::from_millis(99)).await;
    assert!(futures::poll!(&mut waiting).is_pending());
    pass(&clock, Duration::from_millis(1)).await;
    assert!(futures::poll!(&mut waiting).is_ready());
}

#[tokio::test]
async fn a_small_caller_does_not_stand_behind_a_large_one() {
    let (budget, clock) = budget(1);
    budget.acquire(&lane("warm-up"), 1).await.unwrap();
    let mut order = Vec::new();
    let mut waiting = FuturesUnordered::new();
    for caller in ["large"; 50].into_iter().chain(["small", "small"]) {
        let budget = budget.clone();
        waiting.push(async move {
            budget.acquire(&lane(caller), 1).await.unwrap();
            caller
        });
    }
    while order.len() < 4 {
        if let std::task::Poll::Ready(Some(caller)) = futures::poll!(waiting.next()) {
            order.push(caller);
            continue;
        }
        pass(&clock, Duration::from_secs(1)).await;
    }
    assert_eq!(order, ["large", "small", "large", "small"]);
}

#[tokio::test]
async fn a_pause_holds_one_credential_and_not_the_others() {
    let (budget, clock) = budget(100);
    budget.pause(&lane("a"), Duration::from_secs(5));
    let mut paused = turn(&budget, lane("a"));
    assert!(futures::poll!(&mut paused).is_pending());
    let mut free = turn(&budget, other_credential("b"));
    assert!(futures::poll!(&mut free).is_pending());
    pass(&clock, Duration::from_millis(250)).await;
    assert!(futures::poll!(&mut free).is_ready());
    for _ in 0..18 {
        pass(&clock, Duration::from_millis(250)).await;
    }
    assert!(futures::poll!(&mut paused).is_pending());
    pass(&clock, Duration::from_millis(250)).await;
    assert!(futures::poll!(&mut paused).is_ready());
}

#[tokio::test]
async fn a_long_pause_is_an_error_at_once_also_for_those_in_line() {
    let (budget, clock) = budget(1);
    budget.acquire(&lane("a"), 1).await.unwrap();
    let mut waiting = turn(&budget, lane("a"));
    assert!(futures::poll!(&mut waiting).is_pending());
    budget.pause(&lane("a"), Duration::from_mins(10));
    pass(&clock, Duration::from_millis(250)).await;
    let error = waiting.await.unwrap_err();
    assert!(matches!(error, Error::RateLimited { .. }), "{error}");
    assert_eq!(
        budget.acquire(&lane("b"), 1).await.unwrap_err().to_string(),
        "registry.example limits the rate of requests; the next is sent in 599 s"
    );
}

#[tokio::test]
async fn who_gives_up_costs_nothing() {
    let (budget, clock) = budget(1);
    budget.acquire(&lane("a"), 1).await.unwrap();
    let mut given_up = turn(&budget, lane("a"));
    let mut waiting = turn(&budget, lane("b"));
    assert!(futures::poll!(&mut given_up).is_pending());
    assert!(futures::poll!(&mut waiting).is_pending());
    drop(given_up);
    pass(&clock, Duration::from_secs(1)).await;
    assert!(futures::poll!(&mut waiting).is_ready());
}
