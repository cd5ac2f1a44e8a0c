//! A restore that ends at any request, and is run again.

use std::sync::atomic::Ordering;

use local_portable::{
    compare,
    restore::{Unfinished, expected, restore},
};

use crate::world::{Mortal, OFFLINE, collected, engine, fill, restored};

#[tokio::test]
async fn whatever_request_is_the_last_one_the_next_run_ends_it() {
    let source = engine(1).await;
    fill(&source.admin_client()).await;
    let collection = collected(&source).await;
    let expected = expected(&collection, Unfinished::Aborted);
    let whole = engine(2).await;
    let immortal = Mortal::new(&whole, usize::MAX);
    restore(&immortal.client, &*whole.clock(), &collection, &OFFLINE).await.unwrap();
    let requests = immortal.requests.load(Ordering::Relaxed);
    assert!(requests > 40, "{requests} requests");
    for life in (0..requests).step_by(3) {
        let target = engine(3 + life as u64).await;
        let (mortal, clock) = (Mortal::new(&target, life), target.clock());
        tokio::select! {
            _ = restore(&mortal.client, &*clock, &collection, &OFFLINE) => panic!("survived {life}"),
            () = mortal.dead.notified() => {}
        }
        let report = restored(&target, &collection).await;
        let report = report.unwrap_or_else(|error| panic!("after {life} requests: {error}"));
        assert_eq!(report.refused(), Vec::<String>::new(), "after {life} requests");
        let comparison = compare(&expected, &collected(&target).await);
        assert!(comparison.is_same(), "after {life} requests:\n{comparison}");
        target.stop().await;
    }
}

#[tokio::test]
async fn what_is_complete_is_found_unchanged() {
    let (source, target) = (engine(1).await, engine(2).await);
    fill(&source.admin_client()).await;
    let collection = collected(&source).await;
    restored(&target, &collection).await.unwrap();
    let before = collected(&target).await;
    let report = restored(&target, &collection).await.unwrap();
    let [created, changed, unchanged] = report.counts();
    assert_eq!((created, changed, unchanged), (0, 0, collection.len()), "{report}");
    let after = collected(&target).await;
    assert!(compare(&before, &after).is_same());
}
