//! From opening to merging, at every service.

use dev_testkit::server::scm::{Service, Status};
use io_scm::{Error, Merge, State};

use crate::world::{World, new_pull_request};

#[tokio::test]
async fn a_pull_request_is_opened_read_and_merged_at_every_service() {
    for service in Service::ALL {
        let world = World::of(service).await;
        let connection = world.connect();
        let opened = connection.open(&new_pull_request()).await.unwrap();
        assert_eq!((opened.number, opened.state), (1, State::Open), "{service:?}");
        assert!(opened.url.starts_with(world.server.repo_url().trim_end_matches(".git")));
        let seen = &world.server.pull_requests()[0];
        assert_eq!((seen.title.as_str(), seen.description.as_str()), ("Change", "What and why."));
        assert_eq!(connection.get(1).await.unwrap(), opened);
        let Merge::Done(merged) = connection.merge(1, None).await.unwrap() else {
            panic!("{service:?} did not merge")
        };
        assert_eq!(merged.state, State::Merged);
        assert_eq!(merged.merge_commit, Some(world.tip("main")), "{service:?}");
        assert_eq!(connection.merge(1, None).await.unwrap(), Merge::Done(merged));
    }
}

#[tokio::test]
async fn every_service_squashes_and_refuses_methods_it_does_not_know() {
    for service in Service::ALL {
        let world = World::of(service).await;
        let connection = world.connect();
        world.server.open("work", "main").unwrap();
        let unknown = connection.merge(1, Some("octopus")).await.unwrap_err();
        match service {
            // GitHub is asked; the others are known.
            Service::Github => assert!(!unknown.is_temporary(), "{unknown}"),
            _ => assert!(matches!(unknown, Error::MergeMethod { .. }), "{unknown}"),
        }
        let before = world.tip("main");
        assert!(matches!(connection.merge(1, Some("squash")).await.unwrap(), Merge::Done(_)));
        assert_eq!(world.tip("main^"), before, "{service:?}");
    }
}

#[tokio::test]
async fn drafts_are_not_ready_and_closed_ones_and_conflicts_are_refused() {
    for service in Service::ALL {
        let world = World::of(service).await;
        let connection = world.connect();
        world.server.open("work", "main").unwrap();
        world.server.change(1, |found| found.is_draft = true);
        let drafted = connection.merge(1, None).await.unwrap();
        assert!(matches!(drafted, Merge::NotReady(_)), "{service:?} {drafted:?}");
        world.server.change(1, |found| found.is_draft = false);
        world.server.repository().commit("main", "other", &[("b.txt", "C")]).unwrap();
        let conflict = connection.merge(1, None).await;
        match service {
            // The only service that does not tell a conflict from a check that is under way.
            Service::Gitea => assert!(matches!(conflict, Ok(Merge::NotReady(_)))),
            _ => assert!(!conflict.unwrap_err().is_temporary(), "{service:?}"),
        }
        world.server.close(1).unwrap();
        assert_eq!(connection.get(1).await.unwrap().state, State::Closed);
        let closed = connection.merge(1, None).await.unwrap_err();
        let closed = closed.to_string();
        assert!(
            closed.ends_with("cannot be merged: it was closed without being merged"),
            "{closed}"
        );
        assert_eq!(world.server.pull_requests()[0].status, Status::Closed);
    }
}

#[tokio::test]
async fn what_is_done_in_the_background_is_not_taken_for_done() {
    let bitbucket = World::of(Service::Bitbucket).await;
    bitbucket.server.open("work", "main").unwrap();
    bitbucket.server.change(1, |found| found.merge_state = Some("asynchronous".to_owned()));
    let error = bitbucket.connect().merge(1, None).await.unwrap_err();
    assert!(matches!(error, Error::NotMergeable { .. }), "{error}");

    let azure = World::of(Service::Azure).await;
    azure.server.open("work", "main").unwrap();
    azure.server.change(1, |found| found.merge_state = Some("never".to_owned()));
    let outcome = azure.connect().merge(1, None).await.unwrap();
    assert!(matches!(outcome, Merge::NotReady(_)), "{outcome:?}");
    let looks = azure.server.received().iter().filter(|seen| seen.method == "GET").count();
    assert_eq!(looks, 1 + 10);
}

#[tokio::test]
async fn azure_devops_does_not_merge_a_head_that_moved() {
    let world = World::of(Service::Azure).await;
    world.server.open("work", "main").unwrap();
    let connection = world.connect();
    connection.merge(1, None).await.unwrap();
    let asked = world.server.received();
    let asked = asked.iter().find(|seen| seen.method == "PATCH").unwrap();
    assert_eq!(asked.body["lastMergeSourceCommit"]["commitId"], world.head);
}

#[tokio::test]
async fn a_merge_that_waits_for_rules_is_not_ready_and_one_that_is_forbidden_fails() {
    let world = World::of(Service::Github).await;
    world.server.open("work", "main").unwrap();
    world.server.change(1, |found| found.merge_state = Some("blocked".to_owned()));
    let blocked = world.connect().merge(1, None).await.unwrap();
    assert!(matches!(blocked, Merge::NotReady(reason) if reason.contains("approving review")));
    // A token that is exempt from the rule.
    world.server.change(1, |found| found.merge_state = Some("behind".to_owned()));
    assert!(matches!(world.connect().merge(1, None).await.unwrap(), Merge::Done(_)));
}
