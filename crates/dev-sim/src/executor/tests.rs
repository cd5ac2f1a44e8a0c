use std::sync::Arc;

use core_clock::Tasks;
use futures::FutureExt;
use parking_lot::Mutex;

use super::*;

/// Yields once.
async fn pause() {
    let mut yielded = false;
    std::future::poll_fn(|cx| {
        if std::mem::replace(&mut yielded, true) {
            return Poll::Ready(());
        }
        cx.waker().wake_by_ref();
        Poll::Pending
    })
    .await;
}

fn run(executor: &Executor) {
    while executor.step() != Step::Idle {}
}

fn order(seed: u64) -> Vec<u32> {
    let executor = Executor::new(Dice::new(seed, "schedule"));
    let seen = Arc::new(Mutex::new(Vec::new()));
    let group = executor.group("g");
    for number in 0..8 {
        let seen = seen.clone();
        let task = async move {
            pause().await;
            seen.lock().push(number);
        };
        group.spawn("task", task.boxed());
    }
    run(&executor);
    std::mem::take(&mut *seen.lock())
}

#[test]
fn the_seed_decides_the_order_of_ready_tasks() {
    assert_eq!(order(1), order(1));
    assert!((2..10).any(|seed| order(seed) != order(1)));
    assert_eq!(order(1).len(), 8);
}

#[test]
fn a_killed_group_runs_no_further_than_its_last_wait() {
    let executor = Executor::new(Dice::new(1, "schedule"));
    let group = executor.group("g");
    let reached = Arc::new(Mutex::new(0));
    let (mark, own) = (reached.clone(), group.clone());
    let task = async move {
        *mark.lock() += 1;
        own.kill();
        *mark.lock() += 1;
        pause().await;
        *mark.lock() += 10;
    };
    group.spawn("task", task.boxed());
    run(&executor);
    assert_eq!(*reached.lock(), 2);
    assert!(group.has_ended());
    assert!(group.ended().now_or_never().is_some());
    assert_eq!(Arc::strong_count(&reached), 1);
}

#[test]
fn a_paused_group_goes_on_when_resumed() {
    let executor = Executor::new(Dice::new(1, "schedule"));
    let group = executor.group("g");
    let done = Arc::new(Mutex::new(false));
    let mark = done.clone();
    group.spawn("task", async move { *mark.lock() = true }.boxed());
    group.pause();
    run(&executor);
    assert!(!*done.lock());
    group.resume();
    run(&executor);
    assert!(*done.lock());
}

#[test]
fn a_panic_names_its_task_and_ends_only_that() {
    let executor = Executor::new(Dice::new(1, "schedule"));
    let group = executor.group("worker");
    group.spawn("loop", async { panic!("boom") }.boxed());
    assert_eq!(executor.step(), Step::Panicked("worker: loop panicked: boom".into()));
    group.spawn("loop", async {}.boxed());
    assert_eq!(executor.step(), Step::Ran("worker: loop".into()));
}

#[test]
fn tasks_of_a_dead_group_are_not_started() {
    let executor = Executor::new(Dice::new(1, "schedule"));
    let group = executor.group("g");
    group.kill();
    group.spawn("late", async { panic!("ran") }.boxed());
    assert_eq!(executor.step(), Step::Idle);
}
