//! Pull requests are found again by their branches.

use dev_testkit::server::scm::{Fault, Mishap, Service};
use io_scm::State;

use crate::world::{World, branches, new_pull_request};

#[tokio::test]
async fn an_open_pull_request_between_the_branches_is_found() {
    for service in Service::ALL {
        let world = World::of(service).await;
        let connection = world.connect();
        assert_eq!(connection.find(&branches(), &world.head).await.unwrap(), None);
        world.server.open("work", "main").unwrap();
        let found = connection.find(&branches(), &world.head).await.unwrap().unwrap();
        assert_eq!((found.number, found.state), (1, State::Open), "{service:?}");
    }
}

#[tokio::test]
async fn pull_requests_of_other_branches_and_of_forks_are_not_taken() {
    for service in Service::ALL {
        let world = World::of(service).await;
        let repository = world.server.repository();
        repository.git(&["branch", "release", "main"]).unwrap();
        repository.git(&["branch", "other", "work"]).unwrap();
        // Same head commit, but into another branch, from another branch, from a fork.
        world.server.open("work", "release").unwrap();
        world.server.open("other", "main").unwrap();
        world.server.open("work", "main").unwrap();
        world.server.change(3, |found| found.is_from_fork = true);
        let found = world.connect().find(&branches(), &world.head).await.unwrap();
        assert_eq!(found, None, "{service:?}");
    }
}

#[tokio::test]
async fn a_merged_pull_request_counts_only_for_the_commit_it_merged() {
    for service in Service::ALL {
        let world = World::of(service).await;
        let connection = world.connect();
        world.server.open("work", "main").unwrap();
        let merged = world.server.merge(1).unwrap();
        let found = connection.find(&branches(), &world.head).await.unwrap().unwrap();
        assert_eq!(found.state, State::Merged, "{service:?}");
        assert!(merged.starts_with(found.merge_commit.unwrap().as_str()));
        let later = world.server.repository().commit("work", "more", &[("c", "C")]).unwrap();
        assert_eq!(connection.find(&branches(), &later).await.unwrap(), None, "{service:?}");
    }
}

#[tokio::test]
async fn a_closed_pull_request_is_not_taken_and_the_newest_merged_one_is() {
    for service in Service::ALL {
        let world = World::of(service).await;
        let connection = world.connect();
        world.server.open("work", "main").unwrap();
        world.server.close(1).unwrap();
        assert_eq!(connection.find(&branches(), &world.head).await.unwrap(), None);
        for number in [2, 3] {
            world.server.open("work", "main").unwrap();
            world.server.merge(number).unwrap();
        }
        let found = connection.find(&branches(), &world.head).await.unwrap().unwrap();
        assert_eq!(found.number, 3, "{service:?}");
    }
}

#[tokio::test]
async fn further_pages_are_read() {
    for service in Service::ALL {
        let world = World::of(service).await;
        world.server.limit_pages(2);
        world.server.open("work", "main").unwrap();
        world.server.merge(1).unwrap();
        let repository = world.server.repository();
        repository.commit("work", "more", &[("c", "C")]).unwrap();
        for number in 2..=if service == Service::Azure { 120 } else { 6 } {
            world.server.open("work", "main").unwrap();
            world.server.change(number, |found| {
                found.status = dev_testkit::server::scm::Status::Merged;
                found.merge_commit = Some(found.head.clone());
            });
        }
        let found = world.connect().find(&branches(), &world.head).await.unwrap().unwrap();
        assert_eq!(found.number, 1, "{service:?}");
    }
}

#[tokio::test]
async fn an_answer_that_got_lost_does_not_make_a_second_pull_request() {
    for service in Service::ALL {
        let world = World::of(service).await;
        let connection = world.connect();
        let lost = Fault::once(Mishap::LoseAnswer(502)).on("POST", "");
        world.server.fail(lost);
        let error = connection.open(&new_pull_request()).await.unwrap_err();
        assert!(error.is_temporary(), "{service:?} {error}");
        // The next attempt looks first; one that does not look is told by the service, and looks then.
        let found = connection.find(&branches(), &world.head).await.unwrap().unwrap();
        let again = connection.open(&new_pull_request()).await.unwrap();
        assert_eq!((found.number, again.number), (1, 1), "{service:?}");
        assert_eq!(world.server.pull_requests().len(), 1, "{service:?}");
    }
}
