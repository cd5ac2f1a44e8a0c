//! Commits, tags and pushes, with others who push at the same time.

use dev_testkit::server::{Behaviour, GitRepository};
use io_git::{CommitRequest, Identity, Push, PushIntegration, TagRequest, WorkError};

use crate::{
    promotion::{Promotion, checkout, commit, date, on, publish, publish_as},
    world::World,
};

const POLICIES: [PushIntegration; 4] = [
    PushIntegration::AlwaysRebase,
    PushIntegration::RebaseOrMerge,
    PushIntegration::RebaseOrFail,
    PushIntegration::AlwaysMerge,
];

pub(crate) fn seeded(world: &World, name: &str) -> GitRepository {
    let origin = world.server.repository(name).unwrap();
    origin.git(&["config", "http.receivepack", "true"]).unwrap();
    origin
        .commit("main", "first", &[("a", "1\n"), ("b", "1\n"), (".gitignore", "ignored\n")])
        .unwrap();
    origin
}

#[tokio::test]
async fn a_commit_holds_every_change_and_only_once() {
    let world = World::new().await;
    let origin = seeded(&world, "a");
    let promotion = Promotion::new(&world.store);
    let tree = promotion.on_branch(&world.server.url("a"), "main").await;
    let before = tree.head().unwrap();
    assert!(!commit(&tree, "nothing").await.unwrap().is_new);
    promotion.write("out/a", "2\n");
    promotion.write("out/c/d", "new\n");
    promotion.write("out/ignored", "x\n");
    promotion.files.remove("out/b").unwrap();
    let made = commit(&tree, "all kinds\n\n# of change").await.unwrap();
    assert!(made.is_new && made.id != before && tree.head().unwrap() == made.id);
    let again = commit(&tree, "all kinds\n\n# of change").await.unwrap();
    assert_eq!(again, made, "a second attempt of the step finds its own commit");
    assert!(!commit(&tree, "another step").await.unwrap().is_new);
    publish(&tree, "main", PushIntegration::AlwaysRebase).await.unwrap();
    let shown =
        origin.git(&["show", "--name-status", "--format=%an|%ae|%at|%ct|%B", "main"]).unwrap();
    let seconds = date().as_second();
    assert_eq!(
        shown,
        format!(
            "Kargo|no-reply@kargo.io|{seconds}|{seconds}|all kinds\n\n# of change\n\n\nM\ta\nD\tb\nA\tc/d"
        )
    );
}

#[tokio::test]
async fn the_same_work_makes_the_same_commit() {
    let world = World::new().await;
    seeded(&world, "a");
    let mut ids = Vec::new();
    for _ in 0..2 {
        let promotion = Promotion::new(&world.store);
        let tree = promotion.on_branch(&world.server.url("a"), "main").await;
        promotion.write("out/a", "2\n");
        ids.push(commit(&tree, "promote").await.unwrap().id);
    }
    assert_eq!(ids[0], ids[1]);
}

#[tokio::test]
async fn a_commit_may_have_an_author_of_its_own() {
    let world = World::new().await;
    seeded(&world, "a");
    let promotion = Promotion::new(&world.store);
    let tree = promotion.on_branch(&world.server.url("a"), "main").await;
    promotion.write("out/a", "2\n");
    let author =
        Identity { name: "Ada".into(), email: "ada@example.com".into(), signing_key: None };
    let request =
        CommitRequest { message: "m", author: Some(&author), date: date(), key: "commit" };
    let made = tree.commit(request).await.unwrap();
    let commits = tree.commits_between(parent(&tree).await, made.id).await.unwrap();
    assert_eq!(commits[0].author.to_string(), "Ada <ada@example.com>");
    assert_eq!(commits[0].committer, commits[0].author);
}

async fn parent(tree: &io_git::WorkTree) -> io_git::ObjectId {
    let origin = tree.repository(None).unwrap();
    tree.remote_head(&origin, "refs/heads/main").await.unwrap().unwrap()
}

