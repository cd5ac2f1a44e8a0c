//! `git-wait-for-pr` at doubles of the five services.

use std::time::Duration;

use api_kinds::promotion::PromotionStepStatus as Status;
use dev_testkit::server::scm::{Fault, Mishap, Service};
use serde_json::json;
use work_steps::{Class, Effects, catalogue};

use crate::hosting::{Hosting, check};

#[tokio::test]
async fn an_open_pull_request_is_waited_for_and_named_in_the_output() {
    for service in Service::ALL {
        let hosting = Hosting::at(service).await;
        hosting.server.open("work", "main").unwrap();
        let attempt = hosting.wait(json!({})).await;
        check(&attempt, Status::Running);
        assert_eq!(attempt.poll_after, Some(Duration::from_secs(30)));
        let output = attempt.output();
        assert_eq!((&output["pr"]["open"], &output["pr"]["merged"]), (&json!(true), &json!(false)));
        assert!(output["pr"]["url"].as_str().is_some_and(|url| url.starts_with("http")));
        assert_eq!(output.get("commit"), None, "{service:?}");
        let patient = hosting.wait(json!({ "pollInterval": "1m30s" })).await;
        assert_eq!(patient.poll_after, Some(Duration::from_secs(90)));
    }
}

#[tokio::test]
async fn a_merged_pull_request_ends_the_wait_with_its_commit() {
    for service in Service::ALL {
        let hosting = Hosting::at(service).await;
        hosting.server.open("work", "main").unwrap();
        let commit = hosting.server.merge(1).unwrap();
        let attempt = hosting.wait(json!({})).await;
        check(&attempt, Status::Succeeded);
        let output = attempt.output();
        assert_eq!((&output["pr"]["open"], &output["pr"]["merged"]), (&json!(false), &json!(true)));
        assert_eq!(output["commit"], commit, "{service:?}");
    }
}

#[tokio::test]
async fn a_closed_pull_request_fails_with_its_output() {
    for service in Service::ALL {
        let hosting = Hosting::at(service).await;
        hosting.server.open("work", "main").unwrap();
        hosting.server.close(1).unwrap();
        let attempt = hosting.wait(json!({})).await;
        check(&attempt, Status::Failed);
        assert_eq!(attempt.class, Some(Class::Failed));
        let output = attempt.output();
        assert_eq!(
            (&output["pr"]["open"], &output["pr"]["merged"]),
            (&json!(false), &json!(false))
        );
    }
}

#[tokio::test]
async fn a_breakdown_is_sat_out_and_a_missing_pull_request_is_not() {
    let hosting = Hosting::at(Service::Gitlab).await;
    let missing = hosting.wait(json!({})).await;
    check(&missing, Status::Errored);
    assert_eq!(missing.class, Some(Class::Fatal));
    let limited = Mishap::Answer(429, vec![("retry-after", "42".to_owned())], String::new());
    hosting.server.fail(Fault::once(limited));
    let limited = hosting.wait(json!({})).await;
    check(&limited, Status::Errored);
    assert_eq!(limited.class, Some(Class::Retryable));
    assert_eq!(limited.poll_after, Some(Duration::from_secs(42)));
    assert_eq!(catalogue::step("git-wait-for-pr").unwrap().defaults().error_threshold, 5);
}

#[tokio::test]
async fn wrong_numbers_and_intervals_fail_for_good() {
    let hosting = Hosting::at(Service::Github).await;
    for wrong in [
        json!({ "pollInterval": "soon" }),
        json!({ "pollInterval": "x5s" }),
        json!({ "provider": "x" }),
        json!({ "unknown": 1 }),
    ] {
        let attempt = hosting.wait(wrong.clone()).await;
        check(&attempt, Status::Failed);
        assert_eq!(attempt.class, Some(Class::Failed), "{wrong}");
    }
    let zero = hosting.with_url(json!({ "prNumber": 0 }));
    check(&hosting.testbed.run("git-wait-for-pr", zero).await, Status::Failed);
}

#[tokio::test]
async fn a_preview_does_not_wait() {
    let mut hosting = Hosting::at(Service::Github).await;
    hosting.testbed.effects = Effects::recorded();
    check(&hosting.wait(json!({})).await, Status::Succeeded);
    assert!(hosting.server.received().is_empty());
}
