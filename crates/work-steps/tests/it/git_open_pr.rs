//! `git-open-pr` at doubles of the five services.

use api_kinds::promotion::PromotionStepStatus as Status;
use dev_testkit::server::scm::{Fault, Mishap, Service};
use serde_json::{Value, json};
use work_steps::{Class, Effects, testbed::Testbed};

use crate::hosting::{Hosting, check};

#[tokio::test]
async fn a_pull_request_is_opened_with_the_words_of_the_commit_at_every_service() {
    for service in Service::ALL {
        let hosting = Hosting::at(service).await;
        let attempt = hosting.open().await;
        check(&attempt, Status::Succeeded);
        let opened = &hosting.server.pull_requests()[0];
        assert_eq!(opened.title, "Use v2", "{service:?}");
        assert_eq!(opened.description, "Because of the fix.", "{service:?}");
        let output = attempt.output();
        assert_eq!(output["pr"]["id"], 1);
        let page = output["pr"]["url"].as_str().unwrap();
        assert!(page.starts_with(hosting.server.repo_url().trim_end_matches(".git")), "{page}");
    }
}

#[tokio::test]
async fn a_given_title_and_description_are_taken_and_the_stage_is_linked() {
    let mut hosting = Hosting::at(Service::Github).await;
    hosting.testbed.subject.ui_base_url = "https://kargo.example.com".to_owned();
    check(&hosting.open_with(json!({ "title": "T" })).await, Status::Succeeded);
    let footer =
        "\n\n[View in Kargo UI](https://kargo.example.com/project/demo/stage/dev)".to_owned();
    let opened = hosting.server.pull_requests().remove(0);
    assert_eq!(opened.title, "T");
    assert_eq!(opened.description, "Use v2\n\nBecause of the fix.".to_owned() + &footer);
    hosting.server.close(1).unwrap();
    let given = json!({ "title": "T", "description": "D", "labels": ["kargo"] });
    let again = hosting.fresh();
    check(&again.run("git-open-pr", hosting.open_config(given)).await, Status::Succeeded);
    let opened = hosting.server.pull_requests().remove(1);
    assert_eq!((opened.description.as_str(), opened.labels), ("D", vec!["kargo".to_owned()]));
}

#[tokio::test]
async fn a_former_output_is_given_again_without_asking_anybody() {
    let hosting = Hosting::at(Service::Github).await;
    let former = json!({ "pr": { "id": 7, "url": "https://github.com/a/b/pull/7" } });
    hosting.testbed.set_output("step-1", former.clone());
    let attempt = hosting.open().await;
    check(&attempt, Status::Succeeded);
    assert_eq!(Value::Object(attempt.output()), former);
    assert!(hosting.server.received().is_empty() && hosting.server.git().seen().is_empty());
}

#[tokio::test]
async fn a_former_attempt_without_output_does_not_stand_in_the_way() {
    for former in [Value::Null, json!({}), json!({ "pr": null }), json!({ "pr": { "id": "x" } })] {
        let hosting = Hosting::at(Service::Github).await;
        hosting.testbed.set_output("step-1", former);
        check(&hosting.open().await, Status::Succeeded);
        assert_eq!(hosting.server.pull_requests().len(), 1);
    }
}

#[tokio::test]
async fn what_an_interrupted_attempt_opened_is_taken_on_with_its_labels() {
    for service in Service::ALL {
        let hosting = Hosting::at(service).await;
        hosting.server.create_label("kargo");
        // The answer never arrives, as if the process had been killed before it could be written down.
        hosting.server.fail(Fault::once(Mishap::LoseAnswer(502)).on("POST", ""));
        let labelled = hosting.open_config(json!({ "labels": ["kargo"] }));
        let first = hosting.testbed.run("git-open-pr", labelled.clone()).await;
        check(&first, Status::Errored);
        assert_eq!(first.class, Some(Class::Retryable));
        hosting.server.change(1, |found| found.labels.clear());
        let second = hosting.fresh().run("git-open-pr", labelled).await;
        check(&second, Status::Succeeded);
        let seen = hosting.server.pull_requests();
        assert_eq!((seen.len(), &second.output()["pr"]["id"]), (1, &json!(1)), "{service:?}");
        let has_labels = service != Service::Bitbucket;
        assert_eq!(!seen[0].labels.is_empty(), has_labels, "{service:?}");
    }
}

