//! `git-clone`, `git-clear`, `git-commit`, `git-tag` and `git-push` with a real git and a real server.

use std::{sync::Arc, time::Duration};

use api_kinds::promotion::PromotionStepStatus as Status;
use core_clock::{Clock as _, ManualClock};
use core_rules::credential::Credential;
use dev_testkit::server::{Behaviour, GitHttp, GitRepository};
use serde_json::{Value, json};
use work_steps::{
    Class, Effects, Settings,
    testbed::{Attempt, Testbed},
};

async fn served(name: &str) -> (GitHttp, GitRepository) {
    let server = GitHttp::start().await.unwrap();
    let origin = server.repository(name).unwrap();
    origin.git(&["config", "http.receivepack", "true"]).unwrap();
    origin.commit("main", "first", &[("app/values.yaml", "tag: v1\n"), ("other", "1\n")]).unwrap();
    (server, origin)
}

/// Runs a step under an alias of its own.
async fn step(testbed: &mut Testbed, kind: &str, config: Value) -> Attempt {
    testbed.alias = kind.to_owned();
    testbed.run(kind, config).await
}

async fn done(testbed: &mut Testbed, kind: &str, config: Value) -> Attempt {
    let attempt = step(testbed, kind, config).await;
    assert_eq!(attempt.status, Status::Succeeded, "{kind}: {}", attempt.message);
    attempt
}

async fn on_main(url: &str) -> Testbed {
    let mut testbed = Testbed::new().await;
    let config = json!({"repoURL": url, "checkout": [{"branch": "main", "path": "./out"}]});
    done(&mut testbed, "git-clone", config).await;
    testbed
}

#[tokio::test]
async fn a_change_travels_from_the_clone_to_the_server() {
    let (server, origin) = served("a").await;
    let url = server.url("a");
    let mut testbed = Testbed::new().await;
    let first = origin.git(&["rev-parse", "main"]).unwrap();
    let checkout = json!([
        {"commit": first, "path": "./src", "as": "source"},
        {"branch": "stage/dev", "path": "./out", "create": true},
        {"path": "./default", "sparse": ["app"]},
    ]);
    let cloned =
        done(&mut testbed, "git-clone", json!({"repoURL": url, "checkout": checkout})).await;
    let commits = cloned.output()["commits"].clone();
    assert_eq!((&commits["source"], &commits["./default"]), (&json!(first), &json!(first)));
    let start = origin.git(&["rev-parse", "stage/dev"]).unwrap();
    assert_eq!(commits["./out"], json!(start));
    testbed.write("out/values.yaml", "tag: v2\n");
    let config = json!({"path": "./out", "message": "promote v2"});
    let committed = done(&mut testbed, "git-commit", config.clone()).await;
    let again = done(&mut testbed, "git-commit", config.clone()).await;
    assert_eq!(again.output(), committed.output(), "a repeated step finds its own commit");
    testbed.alias = "another".to_owned();
    let nothing = testbed.run("git-commit", config).await;
    assert_eq!(nothing.output(), committed.output());
    assert_eq!(nothing.status, Status::Skipped);
    let pushed = done(&mut testbed, "git-push", json!({"path": "./out"})).await;
    let output = pushed.output();
    assert_eq!(
        (&output["branch"], &output["commit"]),
        (&json!("stage/dev"), &committed.output()["commit"])
    );
    assert_eq!(json!(origin.git(&["rev-parse", "stage/dev"]).unwrap()), output["commit"]);
    let date = origin.git(&["log", "-1", "--format=%aI %cI", "stage/dev"]).unwrap();
    assert_eq!(date, "2026-01-02T03:04:05+00:00 2026-01-02T03:04:05+00:00");
    let again = done(&mut testbed, "git-push", json!({"path": "./out"})).await;
    assert_eq!(again.output(), output);
}

#[tokio::test]
async fn clearing_makes_room_for_what_is_rendered() {
    let (server, origin) = served("a").await;
    let mut testbed = on_main(&server.url("a")).await;
    testbed.write("out/untracked/file", "x");
    for _ in 0..2 {
        done(&mut testbed, "git-clear", json!({"path": "out"})).await;
    }
    testbed.write("out/rendered.yaml", "x");
    done(&mut testbed, "git-commit", json!({"path": "out", "message": "render"})).await;
    done(&mut testbed, "git-push", json!({"path": "out"})).await;
    assert_eq!(origin.git(&["ls-tree", "-r", "--name-only", "main"]).unwrap(), "rendered.yaml");
}

