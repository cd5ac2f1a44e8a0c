//! Workers take keys, and outcomes decide what becomes of them.

use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use io_kube::{Cache, Controller, Failure, Next, Precondition, Queue, patch_object};
use k8s_openapi::api::core::v1::ConfigMap;
use parking_lot::Mutex;

use crate::world::{World, key, value};

#[tokio::test]
async fn a_key_is_not_planned_again_before_the_cache_shows_its_own_write() {
    let world = World::start().await;
    world.create("a", "0").await;
    let queue = Queue::new("counter", &world.ports);
    let woken = queue.clone();
    let cache: Cache<ConfigMap> = Cache::builder(world.client.clone())
        .namespace("default")
        .on_change(move |_, _| woken.add(()))
        .start(&world.ports);
    cache.synced().await;
    let planned = Arc::new(Mutex::new(Vec::new()));
    let (seen, client, source) = (planned.clone(), world.client.clone(), cache.clone());
    // Each pass adds one to what the cache shows, up to 5: a stale view would conflict or count twice.
    Controller::new(queue.clone(), 4).start(&world.ports, move |(), pass| {
        let (seen, client, cache) = (seen.clone(), client.clone(), source.clone());
        async move {
            let old = cache.get(&key("a")).unwrap();
            let count: u64 = value(&old).parse().unwrap();
            seen.lock().push(count);
            if count == 5 {
                return Ok(Next::Done);
            }
            let mut new = (*old).clone();
            new.data.as_mut().unwrap().insert("k".into(), (count + 1).to_string());
            let written = patch_object(&client, &*old, &new, Precondition::Version).await?;
            pass.wrote(&cache, &written.unwrap());
            Ok(Next::Now)
        }
    });
    world.settle().await;
    world.faults.hold_watches(true);
    world.settle().await;
    let before = planned.lock().len();
    queue.add(());
    world.pass(Duration::from_secs(1)).await;
    assert!(planned.lock().len() <= before + 1, "planned on what is known to be stale");
    world.faults.hold_watches(false);
    world.eventually("it counts to five", || planned.lock().last() == Some(&5)).await;
    let mut distinct = planned.lock().clone();
    distinct.dedup();
    assert_eq!(distinct, [0, 1, 2, 3, 4, 5]);
    assert_eq!(world.faults.writes(), 5);
}

#[tokio::test]
async fn panics_and_overruns_are_failures_that_are_tried_again() {
    let world = World::start().await;
    let queue = Queue::new("clumsy", &world.ports);
    let passes = Arc::new(AtomicUsize::new(0));
    let count = passes.clone();
    let workers = Controller::new(queue.clone(), 1).deadline(Duration::from_secs(10)).start(
        &world.ports,
        move |(), _| {
            let pass = count.fetch_add(1, Ordering::SeqCst);
            async move {
                match pass {
                    0 => panic!("expected in this test"),
                    1 => std::future::pending().await,
                    _ => Ok(Next::Done),
                }
            }
        },
    );
    queue.add(());
    world.eventually("a third pass", || passes.load(Ordering::SeqCst) == 3).await;
    let metric = |name: &str| -> f64 {
        let families = workers.metrics();
        let family = families.iter().find(|family| family.name == name).unwrap();
        family.samples.iter().map(|sample| sample.value).sum()
    };
    assert_eq!(metric("controller_runtime_reconcile_panics_total"), 1.0);
    assert_eq!(metric("controller_runtime_reconcile_errors_total"), 2.0);
    assert_eq!(metric("controller_runtime_reconcile_total"), 3.0);
    assert_eq!(metric("workqueue_retries_total"), 2.0);
    assert_eq!(metric("workqueue_adds_total"), 3.0);
    assert_eq!(metric("workqueue_depth"), 0.0);
    assert_eq!(metric("controller_runtime_active_workers"), 0.0);
}

#[tokio::test]
async fn waiting_comes_back_in_time_and_stalled_only_when_something_changes() {
    let world = World::start().await;
    let queue = Queue::new("patient", &world.ports);
    let passes = Arc::new(Mutex::new(Vec::new()));
    let seen = passes.clone();
    Controller::new(queue.clone(), 2).start(&world.ports, move |key: &'static str, _| {
        seen.lock().push(key);
        async move {
            match key {
                "waits" => {
                    let after = Duration::from_secs(30);
                    Err(Failure::Waiting { after, reason: "for the test".into() })
                }
                _ => Err(Failure::Stalled { reason: "for the test".into() }),
            }
        }
    });
    queue.add("waits");
    queue.add("stalls");
    world.pass(Duration::from_secs(29)).await;
    assert_eq!(*passes.lock(), ["waits", "stalls"]);
    world.pass(Duration::from_secs(2)).await;
    assert_eq!(*passes.lock(), ["waits", "stalls", "waits"]);
    queue.add("stalls");
    world.settle().await;
    assert_eq!(passes.lock().last(), Some(&"stalls"));
}

#[tokio::test]
async fn workers_that_hang_are_noticed_and_those_that_stop_finish_their_pass() {
    let world = World::start().await;
    let queue = Queue::new("slow", &world.ports);
    let clock = world.ports.clock.clone();
    let finished = Arc::new(AtomicUsize::new(0));
    let count = finished.clone();
    let workers = Controller::new(queue.clone(), 1).start(&world.ports, move |_: u8, _| {
        let (sleep, count) = (clock.sleep(Duration::from_secs(200)), count.clone());
        async move {
            sleep.await;
            count.fetch_add(1, Ordering::SeqCst);
            Ok(Next::Done)
        }
    });
    queue.add(1);
    queue.add(2);
    world.pass(Duration::from_secs(100)).await;
    assert_eq!(workers.stalled(Duration::from_mins(1)), Some(Duration::from_secs(100)));
    world.pass(Duration::from_secs(101)).await;
    assert_eq!(workers.stalled(Duration::from_mins(1)), None);

    let stop = tokio::spawn({
        let tasks = world.tasks.clone();
        async move { tasks.shutdown(Duration::from_secs(20)).await }
    });
    world.settle().await;
    queue.add(3);
    world.pass(Duration::from_secs(201)).await;
    workers.stopped().await;
    assert!(stop.await.unwrap());
    assert_eq!(finished.load(Ordering::SeqCst), 2, "the third key is left to the next process");
}
