//! Searches that nobody waits for take their time, and no more than that.

use std::time::Duration;

use crate::{
    repositories::Answer,
    world::{World, real_time},
};

const URL: &str = "https://git.example.com/app.git";
const OTHER: &str = "https://git.example.com/other.git";
const FIRST: &str = "1111111111111111111111111111111111111111";
const SECOND: &str = "2222222222222222222222222222222222222222";

/// A Warehouse that has found what its repositories have, and is due again.
async fn due(urls: &[&str]) -> World {
    let world = World::start(&[]).await;
    world.repositories.set(URL, Answer::Commit(FIRST));
    world.repositories.set(OTHER, Answer::Spread(FIRST));
    world.create_for("w", urls, "").await;
    world.until("Freight", || async { world.freight().await.len() == 1 }).await;
    world.until("it is told", || async { !discovered_at(&world).await.is_empty() }).await;
    world.clock.advance(Duration::from_mins(6));
    world.until("a search", || async { world.repositories.searches() == 2 * urls.len() }).await;
    world
}

async fn discovered_at(world: &World) -> String {
    let artifacts = world.warehouse("w").await.status.discovered_artifacts.unwrap_or_default();
    artifacts.discovered_at.map(|time| time.0.to_string()).unwrap_or_default()
}

#[tokio::test]
async fn a_search_is_spread_over_half_the_interval_which_counts_from_its_beginning() {
    let world = due(&[OTHER]).await;
    let before = world.conditions("w").await;
    world.clock.advance(Duration::from_secs(149));
    real_time(Duration::from_millis(200)).await;
    assert_eq!(world.repositories.running(), 1);
    assert_eq!(world.conditions("w").await, before, "nobody waits for it");
    world.clock.advance(Duration::from_secs(1));
    world
        .until("it counts from its beginning", || async {
            discovered_at(&world).await == "2026-01-01T00:06:00Z"
        })
        .await;
}

#[tokio::test]
async fn a_refresh_does_not_wait_for_a_search_that_is_spread() {
    let world = due(&[OTHER]).await;
    world.repositories.set(OTHER, Answer::Spread(SECOND));
    world.refresh("w", "now").await;
    world.until("Freight", || async { world.freight().await.len() == 2 }).await;
    assert_eq!(world.repositories.running(), 0);
}

#[tokio::test]
async fn news_of_one_repository_does_not_wait_for_another() {
    let world = due(&[URL, OTHER]).await;
    real_time(Duration::from_millis(100)).await;
    assert_eq!(world.repositories.running(), 1);
    world.clock.advance(Duration::from_secs(150));
    world
        .until("the search is done", || async {
            discovered_at(&world).await == "2026-01-01T00:06:00Z"
        })
        .await;
    world.repositories.set(URL, Answer::Commit(SECOND));
    world.clock.advance(Duration::from_mins(6));
    world.until("Freight", || async { world.freight().await.len() == 2 }).await;
}