#[tokio::test]
async fn a_generated_branch_is_pushed_again_whatever_it_holds() {
    let (server, origin) = served("a").await;
    origin.commit("kargo/promotion/p1", "of a former life", &[("x", "x")]).unwrap();
    let mut testbed = on_main(&server.url("a")).await;
    testbed.subject.promotion = "p1".to_owned();
    testbed.write("out/other", "2\n");
    done(&mut testbed, "git-commit", json!({"path": "out", "message": "m"})).await;
    let config = json!({"path": "out", "generateTargetBranch": true, "provider": "github"});
    let pushed = done(&mut testbed, "git-push", config).await.output();
    assert_eq!(pushed["branch"], "kargo/promotion/p1");
    assert_eq!(json!(origin.git(&["rev-parse", "kargo/promotion/p1"]).unwrap()), pushed["commit"]);
    assert!(pushed.get("commitURL").is_none_or(|url| url.as_str().unwrap().contains("/commit/")));
}

#[tokio::test]
async fn a_tag_is_made_here_and_pushed_on_request() {
    let (server, origin) = served("a").await;
    let mut testbed = on_main(&server.url("a")).await;
    let config = json!({"path": "out", "tag": "v1", "message": "one", "unknown": true});
    let tagged = done(&mut testbed, "git-tag", config.clone()).await.output();
    assert_eq!(tagged["commit"], json!(origin.git(&["rev-parse", "main"]).unwrap()));
    testbed.alias = "another".to_owned();
    let taken = testbed.run("git-tag", config).await;
    assert_eq!((taken.status, taken.class), (Status::Errored, Some(Class::Retryable)));
    assert!(taken.message.contains("the tag v1 exists already"), "{}", taken.message);
    let pushed = done(&mut testbed, "git-push", json!({"path": "out", "tag": "v1"})).await.output();
    assert_eq!(pushed["branch"], "main");
    assert_eq!(origin.git(&["tag"]).unwrap(), "v1");
}

#[tokio::test]
async fn what_the_user_must_mend_fails_for_good() {
    let (server, origin) = served("a").await;
    let mut testbed = Testbed::new().await;
    let twice = json!([{"path": "a", "as": "x"}, {"path": "b", "as": "x"}]);
    let config = json!({"repoURL": server.url("a"), "checkout": twice});
    let failed = step(&mut testbed, "git-clone", config).await;
    assert_eq!((failed.status, failed.class), (Status::Failed, Some(Class::Failed)));
    assert!(failed.message.contains("two checkouts have the alias \"x\""), "{}", failed.message);

    let mut testbed = on_main(&server.url("a")).await;
    testbed.write("out/other", "ours\n");
    done(&mut testbed, "git-commit", json!({"path": "out", "message": "m"})).await;
    origin.commit("main", "theirs", &[("other", "theirs\n")]).unwrap();
    let failed = step(&mut testbed, "git-push", json!({"path": "out"})).await;
    assert_eq!((failed.status, failed.class), (Status::Failed, Some(Class::Failed)));
    assert!(failed.message.contains("merge conflict"), "{}", failed.message);
    assert!(failed.message.contains("other"), "{}", failed.message);
}

#[tokio::test]
async fn what_may_pass_is_an_error_that_says_what_to_do() {
    let (server, _origin) = served("a").await;
    let url = server.url("a");
    let mut testbed = Testbed::new().await;
    testbed.write("mine/file", "x");
    for (kind, config, words) in [
        (
            "git-clone",
            json!({"repoURL": url, "checkout": [{"path": "o", "branch": "none"}]}),
            "or set create",
        ),
        ("git-clone", json!({"repoURL": url, "checkout": [{"path": "mine"}]}), "mine is not empty"),
        (
            "git-clone",
            json!({"repoURL": server.url("absent"), "checkout": [{"path": "o"}]}),
            "was not found",
        ),
        (
            "git-clone",
            json!({"repoURL": "ext::sh -c id", "checkout": [{"path": "o"}]}),
            "only http, https and ssh",
        ),
        (
            "git-clone",
            json!({"repoURL": url, "checkout": [{"path": "o", "sparse": ["../x"]}]}),
            "leaves the repository",
        ),
        (
            "git-clone",
            json!({"repoURL": url, "checkout": [{"path": "o", "branch": "-c"}]}),
            "begins with a dash",
        ),
        (
            "git-commit",
            json!({"path": "mine", "message": "m"}),
            "mine is not a work tree made by git-clone",
        ),
        ("git-clear", json!({"path": "nowhere"}), "nowhere is not a work tree"),
        ("git-push", json!({"path": "../.."}), "is not a work tree"),
        ("git-tag", json!({"path": "mine", "tag": "t", "message": "m"}), "is not a work tree"),
    ] {
        let failed = step(&mut testbed, kind, config).await;
        assert_eq!(
            (failed.status, failed.class),
            (Status::Errored, Some(Class::Retryable)),
            "{kind}"
        );
        assert!(failed.message.contains(words), "{kind}: {}", failed.message);
    }
    let commit = json!({"repoURL": url, "checkout": [{"path": "at", "tag": ""}]});
    done(&mut testbed, "git-clone", commit).await;
    assert_eq!(testbed.read("mine/file").as_deref(), Some("x"));
}

