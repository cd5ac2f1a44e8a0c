//! From what repositories answer to conditions and Freight.

use std::time::Duration;

use crate::{
    repositories::Answer,
    world::{World, real_time},
};

const URL: &str = "https://git.example.com/app.git";
const FIRST: &str = "1111111111111111111111111111111111111111";
const SECOND: &str = "2222222222222222222222222222222222222222";

async fn has_freight(world: &World, count: usize) {
    world.until("there is Freight", || async { world.freight().await.len() == count }).await;
}

async fn is_ready(world: &World, name: &str, is_ready: bool) {
    let wanted = format!("Ready {}", if is_ready { "True" } else { "False" });
    world
        .until(&wanted, || async {
            world.conditions(name).await.iter().any(|line| line.starts_with(&wanted))
        })
        .await;
}

#[tokio::test]
async fn what_is_found_becomes_freight_once() {
    let world = World::start(&[]).await;
    world.repositories.set(URL, Answer::Commit(FIRST));
    world.create("w", URL).await;
    has_freight(&world, 1).await;
    is_ready(&world, "w", true).await;
    let freight = world.freight().await.remove(0);
    assert_eq!(freight.commits[0].id, FIRST);
    let warehouse = world.warehouse("w").await;
    assert_eq!(Some(&warehouse.status.last_freight_id), freight.metadata.name.as_ref());
    assert_eq!(
        world.conditions("w").await,
        [
            "Ready True ArtifactsDiscovered",
            "Healthy True ReconciliationSucceeded",
            "FreightCreationCriteriaSatisfied True CriteriaSatisfied",
            "FreightCreated True NewFreight",
        ]
    );

    world.clock.advance(Duration::from_mins(6));
    world.until("a second search", || async { world.repositories.searches() == 2 }).await;
    world
        .until("the second search is told", || async {
            world.conditions("w").await.contains(&"FreightCreated False AlreadyExists".to_owned())
        })
        .await;
    assert_eq!(world.freight().await.len(), 1);

    world.repositories.set(URL, Answer::Commit(SECOND));
    world.refresh("w", "now").await;
    has_freight(&world, 2).await;
    world
        .until("the refresh is told", || async {
            world.warehouse("w").await.status.last_handled_refresh == "now"
        })
        .await;
}

#[tokio::test]
async fn a_refresh_that_fails_stays_open_and_is_tried_again_after_a_while() {
    let world = World::start(&[]).await;
    world.repositories.set(URL, Answer::Commit(FIRST));
    world.create("w", URL).await;
    is_ready(&world, "w", true).await;

    world.repositories.set(URL, Answer::Fails("no route"));
    world.refresh("w", "token").await;
    is_ready(&world, "w", false).await;
    world
        .until("the failure is told", || async {
            let warehouse = world.warehouse("w").await;
            let ready = warehouse.status.conditions.iter().find(|c| c.r#type == "Ready").cloned();
            ready.is_some_and(|ready| ready.message.ends_with(r#"app.git": no route"#))
        })
        .await;
    let warehouse = world.warehouse("w").await;
    assert_eq!(warehouse.status.last_handled_refresh, "");
    assert_eq!(warehouse.status.discovered_artifacts.unwrap().git[0].commits[0].id, FIRST);
    let searches = world.repositories.searches();
    real_time(Duration::from_millis(200)).await;
    assert_eq!(world.repositories.searches(), searches, "a repository that fails is left alone");

    world.repositories.set(URL, Answer::Commit(SECOND));
    world.clock.advance(Duration::from_secs(2));
    has_freight(&world, 2).await;
    is_ready(&world, "w", true).await;
    assert_eq!(world.warehouse("w").await.status.last_handled_refresh, "token");
}

#[tokio::test]
async fn stuck_repositories_hold_up_nobody_and_are_told_of() {
    let world = World::start(&[("MAX_CONCURRENT_WAREHOUSE_RECONCILES", "1")]).await;
    for number in 0..5 {
        world.create(&format!("stuck-{number}"), "https://stuck.example.com/x").await;
    }
    world.until("all are searched", || async { world.repositories.running() == 5 }).await;
    world.repositories.set(URL, Answer::Commit(FIRST));
    world.create("w", URL).await;
    has_freight(&world, 1).await;
    let told = world.conditions("stuck-0").await;
    assert!(told.contains(&"Reconciling True ScheduledDiscovery".to_owned()), "{told:?}");

    let params = kube::api::DeleteParams::default();
    world.warehouses().delete("stuck-0", &params).await.unwrap();
    world.until("its search ends", || async { world.repositories.running() == 4 }).await;
    world.clock.advance(Duration::from_mins(61));
    world
        .until("the others give up", || async {
            let warehouse = world.warehouse("stuck-1").await;
            let mut conditions = warehouse.status.conditions.iter();
            conditions.any(|c| c.message.ends_with("gave up after 60 minutes"))
        })
        .await;
}

#[tokio::test]
async fn a_search_without_result_makes_no_freight() {
    let world = World::start(&[]).await;
    world.repositories.set(URL, Answer::Nothing);
    world.create("w", URL).await;
    is_ready(&world, "w", false).await;
    world
        .until("what is missing is told", || async {
            world.conditions("w").await.contains(&"Ready False MissingCommits".to_owned())
        })
        .await;
    assert!(world.freight().await.is_empty());
}

#[tokio::test]
async fn what_belongs_to_another_shard_is_left_alone() {
    let world = World::start(&[("SHARD_NAME", "east")]).await;
    world.repositories.set(URL, Answer::Commit(FIRST));
    world.create("unlabelled", URL).await;
    world.create_for("west", &[URL], "west").await;
    world.create_for("east", &[URL], "east").await;
    has_freight(&world, 1).await;
    assert_eq!(world.freight().await[0].origin.name, "east");
    assert_eq!(world.repositories.searches(), 1);
}
