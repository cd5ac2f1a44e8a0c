//! `github-push` at a double of GitHub, on work trees of `git-clone`.

use std::sync::Arc;

use api_kinds::promotion::PromotionStepStatus as Status;
use core_rules::credential::{Credential, Secret};
use dev_testkit::{
    server::scm::{Fault, Mishap, Service},
    signing_key,
};
use serde_json::{Value, json};
use work_steps::{
    Class, Effects, GitIdentity, Settings,
    testbed::{Attempt, Testbed},
};

use crate::hosting::{Hosting, check, settings};

/// A clone of `main` at `src`.
async fn cloned() -> Hosting {
    let mut hosting = Hosting::at(Service::Github).await;
    "dev.01abc".clone_into(&mut hosting.testbed.subject.promotion);
    clone(&hosting, &hosting.testbed).await;
    hosting
}

async fn clone(hosting: &Hosting, testbed: &Testbed) {
    let checkout = json!([{ "branch": "main", "path": "src" }]);
    let config = hosting.with_url(json!({ "checkout": checkout }));
    check(&testbed.run("git-clone", config).await, Status::Succeeded);
}

async fn commit(testbed: &Testbed, path: &str, content: &str, message: &str) -> String {
    testbed.write(&format!("src/{path}"), content);
    let config = json!({ "path": "src", "message": message });
    let attempt = testbed.run("git-commit", config).await;
    check(&attempt, Status::Succeeded);
    attempt.output()["commit"].as_str().unwrap().to_owned()
}

async fn push(testbed: &Testbed, config: Value) -> Attempt {
    let mut whole = json!({ "path": "src" });
    whole.as_object_mut().unwrap().extend(config.as_object().unwrap().clone());
    testbed.run("github-push", whole).await
}

fn set(hosting: &mut Hosting, change: impl FnOnce(&mut Settings)) {
    let mut settings = settings(&hosting.server, Service::Github);
    change(&mut settings);
    hosting.testbed.ports.settings = Arc::new(settings);
}

/// Commits that were made through the API.
fn made(hosting: &Hosting) -> usize {
    let received = hosting.server.received();
    received.iter().filter(|seen| seen.path.ends_with("/git/commits")).count()
}

fn is_cleaned_up(hosting: &Hosting) -> bool {
    hosting.server.repository().git(&["for-each-ref", "refs/kargo"]).unwrap().is_empty()
}

fn shown(hosting: &Hosting, format: &str, name: &str) -> String {
    let format = format!("--format={format}");
    hosting.server.repository().git(&["show", "--no-patch", &format, name]).unwrap()
}

#[tokio::test]
async fn commits_that_nobody_signed_keep_their_people_and_land_on_the_branch() {
    let hosting = cloned().await;
    commit(&hosting.testbed, "x.txt", "1", "first").await;
    let head = commit(&hosting.testbed, "x.txt", "2", "second\n\nwith a reason").await;
    let people = |name: &str| shown(&hosting, "%an %ae %cn %ce %s", name);
    let attempt = push(&hosting.testbed, json!({})).await;
    check(&attempt, Status::Succeeded);
    let tip = hosting.tip("main");
    let output = attempt.output();
    assert_eq!((&output["commit"], &output["branch"]), (&json!(tip), &json!("main")));
    let page = output["commitURL"].as_str().unwrap();
    assert!(page.ends_with(&format!("/Acme/App/commit/{tip}")), "{page}");
    assert_eq!(made(&hosting), 2);
    assert!(people("main").starts_with("Kargo no-reply@kargo.io"), "{}", people("main"));
    assert_eq!(shown(&hosting, "%B", "main").trim(), "second\n\nwith a reason");
    assert_eq!(shown(&hosting, "%s", "main^"), "first");
    assert_eq!(hosting.tip("main^{tree}"), hosting.tip(&format!("{head}^{{tree}}")));
    assert!(is_cleaned_up(&hosting));
    // The work tree goes on from what GitHub made.
    let next = commit(&hosting.testbed, "y.txt", "3", "third").await;
    check(&push(&hosting.testbed, json!({})).await, Status::Succeeded);
    assert_eq!(hosting.tip("main^"), tip);
    assert_ne!(next, tip);
}