#[tokio::test]
async fn a_push_without_a_branch_says_what_is_missing() {
    let (server, origin) = served("a").await;
    let mut testbed = Testbed::new().await;
    let first = origin.git(&["rev-parse", "main"]).unwrap();
    let config = json!({"repoURL": server.url("a"), "checkout": [{"path": "at", "commit": first}]});
    done(&mut testbed, "git-clone", config).await;
    let failed = step(&mut testbed, "git-push", json!({"path": "at"})).await;
    assert_eq!(failed.class, Some(Class::Retryable));
    assert!(failed.message.contains("at is on no branch: set targetBranch"), "{}", failed.message);
    done(&mut testbed, "git-push", json!({"path": "at", "targetBranch": "copy"})).await;
    assert_eq!(origin.git(&["rev-parse", "copy"]).unwrap(), first);
}

#[tokio::test]
async fn a_server_that_stumbles_is_asked_as_often_as_allowed() {
    let (server, _origin) = served("a").await;
    let clock = ManualClock::new(core_clock::Time::default());
    let real = io_runtime::SystemClock::new();
    let mut testbed = on_main(&server.url("a")).await;
    testbed.ports.clock = Arc::new(clock.clone());
    testbed.write("out/other", "2\n");
    done(&mut testbed, "git-commit", json!({"path": "out", "message": "m"})).await;
    server.behave("a", Behaviour::Status(503));
    server.seen();
    testbed.alias = "git-push".to_owned();
    let config = json!({"path": "out", "maxAttempts": 12});
    let push = testbed.run("git-push", config);
    tokio::pin!(push);
    let failed = loop {
        tokio::select! {
            failed = &mut push => break failed,
            () = real.sleep(Duration::from_millis(5)) => clock.advance(Duration::from_secs(10)),
        }
    };
    assert_eq!((failed.status, failed.class), (Status::Errored, Some(Class::Retryable)));
    assert_eq!(server.seen().len(), 12, "{}", failed.message);
    assert_eq!(testbed.log().iter().filter(|line| line.contains("trying again in")).count(), 11);
}

#[tokio::test]
async fn a_preview_pushes_nothing_and_says_what_it_would_have() {
    let (server, origin) = served("a").await;
    let before = origin.git(&["for-each-ref"]).unwrap();
    let mut testbed = Testbed::new().await;
    testbed.effects = Effects::recorded();
    let checkout = json!([{"branch": "new", "path": "out", "create": true}]);
    done(&mut testbed, "git-clone", json!({"repoURL": server.url("a"), "checkout": checkout}))
        .await;
    testbed.write("out/a", "x");
    let commit = done(&mut testbed, "git-commit", json!({"path": "out", "message": "m"})).await;
    done(&mut testbed, "git-tag", json!({"path": "out", "tag": "v1", "message": "m"})).await;
    let pushed = done(&mut testbed, "git-push", json!({"path": "out"})).await.output();
    assert_eq!((&pushed["commit"], &pushed["branch"]), (&commit.output()["commit"], &json!("new")));
    done(&mut testbed, "git-push", json!({"path": "out", "tag": "v1"})).await;
    assert_eq!(origin.git(&["for-each-ref"]).unwrap(), before);
    let actions: Vec<&str> = testbed.effects.list().iter().map(|effect| effect.action).collect();
    assert_eq!(actions, ["create branch", "push", "push"]);
}

