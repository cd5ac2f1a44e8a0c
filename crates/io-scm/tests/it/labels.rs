//! Labels, where a service has them.

use dev_testkit::server::scm::{Fault, Service};
use io_scm::Error;

use crate::world::{World, branches, new_pull_request};

fn labels() -> Vec<String> {
    vec!["kargo".to_owned(), "prod".to_owned()]
}

#[tokio::test]
async fn labels_are_set_on_opening() {
    for service in Service::ALL {
        let world = World::of(service).await;
        world.server.create_label("kargo");
        world.server.create_label("prod");
        let mut new = new_pull_request();
        new.labels = labels();
        world.connect().open(&new).await.unwrap();
        let mut seen = world.server.pull_requests()[0].labels.clone();
        seen.sort();
        let expected = if service == Service::Bitbucket { Vec::new() } else { labels() };
        assert_eq!(seen, expected, "{service:?}");
    }
}

#[tokio::test]
async fn labels_are_added_to_a_pull_request_that_is_taken_on() {
    for service in Service::ALL {
        let world = World::of(service).await;
        world.server.create_label("kargo");
        world.server.create_label("prod");
        world.server.open("work", "main").unwrap();
        world.server.change(1, |found| found.labels.push("old".to_owned()));
        let connection = world.connect();
        let found = connection.find(&branches(), &world.head).await.unwrap().unwrap();
        connection.label(found.number, &labels()).await.unwrap();
        let seen = world.server.pull_requests()[0].labels.clone();
        let expected = if service == Service::Bitbucket { 1 } else { 3 };
        assert_eq!(seen.len(), expected, "{service:?} {seen:?}");
    }
}

#[tokio::test]
async fn labels_that_gitea_does_not_know_are_named_once_and_nothing_is_opened() {
    let world = World::of(Service::Gitea).await;
    world.server.limit_pages(2);
    for name in ["a", "b", "c", "d", "kargo"] {
        world.server.create_label(name);
    }
    let mut new = new_pull_request();
    new.labels = ["kargo", "ghost", "phantom", "ghost"].map(str::to_owned).to_vec();
    let error = world.connect().open(&new).await.unwrap_err();
    assert!(matches!(error, Error::UnknownLabels { .. }));
    insta::assert_snapshot!(error, @r#"Gitea knows no label "ghost", "phantom" in Acme/App: create what is missing there first"#);
    assert!(world.server.pull_requests().is_empty());
    new.labels = vec!["kargo".to_owned()];
    world.connect().open(&new).await.unwrap();
    assert_eq!(world.server.pull_requests()[0].labels, ["kargo"]);
}

#[tokio::test]
async fn a_failed_second_call_of_github_is_made_good_by_the_next_attempt() {
    let world = World::of(Service::Github).await;
    let mut new = new_pull_request();
    new.labels = labels();
    world.server.fail(Fault::once(Fault::status(502)).on("POST", "/labels"));
    let connection = world.connect();
    assert!(connection.open(&new).await.unwrap_err().is_temporary());
    connection.open(&new).await.unwrap();
    let seen = world.server.pull_requests();
    assert_eq!((seen.len(), seen[0].labels.clone()), (1, labels()));
}