#[tokio::test]
async fn github_signs_what_it_is_told_to_and_the_author_is_named() {
    let mut hosting = cloned().await;
    set(&mut hosting, |settings| settings.github_push_verify_untrusted = true);
    commit(&hosting.testbed, "x.txt", "1", "change").await;
    check(&push(&hosting.testbed, json!({})).await, Status::Succeeded);
    assert_eq!(shown(&hosting, "%an", "main"), "the-token[bot]");
    let message = shown(&hosting, "%B", "main");
    assert_eq!(message.trim(), "change\n\nCo-authored-by: Kargo <no-reply@kargo.io>");
    let text = hosting.server.repository().git(&["cat-file", "commit", "main"]).unwrap();
    assert!(text.contains("gpgsig"));
}

#[tokio::test]
async fn what_a_trusted_key_signed_is_signed_by_github_in_its_place() {
    let hosting = Hosting::at(Service::Github).await;
    *hosting.testbed.control_plane.identity.lock() = Some(GitIdentity {
        name: "Ada".to_owned(),
        email: "ada@example.com".to_owned(),
        signing_key: Some(Secret::new(signing_key("Ada <ada@example.com>").unwrap())),
    });
    clone(&hosting, &hosting.testbed).await;
    commit(&hosting.testbed, "x.txt", "1", "change").await;
    check(&push(&hosting.testbed, json!({})).await, Status::Succeeded);
    assert_eq!(shown(&hosting, "%an", "main"), "the-token[bot]");
    // The signer is the author, so that there is nobody else to name.
    assert_eq!(shown(&hosting, "%B", "main").trim(), "change");
}

#[tokio::test]
async fn nothing_new_is_pushed_once() {
    let hosting = cloned().await;
    let before = hosting.tip("main");
    let attempt = push(&hosting.testbed, json!({})).await;
    check(&attempt, Status::Succeeded);
    assert_eq!((attempt.output()["commit"].clone(), made(&hosting)), (json!(before), 0));
    assert!(is_cleaned_up(&hosting));
}

#[tokio::test]
async fn what_others_pushed_is_taken_in() {
    let hosting = cloned().await;
    commit(&hosting.testbed, "x.txt", "1", "ours").await;
    let theirs = hosting.server.repository().commit("main", "theirs", &[("y.txt", "2")]).unwrap();
    check(&push(&hosting.testbed, json!({})).await, Status::Succeeded);
    assert_eq!(hosting.tip("main^"), theirs);
    assert_eq!(shown(&hosting, "%s", "main"), "ours");
}

#[tokio::test]
async fn a_conflict_fails_for_good_and_leaves_nothing_behind() {
    let hosting = cloned().await;
    commit(&hosting.testbed, "x.txt", "1", "ours").await;
    let theirs = hosting.server.repository().commit("main", "theirs", &[("x.txt", "2")]).unwrap();
    let attempt = push(&hosting.testbed, json!({})).await;
    check(&attempt, Status::Failed);
    assert_eq!((attempt.class, hosting.tip("main")), (Some(Class::Failed), theirs));
    assert!(is_cleaned_up(&hosting));
}

#[tokio::test]
async fn force_replaces_what_the_branch_holds() {
    let hosting = cloned().await;
    let base = hosting.tip("main");
    commit(&hosting.testbed, "x.txt", "1", "ours").await;
    hosting.server.repository().commit("main", "theirs", &[("x.txt", "2")]).unwrap();
    check(&push(&hosting.testbed, json!({ "force": true })).await, Status::Succeeded);
    assert_eq!((shown(&hosting, "%s", "main"), hosting.tip("main^")), ("ours".to_owned(), base));
}

#[tokio::test]
async fn force_without_commits_goes_back_to_where_the_clone_is() {
    let hosting = cloned().await;
    let base = hosting.tip("main");
    hosting.server.repository().commit("main", "theirs", &[("x.txt", "2")]).unwrap();
    check(&push(&hosting.testbed, json!({ "force": true })).await, Status::Succeeded);
    assert_eq!((hosting.tip("main"), made(&hosting)), (base, 0));
}

#[tokio::test]
async fn a_branch_that_moves_meanwhile_is_tried_again() {
    let hosting = cloned().await;
    commit(&hosting.testbed, "x.txt", "1", "ours").await;
    let moved = json!({
        "status": "diverged", "total_commits": 0, "commits": [],
        "merge_base_commit": { "sha": hosting.tip("main") },
    });
    let moved = Mishap::Answer(200, Vec::new(), moved.to_string());
    hosting.server.fail(Fault::once(moved).on("GET", "/compare/"));
    let refused = Fault::saying(422, "Update is not a fast forward");
    hosting.server.fail(Fault::once(refused).on("PATCH", ""));
    check(&push(&hosting.testbed, json!({})).await, Status::Succeeded);
    assert_eq!(shown(&hosting, "%s", "main"), "ours");
}