#[tokio::test]
async fn clearing_removes_everything_but_what_is_ignored() {
    let world = World::new().await;
    let origin = seeded(&world, "a");
    let promotion = Promotion::new(&world.store);
    let tree = promotion.on_branch(&world.server.url("a"), "main").await;
    promotion.write("out/new/file", "x");
    promotion.write("out/ignored", "x");
    tree.clear().await.unwrap();
    assert_eq!(promotion.listing("out"), ["ignored"]);
    tree.clear().await.unwrap();
    promotion.write("out/only", "x");
    commit(&tree, "cleared").await.unwrap();
    publish(&tree, "main", PushIntegration::AlwaysRebase).await.unwrap();
    // With .gitignore gone, nothing was ignored the second time.
    assert_eq!(origin.git(&["ls-tree", "--name-only", "main"]).unwrap(), "only");
}

#[tokio::test]
async fn a_work_tree_inside_another_belongs_to_itself() {
    let world = World::new().await;
    let origin = seeded(&world, "a");
    origin.commit("inner", "inner", &[("i", "1\n")]).unwrap();
    let promotion = Promotion::new(&world.store);
    let checkouts = vec![checkout("out", on("main")), checkout("out/in[n]er", on("inner"))];
    promotion.clone(&world.server.url("a"), checkouts).await.unwrap();
    let outer = promotion.tree("out");
    assert!(!commit(&outer, "nothing").await.unwrap().is_new);
    outer.clear().await.unwrap();
    assert_eq!(promotion.listing("out"), ["in[n]er/i"]);
    promotion.write("out/in[n]er/i", "2\n");
    assert!(commit(&promotion.tree("out/in[n]er"), "inner").await.unwrap().is_new);
    promotion.write("out/new", "x");
    commit(&outer, "outer").await.unwrap();
    publish(&outer, "main", PushIntegration::AlwaysRebase).await.unwrap();
    assert_eq!(origin.git(&["ls-tree", "-r", "--name-only", "main"]).unwrap(), "new");
}

#[tokio::test]
async fn a_change_that_somebody_else_pushed_meanwhile_is_kept() {
    let world = World::new().await;
    for (number, policy) in POLICIES.into_iter().enumerate() {
        let name = format!("r{number}");
        let origin = seeded(&world, &name);
        let promotion = Promotion::new(&world.store);
        let tree = promotion.on_branch(&world.server.url(&name), "main").await;
        promotion.write("out/a", "2\n");
        let made = commit(&tree, "ours").await.unwrap();
        origin.commit("main", "theirs", &[("b", "2\n"), ("c", "new\n")]).unwrap();
        publish(&tree, "main", policy).await.unwrap();
        let head = tree.head().unwrap().to_string();
        assert_eq!(origin.git(&["rev-parse", "main"]).unwrap(), head);
        assert_ne!(head, made.id.to_string());
        assert_eq!(
            (promotion.read("out/a"), promotion.read("out/b")),
            ("2\n".into(), "2\n".into())
        );
        assert_eq!(promotion.read("out/c"), "new\n");
        let parents = origin.git(&["log", "-1", "--format=%P", "main"]).unwrap();
        let merges = policy == PushIntegration::AlwaysMerge;
        assert_eq!(parents.split(' ').count(), if merges { 2 } else { 1 }, "{policy:?}");
        let committed = origin.git(&["log", "-1", "--format=%ct", "main"]).unwrap();
        assert_eq!(committed, date().as_second().to_string(), "{policy:?}");
        publish(&tree, "main", policy).await.unwrap();
        assert_eq!(
            origin.git(&["rev-parse", "main"]).unwrap(),
            head,
            "pushing twice is pushing once"
        );
    }
}

#[tokio::test]
async fn a_conflict_is_told_with_its_paths_and_leaves_a_clean_tree() {
    let world = World::new().await;
    for (number, policy) in POLICIES.into_iter().enumerate() {
        let name = format!("r{number}");
        let origin = seeded(&world, &name);
        let promotion = Promotion::new(&world.store);
        let tree = promotion.on_branch(&world.server.url(&name), "main").await;
        promotion.write("out/a", "ours\n");
        let made = commit(&tree, "ours").await.unwrap();
        let theirs = origin.commit("main", "theirs", &[("a", "theirs\n")]).unwrap();
        for _ in 0..2 {
            let failed = publish(&tree, "main", policy).await.unwrap_err();
            match &failed {
                WorkError::Conflict { branch, paths } => {
                    assert_eq!(
                        (branch.as_str(), paths.as_slice()),
                        ("main", &["a".to_owned()][..])
                    );
                }
                other => panic!("{policy:?}: {other}"),
            }
            assert!(!failed.is_retryable());
            assert_eq!(tree.head().unwrap(), made.id);
            assert_eq!(promotion.read("out/a"), "ours\n");
            assert!(!commit(&tree, "clean").await.unwrap().is_new);
        }
        assert_eq!(origin.git(&["rev-parse", "main"]).unwrap(), theirs);
    }
}