#[tokio::test]
async fn a_pull_request_that_was_merged_meanwhile_is_taken_on() {
    for service in Service::ALL {
        let hosting = Hosting::at(service).await;
        hosting.server.open("work", "main").unwrap();
        hosting.server.merge(1).unwrap();
        let attempt = hosting.open().await;
        check(&attempt, Status::Succeeded);
        assert_eq!(attempt.output()["pr"]["id"], 1, "{service:?}");
        assert_eq!(hosting.server.pull_requests().len(), 1);
    }
}

#[tokio::test]
async fn branches_with_the_same_files_are_skipped() {
    let hosting = Hosting::at(Service::Gitlab).await;
    hosting.server.repository().commit("main", "the same", &[("b.txt", "B")]).unwrap();
    let attempt = hosting.open().await;
    check(&attempt, Status::Skipped);
    assert_eq!(attempt.output, None);
    assert!(hosting.server.pull_requests().is_empty());
}

#[tokio::test]
async fn missing_branches_are_named() {
    let hosting = Hosting::at(Service::Gitea).await;
    for (source, target, missing) in [("nowhere", "main", "nowhere"), ("work", "prod", "prod")] {
        let branches = json!({ "sourceBranch": source, "targetBranch": target });
        let attempt = hosting.open_with(branches).await;
        check(&attempt, Status::Errored);
        assert!(attempt.message.contains(&format!("no branch {missing} ")), "{}", attempt.message);
    }
    assert!(hosting.server.pull_requests().is_empty());
}

#[tokio::test]
async fn a_host_that_nobody_knows_and_a_refused_token_end_the_step() {
    let hosting = Hosting::at(Service::Github).await;
    hosting.server.fail(Fault::once(Fault::saying(401, "Bad credentials")));
    let refused = hosting.open().await;
    check(&refused, Status::Errored);
    assert_eq!(refused.class, Some(Class::Fatal));
    let mut stranger = Testbed::new().await;
    stranger.ports.git = hosting.testbed.ports.git.clone();
    let unknown = stranger.run("git-open-pr", hosting.open_config(json!({}))).await;
    check(&unknown, Status::Errored);
    assert!(unknown.message.contains("set provider to"), "{}", unknown.message);
}

#[tokio::test]
async fn a_preview_asks_nobody_and_tells_what_would_be_opened() {
    let mut hosting = Hosting::at(Service::Github).await;
    hosting.testbed.effects = Effects::recorded();
    let attempt = hosting.open().await;
    check(&attempt, Status::Succeeded);
    assert!(attempt.output()["pr"]["id"].is_number());
    let effects = hosting.testbed.effects.list();
    assert_eq!((effects.len(), effects[0].action), (1, "open pull request"));
    assert!(hosting.server.received().is_empty());
}

#[tokio::test]
async fn a_configuration_that_is_wrong_fails_for_good() {
    let hosting = Hosting::at(Service::Github).await;
    for wrong in [
        json!({ "repoURL": "git@github.com:acme/app.git" }),
        json!({ "repoURL": "" }),
        json!({ "sourceBranch": "" }),
        json!({ "provider": "sourcehut" }),
        json!({ "title": "" }),
        json!({ "labels": [""] }),
        json!({ "branch": "x" }),
    ] {
        let attempt = hosting.open_with(wrong.clone()).await;
        check(&attempt, Status::Failed);
        assert_eq!(attempt.class, Some(Class::Failed), "{wrong}");
    }
    assert!(hosting.server.received().is_empty());
}