#[tokio::test]
async fn attempts_end() {
    let hosting = cloned().await;
    commit(&hosting.testbed, "x.txt", "1", "ours").await;
    let refused = Fault::saying(422, "Update is not a fast forward");
    hosting.server.fail(Fault::always(refused).on("PATCH", ""));
    let attempt = push(&hosting.testbed, json!({ "maxAttempts": 2 })).await;
    check(&attempt, Status::Errored);
    assert_eq!(attempt.class, Some(Class::Retryable));
    assert!(attempt.message.contains("in 2 attempts: Update is not"), "{}", attempt.message);
    assert!(is_cleaned_up(&hosting));
}

#[tokio::test]
async fn a_branch_of_the_promotion_is_created_and_taken_on_after_a_crash() {
    let mut hosting = cloned().await;
    set(&mut hosting, |settings| settings.github_push_verify_untrusted = true);
    let base = hosting.tip("main");
    commit(&hosting.testbed, "x.txt", "1", "ours").await;
    // The branch is there, but nobody heard of it.
    hosting.server.fail(Fault::once(Mishap::LoseAnswer(502)).on("POST", "/git/refs"));
    let generated = json!({ "generateTargetBranch": true });
    check(&push(&hosting.testbed, generated.clone()).await, Status::Errored);
    let branch = "kargo/promotion/dev.01abc";
    let first = hosting.tip(branch);
    assert_eq!(made(&hosting), 1);
    let again = push(&hosting.testbed, generated).await;
    check(&again, Status::Succeeded);
    assert_eq!((hosting.tip(branch), made(&hosting)), (first.clone(), 0));
    let output = again.output();
    assert_eq!((&output["commit"], &output["branch"]), (&json!(first), &json!(branch)));
    assert_eq!((hosting.tip(&format!("{branch}^")), hosting.tip("main")), (base.clone(), base));
}

#[tokio::test]
async fn too_many_commits_end_the_step() {
    let mut hosting = cloned().await;
    set(&mut hosting, |settings| settings.github_push_max_revisions = 1);
    let before = hosting.tip("main");
    commit(&hosting.testbed, "x.txt", "1", "first").await;
    commit(&hosting.testbed, "x.txt", "2", "second").await;
    let attempt = push(&hosting.testbed, json!({})).await;
    check(&attempt, Status::Errored);
    assert_eq!((attempt.class, hosting.tip("main")), (Some(Class::Fatal), before));
    assert!(attempt.message.contains("GITHUB_PUSH_MAX_REVISIONS"), "{}", attempt.message);
    assert!(is_cleaned_up(&hosting));
}

#[tokio::test]
async fn a_comparison_that_nobody_understands_ends_the_step() {
    let hosting = cloned().await;
    commit(&hosting.testbed, "x.txt", "1", "ours").await;
    let odd = json!({
        "status": "sideways", "total_commits": 0, "commits": [],
        "merge_base_commit": { "sha": hosting.tip("main") },
    });
    let odd = Mishap::Answer(200, Vec::new(), odd.to_string());
    hosting.server.fail(Fault::once(odd).on("GET", "/compare/"));
    let attempt = push(&hosting.testbed, json!({})).await;
    assert_eq!(attempt.class, Some(Class::Fatal), "{}", attempt.message);
}

#[tokio::test]
async fn without_a_token_nothing_is_tried() {
    let hosting = cloned().await;
    let url = hosting.server.repo_url();
    for credential in [Credential::basic("git", ""), Credential::SshKey(Secret::new("key"))] {
        hosting.testbed.credentials.put(&url, credential);
        let attempt = push(&hosting.testbed, json!({})).await;
        check(&attempt, Status::Failed);
        assert_eq!(attempt.class, Some(Class::Failed));
    }
    assert!(hosting.server.received().is_empty());
}

#[tokio::test]
async fn a_preview_pushes_nothing() {
    let mut hosting = cloned().await;
    let before = hosting.tip("main");
    let head = commit(&hosting.testbed, "x.txt", "1", "ours").await;
    hosting.testbed.effects = Effects::recorded();
    let attempt = push(&hosting.testbed, json!({ "targetBranch": "prod" })).await;
    check(&attempt, Status::Succeeded);
    let output = attempt.output();
    assert_eq!((&output["commit"], &output["branch"]), (&json!(head), &json!("prod")));
    assert_eq!(hosting.testbed.effects.list()[0].action, "push");
    assert_eq!(hosting.tip("main"), before);
    assert!(hosting.server.received().is_empty());
}