#[tokio::test]
async fn many_promotions_push_to_one_branch() {
    let world = World::new().await;
    let origin = seeded(&world, "a");
    let pushes = (0..8).map(|number| {
        let promotion = Promotion::new(&world.store);
        let url = world.server.url("a");
        async move {
            let tree = promotion.on_branch(&url, "main").await;
            promotion.write(&format!("out/stage{number}"), "x");
            commit(&tree, &format!("promote {number}")).await.unwrap();
            publish(&tree, "main", PushIntegration::AlwaysRebase).await.unwrap();
        }
    });
    futures::future::join_all(pushes).await;
    assert_eq!(origin.git(&["rev-list", "--count", "main"]).unwrap(), "9");
}

#[tokio::test]
async fn a_forced_push_drops_what_was_there() {
    let world = World::new().await;
    let origin = seeded(&world, "a");
    origin.commit("kargo/promotion/x", "old", &[("old", "x")]).unwrap();
    let promotion = Promotion::new(&world.store);
    let tree = promotion.on_branch(&world.server.url("a"), "main").await;
    promotion.write("out/a", "2\n");
    let made = commit(&tree, "ours").await.unwrap();
    for _ in 0..2 {
        publish_as(&tree, None, "kargo/promotion/x", None, true).await.unwrap();
        let tip = origin.git(&["rev-parse", "kargo/promotion/x"]).unwrap();
        assert_eq!(tip, made.id.to_string());
    }
    let unforced = publish_as(&tree, None, "new-branch", None, false).await;
    unforced.unwrap();
    assert_eq!(origin.git(&["rev-parse", "new-branch"]).unwrap(), made.id.to_string());
}

#[tokio::test]
async fn refusals_are_told_from_races_and_from_disturbances() {
    let world = World::new().await;
    let origin = seeded(&world, "a");
    let promotion = Promotion::new(&world.store);
    let tree = promotion.on_branch(&world.server.url("a"), "main").await;
    promotion.write("out/a", "2\n");
    commit(&tree, "ours").await.unwrap();
    origin.commit("main", "theirs", &[("c", "x")]).unwrap();
    let raced = publish_as(&tree, None, "main", None, false).await.unwrap_err();
    assert!(raced.is_retryable(), "{raced}");

    let hook = origin.path().join("hooks/pre-receive");
    std::fs::create_dir_all(hook.parent().unwrap()).unwrap();
    std::fs::write(&hook, "#!/bin/sh\necho 'main is protected, ask Ada'\nexit 1\n").unwrap();
    std::process::Command::new("chmod").arg("+x").arg(&hook).status().unwrap();
    let refused = publish(&tree, "main", PushIntegration::AlwaysRebase).await.unwrap_err();
    assert!(!refused.is_retryable());
    let text = refused.to_string();
    assert!(text.contains("pre-receive hook declined (main is protected, ask Ada)"), "{text}");

    world.server.behave("a", Behaviour::Status(503));
    let disturbed = publish(&tree, "main", PushIntegration::AlwaysRebase).await.unwrap_err();
    assert!(disturbed.is_retryable(), "{disturbed}");
    world.server.behave("a", Behaviour::Status(403));
    let forbidden = publish(&tree, "main", PushIntegration::AlwaysRebase).await.unwrap_err();
    assert!(!forbidden.is_retryable(), "{forbidden}");
}