#[tokio::test]
async fn a_preview_tells_what_each_file_would_become() {
    let (server, _origin) = served("a").await;
    let mut testbed = on_main(&server.url("a")).await;
    testbed.effects = Effects::recorded();
    testbed.write("out/app/values.yaml", "tag: v2\n");
    testbed.write("out/new", "n\n");
    let commit = done(&mut testbed, "git-commit", json!({"path": "out", "message": "v2\n\nbody"}));
    let commit = commit.await.output()["commit"].clone();
    for config in [json!({"path": "out"}), json!({"path": "out", "generateTargetBranch": true})] {
        done(&mut testbed, "git-push", config).await;
    }
    let files = json!([
        {"path": "app/values.yaml", "before": "tag: v1\n", "after": "tag: v2\n", "opaque": false},
        {"path": "new", "before": null, "after": "n\n", "opaque": false},
    ]);
    for effect in testbed.effects.list() {
        assert_eq!(
            effect.detail["commits"],
            json!(["v2"]),
            "a new branch is compared with its own"
        );
        assert_eq!((&effect.detail["files"], &effect.detail["commit"]), (&files, &commit));
    }
    let config = json!({"repoURL": server.url("a"), "prNumber": 1});
    let waited = done(&mut testbed, "git-wait-for-pr", config.clone()).await;
    let merged = done(&mut testbed, "git-merge-pr", config).await;
    assert_eq!((&waited.output()["commit"], &merged.output()["commit"]), (&commit, &commit));
}

#[tokio::test]
async fn a_credential_opens_the_door_and_is_never_shown() {
    let (server, _origin) = served("a").await;
    server.behave("a", Behaviour::Login("kargo".to_owned(), "planted-s3cret".to_owned()));
    let url = server.url("a");
    let mut testbed = Testbed::new().await;
    let config = json!({"repoURL": url, "checkout": [{"path": "out", "branch": "main"}]});
    let refused = step(&mut testbed, "git-clone", config.clone()).await;
    assert!(refused.message.contains("refused access without a credential"), "{}", refused.message);
    testbed.credentials.fail(Some("the Secret is gone"));
    let unread = step(&mut testbed, "git-clone", config.clone()).await;
    assert_eq!((unread.status, unread.class), (Status::Errored, Some(Class::Retryable)));
    testbed.credentials.fail(None);
    testbed.credentials.put(&url, Credential::basic("kargo", "planted-s3cret"));
    done(&mut testbed, "git-clone", config).await;
    testbed.write("out/other", "2\n");
    done(&mut testbed, "git-commit", json!({"path": "out", "message": "m"})).await;
    done(&mut testbed, "git-push", json!({"path": "out"})).await;
    server.behave("a", Behaviour::Status(403));
    let refused = step(&mut testbed, "git-push", json!({"path": "out"})).await;
    let told = format!("{} {:?} {:?}", refused.message, testbed.log(), testbed.state());
    assert!(!told.contains("planted-s3cret"), "{told}");
}

#[tokio::test]
async fn the_policy_of_the_operator_decides_how_remote_changes_are_taken_in() {
    let (server, origin) = served("a").await;
    let mut testbed = on_main(&server.url("a")).await;
    testbed.ports.settings = Arc::new(Settings {
        push_integration: io_git::PushIntegration::AlwaysMerge,
        ..Settings::default()
    });
    testbed.write("out/other", "2\n");
    done(&mut testbed, "git-commit", json!({"path": "out", "message": "m"})).await;
    origin.commit("main", "theirs", &[("app/values.yaml", "tag: v9\n")]).unwrap();
    done(&mut testbed, "git-push", json!({"path": "out"})).await;
    let parents = origin.git(&["log", "-1", "--format=%P", "main"]).unwrap();
    assert_eq!(parents.split(' ').count(), 2);
    assert_eq!(testbed.read("out/app/values.yaml").as_deref(), Some("tag: v9\n"));
}

#[tokio::test]
async fn a_bad_signing_key_is_told_and_an_author_may_have_none() {
    let (server, origin) = served("a").await;
    let mut testbed = Testbed::new().await;
    let clone = |author: Value| json!({"repoURL": server.url("a"), "author": author, "checkout": [{"path": "out", "branch": "main"}]});
    let author = json!({"name": "Ada", "email": "ada@example.com", "signingKey": "no such key"});
    done(&mut testbed, "git-clone", clone(author)).await;
    testbed.write("out/other", "2\n");
    let failed = step(&mut testbed, "git-commit", json!({"path": "out", "message": "m"})).await;
    assert_eq!((failed.status, failed.class), (Status::Errored, Some(Class::Retryable)));
    assert!(failed.message.contains("the signing key could not be used"), "{}", failed.message);
    done(&mut testbed, "git-clone", clone(json!({"name": "Ada", "email": "ada@example.com"})))
        .await;
    testbed.write("out/other", "2\n");
    done(&mut testbed, "git-commit", json!({"path": "out", "message": "m"})).await;
    done(&mut testbed, "git-push", json!({"path": "out"})).await;
    assert_eq!(
        origin.git(&["log", "-1", "--format=%an %ce", "main"]).unwrap(),
        "Ada ada@example.com"
    );
}
