//! `git-merge-pr` at doubles of the five services.

use std::time::Duration;

use api_kinds::promotion::PromotionStepStatus as Status;
use dev_testkit::server::scm::{Fault, Mishap, Service};
use serde_json::json;
use work_steps::{Class, Effects};

use crate::hosting::{Hosting, check};

#[tokio::test]
async fn a_pull_request_is_merged_once_at_every_service() {
    for service in Service::ALL {
        let hosting = Hosting::at(service).await;
        hosting.server.open("work", "main").unwrap();
        let attempt = hosting.merge(json!({})).await;
        check(&attempt, Status::Succeeded);
        let tip = hosting.tip("main");
        assert_eq!(attempt.output()["commit"], tip, "{service:?}");
        let again = hosting.merge(json!({})).await;
        check(&again, Status::Succeeded);
        assert_eq!((&again.output()["commit"], hosting.tip("main")), (&json!(tip), tip.clone()));
    }
}

#[tokio::test]
async fn a_merge_whose_answer_got_lost_is_found_done() {
    for service in Service::ALL {
        let hosting = Hosting::at(service).await;
        hosting.server.open("work", "main").unwrap();
        let method = match service {
            Service::Azure => "PATCH",
            Service::Github | Service::Gitlab => "PUT",
            Service::Bitbucket | Service::Gitea => "POST",
        };
        hosting.server.fail(Fault::once(Mishap::LoseAnswer(504)).on(method, ""));
        let first = hosting.merge(json!({})).await;
        check(&first, Status::Errored);
        assert_eq!(first.class, Some(Class::Retryable), "{service:?}");
        let second = hosting.merge(json!({})).await;
        check(&second, Status::Succeeded);
        assert_eq!(second.output()["commit"], hosting.tip("main"), "{service:?}");
    }
}

#[tokio::test]
async fn one_that_is_not_ready_is_waited_for_only_if_told_so() {
    for service in Service::ALL {
        let hosting = Hosting::at(service).await;
        hosting.server.open("work", "main").unwrap();
        hosting.server.change(1, |found| found.is_draft = true);
        let hasty = hosting.merge(json!({})).await;
        check(&hasty, Status::Failed);
        assert_eq!(hasty.class, Some(Class::Failed), "{service:?}");
        let waiting = hosting.merge(json!({ "wait": true })).await;
        check(&waiting, Status::Running);
        assert_eq!(waiting.poll_after, Some(Duration::from_secs(10)));
        let config = json!({ "wait": true, "pollInterval": "2m" });
        assert_eq!(hosting.merge(config).await.poll_after, Some(Duration::from_mins(2)));
        hosting.server.change(1, |found| found.is_draft = false);
        check(&hosting.merge(json!({ "wait": true })).await, Status::Succeeded);
    }
}

#[tokio::test]
async fn every_mergeable_state_of_github_has_its_result() {
    let hosting = Hosting::at(Service::Github).await;
    hosting.server.open("work", "main").unwrap();
    for (state, hasty, patient) in [
        ("dirty", Status::Failed, Status::Failed),
        ("draft", Status::Failed, Status::Running),
        ("unknown", Status::Failed, Status::Running),
        // Tried, and refused by a rule that somebody may yet satisfy.
        ("blocked", Status::Failed, Status::Running),
    ] {
        hosting.server.change(1, |found| found.merge_state = Some(state.to_owned()));
        check(&hosting.merge(json!({})).await, hasty);
        check(&hosting.merge(json!({ "wait": true })).await, patient);
    }
    for state in ["clean", "unstable", "has_hooks", "behind"] {
        let hosting = Hosting::at(Service::Github).await;
        hosting.server.open("work", "main").unwrap();
        hosting.server.change(1, |found| found.merge_state = Some(state.to_owned()));
        check(&hosting.merge(json!({})).await, Status::Succeeded);
    }
}

#[tokio::test]
async fn every_refusal_of_github_has_its_result() {
    let hosting = Hosting::at(Service::Github).await;
    hosting.server.open("work", "main").unwrap();
    for (state, said, expected) in [
        ("clean", "Squash merges are not allowed on this repository.", Status::Failed),
        ("blocked", "Merge commits are not allowed on this repository.", Status::Failed),
        ("clean", "Base branch was modified. Review and try the merge again.", Status::Running),
        ("clean", "Pull Request is not mergeable", Status::Running),
        ("blocked", "Required status check is expected.", Status::Running),
        ("clean", "Something else.", Status::Failed),
    ] {
        hosting.server.change(1, |found| found.merge_state = Some(state.to_owned()));
        hosting.server.fail(Fault::once(Fault::saying(405, said)).on("PUT", "/merge"));
        let attempt = hosting.merge(json!({ "wait": true })).await;
        check(&attempt, expected);
        assert!(attempt.message.contains(said), "{}", attempt.message);
    }
    let unmerged = r#"{"merged": false, "message": "no"}"#.to_owned();
    hosting.server.change(1, |found| found.merge_state = None);
    let unmerged = Mishap::Answer(200, Vec::new(), unmerged);
    hosting.server.fail(Fault::once(unmerged).on("PUT", "/merge"));
    check(&hosting.merge(json!({ "wait": true })).await, Status::Failed);
}

#[tokio::test]
async fn refusals_fail_for_good_and_breakdowns_do_not() {
    let hosting = Hosting::at(Service::Gitea).await;
    hosting.server.open("work", "main").unwrap();
    for (status, class) in [
        (401, Class::Failed),
        (403, Class::Failed),
        (404, Class::Failed),
        (422, Class::Failed),
        (429, Class::Retryable),
        (500, Class::Retryable),
        (503, Class::Retryable),
    ] {
        hosting.server.fail(Fault::once(Fault::status(status)));
        let attempt = hosting.merge(json!({ "wait": true })).await;
        assert_eq!(attempt.class, Some(class), "{status}");
    }
    let method = hosting.merge(json!({ "mergeMethod": "octopus" })).await;
    check(&method, Status::Failed);
    assert!(method.message.contains("fast-forward-only, manually-merged, merge"));
}

#[tokio::test]
async fn a_preview_merges_nothing() {
    let mut hosting = Hosting::at(Service::Github).await;
    hosting.server.open("work", "main").unwrap();
    hosting.testbed.effects = Effects::recorded();
    check(&hosting.merge(json!({})).await, Status::Succeeded);
    assert_eq!(hosting.testbed.effects.list()[0].action, "merge pull request");
    assert!(hosting.server.received().is_empty());
}

#[tokio::test]
async fn from_opening_to_merging() {
    for service in Service::ALL {
        let mut hosting = Hosting::at(service).await;
        let opened = hosting.open().await;
        check(&opened, Status::Succeeded);
        hosting.testbed.alias = "wait".to_owned();
        check(&hosting.wait(json!({})).await, Status::Running);
        hosting.testbed.alias = "merge".to_owned();
        check(&hosting.merge(json!({ "wait": true })).await, Status::Succeeded);
        hosting.testbed.alias = "wait".to_owned();
        let waited = hosting.wait(json!({})).await;
        check(&waited, Status::Succeeded);
        assert_eq!(waited.output()["pr"]["url"], opened.output()["pr"]["url"], "{service:?}");
        assert_eq!(hosting.tip("main^2"), hosting.head, "{service:?}");
    }
}