#[tokio::test]
async fn tags_are_annotated_local_and_never_replaced_by_accident() {
    let world = World::new().await;
    let origin = seeded(&world, "a");
    let promotion = Promotion::new(&world.store);
    let tree = promotion.on_branch(&world.server.url("a"), "main").await;
    let request =
        |name, message, force, key| TagRequest { name, message, force, date: date(), key };
    let head = tree.tag(request("v1", "one", false, "tag")).await.unwrap();
    assert_eq!(head, tree.head().unwrap());
    tree.tag(request("v1", "one", false, "tag")).await.unwrap();
    let taken = tree.tag(request("v1", "two", false, "other")).await.unwrap_err();
    assert!(matches!(taken, WorkError::TagExists { .. }), "{taken}");
    assert!(origin.git(&["tag"]).unwrap().is_empty());
    let repository = tree.repository(None).unwrap();
    let tag = "refs/tags/v1".to_owned();
    let push = Push { from: tag.clone(), to: tag, force: false };
    tree.push(&repository, &push).await.unwrap();
    tree.push(&repository, &push).await.unwrap();
    let shown = origin.git(&[
        "for-each-ref",
        "--format=%(objecttype) %(contents) %(taggername)",
        "refs/tags",
    ]);
    assert_eq!(shown.unwrap(), "tag one\n Kargo");
    tree.tag(request("v1", "two", true, "forced")).await.unwrap();
    let other = tree.push(&repository, &push).await.unwrap_err();
    assert!(!other.is_retryable() && other.to_string().contains("already exists"), "{other}");
    for name in ["-d", "a b", "a..b", ""] {
        assert!(tree.tag(request(name, "m", false, name)).await.is_err(), "{name}");
    }
}

#[tokio::test]
async fn a_work_tree_can_be_made_equal_to_the_remote() {
    let world = World::new().await;
    let origin = seeded(&world, "a");
    let promotion = Promotion::new(&world.store);
    let tree = promotion.on_branch(&world.server.url("a"), "main").await;
    promotion.write("out/a", "local\n");
    commit(&tree, "local").await.unwrap();
    let theirs = origin.commit("main", "theirs", &[("a", "theirs\n")]).unwrap();
    let repository = tree.repository(None).unwrap();
    let tip = tree.fetch_and_reset(&repository, "main").await.unwrap();
    assert_eq!((tip.to_string(), promotion.read("out/a")), (theirs, "theirs\n".to_owned()));
}

#[tokio::test]
async fn nothing_in_a_repository_or_among_the_files_is_run() {
    let world = World::new().await;
    let origin = seeded(&world, "a");
    let owned = tempfile::tempdir().unwrap();
    let trap = owned.path().join("trap");
    let attributes = "* filter=evil diff=evil merge=evil\n";
    origin.commit("main", "trap", &[(".gitattributes", attributes)]).unwrap();
    let promotion = Promotion::new(&world.store);
    let tree = promotion.on_branch(&world.server.url("a"), "main").await;
    // What the jail refuses is written past it: even so it must not matter.
    let config = format!(
        "[core]\n\tfsmonitor = touch {0}\n\thooksPath = .\n[filter \"evil\"]\n\tclean = touch {0}\n\tsmudge = touch {0}\n",
        trap.display()
    );
    let files = promotion.files.path().to_owned();
    for git in ["out/.git", "out/nested/.git"] {
        let git = files.join(git);
        std::fs::create_dir_all(git.join("refs")).unwrap();
        std::fs::create_dir_all(git.join("objects")).unwrap();
        std::fs::create_dir_all(git.join("hooks")).unwrap();
        std::fs::write(git.join("config"), &config).unwrap();
        std::fs::write(git.join("HEAD"), format!("{}\n", tree.head().unwrap())).unwrap();
        for hook in ["pre-commit", "post-checkout", "pre-push", "pre-rebase", "post-index-change"] {
            let hook = git.join("hooks").join(hook);
            std::fs::write(&hook, format!("#!/bin/sh\ntouch {}\n", trap.display())).unwrap();
            std::process::Command::new("chmod").arg("+x").arg(&hook).status().unwrap();
        }
    }
    promotion.write("out/nested/file", "x");
    promotion.write("out/a", "2\n");
    commit(&tree, "ours").await.unwrap();
    origin.commit("main", "theirs", &[("c", "x")]).unwrap();
    publish(&tree, "main", PushIntegration::AlwaysRebase).await.unwrap();
    assert!(!trap.exists(), "something was run");
    let failed = Promotion::new(&world.store);
    let hostile =
        failed.clone("ext::sh -c touch%20/tmp/x", vec![checkout("out", on("main"))]).await;
    assert!(hostile.unwrap_err().to_string().contains("only http, https and ssh"));
}
