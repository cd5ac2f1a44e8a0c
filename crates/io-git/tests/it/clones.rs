//! Clones: what is checked out, from where, and what happens to what was there before.

use std::fs;

use core_rules::credential::Credential;
use dev_testkit::server::{Behaviour, GitRepository, SshServer, missing_sshd};
use io_git::{At, Checkout, WorkError};

use crate::{
    promotion::{Promotion, checkout, commit, date, on, publish},
    world::{World, remote},
};

fn seeded(world: &World, name: &str) -> GitRepository {
    let origin = world.server.repository(name).unwrap();
    origin.git(&["config", "http.receivepack", "true"]).unwrap();
    let files = [("root.yaml", "1\n"), ("apps/a/values.yaml", "tag: 1\n"), ("apps/b/x", "b\n")];
    origin.commit("main", "first", &files).unwrap();
    origin
}

#[tokio::test]
async fn branches_tags_and_commits_are_checked_out_side_by_side() {
    let world = World::new().await;
    let origin = seeded(&world, "a");
    let first = origin.git(&["rev-parse", "main"]).unwrap();
    origin.git(&["tag", "-a", "-m", "one", "v1", "main"]).unwrap();
    origin.commit("main", "second", &[("root.yaml", "2\n")]).unwrap();
    origin.commit("next", "other", &[("other", "x")]).unwrap();
    let promotion = Promotion::new(&world.store);
    let made = promotion
        .clone(
            &world.server.url("a"),
            vec![
                checkout("default", At::Default),
                checkout("./next/tree", on("next")),
                checkout("tag", At::Tag("v1".to_owned())),
                checkout("commit", At::Commit(first.clone())),
                checkout("short", At::Commit(first[..8].to_owned())),
            ],
        )
        .await
        .unwrap();
    let ids: Vec<String> = made.iter().map(|each| each.commit.to_string()).collect();
    assert_eq!(ids[0], origin.git(&["rev-parse", "main"]).unwrap());
    assert_eq!((&ids[2], &ids[3], &ids[4]), (&first, &first, &first));
    assert_eq!(promotion.read("default/root.yaml"), "2\n");
    assert_eq!(promotion.read("tag/root.yaml"), "1\n");
    assert_eq!(promotion.listing("next/tree"), ["other"]);
    let branches: Vec<Option<String>> = ["default", "next/tree", "tag", "commit"]
        .map(|path| promotion.tree(path).branch().unwrap())
        .into();
    assert_eq!(branches, [Some("main".into()), Some("next".into()), None, None]);
    assert_eq!(promotion.tree("default/apps").branch().unwrap().as_deref(), Some("main"));
}

#[tokio::test]
async fn what_is_not_there_is_named() {
    let world = World::new().await;
    seeded(&world, "a");
    let promotion = Promotion::new(&world.store);
    let absent = "1234567890123456789012345678901234567890".to_owned();
    for (at, words) in [
        (on("none"), "has no branch none: check its name, or set create"),
        (At::Tag("none".to_owned()), "has no tag none"),
        (At::Commit(absent.clone()), &format!("has no {absent}")),
        (At::Commit("12345678".to_owned()), "has no commit 12345678"),
        (At::Commit("main".to_owned()), "it is no commit id"),
        (on("-x"), "it begins with a dash"),
        (on("a:b"), "characters that git forbids"),
    ] {
        let failed = promotion.clone(&world.server.url("a"), vec![checkout("out", at)]).await;
        let text = failed.unwrap_err().to_string();
        assert!(text.contains(words), "{text}");
        assert!(matches!(promotion.try_tree("out"), Err(WorkError::NotAWorkTree { .. })));
    }
    let twice = vec![checkout("a", on("main")), checkout("b", on("main"))];
    let failed = promotion.clone(&world.server.url("a"), twice).await.unwrap_err();
    assert!(failed.to_string().contains("main is checked out twice"), "{failed}");
}

#[tokio::test]
async fn only_what_is_checked_out_is_fetched() {
    let world = World::new().await;
    let origin = seeded(&world, "a");
    origin.commit("main", "large", &[("apps/b/large", &"x".repeat(1 << 20))]).unwrap();
    let promotion = Promotion::new(&world.store);
    let sparse =
        Checkout { path: "out".to_owned(), at: on("main"), sparse: vec!["apps/a".to_owned()] };
    promotion.clone(&world.server.url("a"), vec![sparse]).await.unwrap();
    assert_eq!(promotion.listing("out"), ["apps/a/values.yaml", "root.yaml"]);
    let mirror = &world.mirrors()[0];
    let left_out = std::process::Command::new("git")
        .arg("-C")
        .arg(mirror)
        .args(["rev-list", "--objects", "--missing=print", "--all"])
        .output()
        .unwrap();
    let left_out = String::from_utf8(left_out.stdout).unwrap();
    assert_eq!(left_out.lines().filter(|line| line.starts_with('?')).count(), 2, "{left_out}");

    let tree = promotion.tree("out");
    promotion.write("out/apps/a/values.yaml", "tag: 2\n");
    promotion.write("out/new/file", "n\n");
    commit(&tree, "sparse").await.unwrap();
    publish(&tree, "main", io_git::PushIntegration::AlwaysRebase).await.unwrap();
    let files = origin.git(&["ls-tree", "-r", "--name-only", "main"]).unwrap();
    assert_eq!(
        files, "apps/a/values.yaml\napps/b/large\napps/b/x\nnew/file\nroot.yaml",
        "what was not checked out must survive"
    );
}

#[tokio::test]
async fn a_warm_clone_needs_the_network_for_the_listing_only() {
    let world = World::new().await;
    seeded(&world, "a");
    let url = world.server.url("a");
    Promotion::new(&world.store).on_branch(&url, "main").await;
    world.server.seen();
    Promotion::new(&world.store).on_branch(&url, "main").await;
    assert_eq!(world.server.seen().len(), 2, "one advertisement, one listing");
}

#[tokio::test]
async fn what_was_pushed_is_not_fetched_again() {
    let world = World::new().await;
    seeded(&world, "a");
    let url = world.server.url("a");
    let promotion = Promotion::new(&world.store);
    let tree = promotion.on_branch(&url, "main").await;
    let packs = || fs::read_dir(world.mirrors()[0].join("objects/pack")).unwrap().count();
    let (before, fetches) = (packs(), world.store.usage().mirrors[0].fetches);
    promotion.write("out/root.yaml", "2\n");
    commit(&tree, "ours").await.unwrap();
    publish(&tree, "main", io_git::PushIntegration::AlwaysRebase).await.unwrap();
    for _ in 0..100 {
        if packs() >= before + 3 {
            break;
        }
        tokio::time::sleep(std::time::Duration::from_millis(50)).await;
    }
    let next = Promotion::new(&world.store);
    next.on_branch(&url, "main").await;
    assert_eq!(next.read("out/root.yaml"), "2\n");
    assert_eq!(world.store.usage().mirrors[0].fetches, fetches);
    let check = std::process::Command::new("git")
        .arg("-C")
        .arg(&world.mirrors()[0])
        .args(["fsck", "--connectivity-only"])
        .output()
        .unwrap();
    assert!(check.status.success(), "{}", String::from_utf8_lossy(&check.stderr));
}

#[tokio::test]
async fn a_mirror_that_is_borrowed_from_for_long_keeps_its_packs_in_order() {
    let world = World::new().await;
    let origin = seeded(&world, "a");
    let url = world.server.url("a");
    let promotion = Promotion::new(&world.store);
    promotion.on_branch(&url, "main").await;
    for number in 0..60 {
        origin.commit("main", "more", &[("root.yaml", &number.to_string())]).unwrap();
        crate::world::fetch(&world.repository("a"), "refs/heads/main").await.unwrap();
    }
    let packs = world.mirrors()[0].join("objects/pack");
    assert!(packs.join("multi-pack-index").exists());
    let kept = fs::read_dir(&packs).unwrap().map(|entry| entry.unwrap().path());
    assert!(kept.filter(|path| path.extension().is_some_and(|is| is == "pack")).count() > 60);
    let next = Promotion::new(&world.store);
    next.on_branch(&url, "main").await;
    assert_eq!(next.read("out/root.yaml"), "59");
    next.write("out/root.yaml", "60");
    let tree = next.tree("out");
    commit(&tree, "ours").await.unwrap();
    publish(&tree, "main", io_git::PushIntegration::AlwaysRebase).await.unwrap();
}

#[tokio::test]
async fn a_missing_branch_is_created_empty_and_published() {
    let world = World::new().await;
    let origin = seeded(&world, "a");
    let promotion = Promotion::new(&world.store);
    let create = At::Branch { name: "stage/new".to_owned(), create: true };
    let url = world.server.url("a");
    let made = promotion.clone(&url, vec![checkout("out", create.clone())]).await.unwrap();
    assert_eq!(made[0].created.as_deref(), Some("stage/new"));
    assert!(promotion.listing("out").is_empty());
    let shown = origin.git(&["log", "--format=%H %s %an <%ae> %ct", "stage/new"]).unwrap();
    let expected = format!(
        "{} Initial commit Kargo <no-reply@kargo.io> {}",
        made[0].commit,
        date().as_second()
    );
    assert_eq!(shown, expected);
    let again = promotion.clone(&url, vec![checkout("out", create)]).await.unwrap();
    assert_eq!((again[0].commit, again[0].created.as_deref()), (made[0].commit, None));
}

#[tokio::test]
async fn an_empty_repository_gets_its_first_branch() {
    let world = World::new().await;
    let origin = world.server.repository("empty").unwrap();
    origin.git(&["config", "http.receivepack", "true"]).unwrap();
    let promotion = Promotion::new(&world.store);
    let create = At::Branch { name: "main".to_owned(), create: true };
    let url = world.server.url("empty");
    promotion.clone(&url, vec![checkout("out", create)]).await.unwrap();
    promotion.write("out/a", "1");
    let tree = promotion.tree("out");
    commit(&tree, "one").await.unwrap();
    publish(&tree, "main", io_git::PushIntegration::AlwaysRebase).await.unwrap();
    assert_eq!(origin.git(&["log", "--format=%s", "main"]).unwrap(), "one\nInitial commit");
}

#[tokio::test]
async fn a_second_attempt_replaces_what_the_first_one_left_and_nothing_else() {
    let world = World::new().await;
    seeded(&world, "a");
    let url = world.server.url("a");
    let promotion = Promotion::new(&world.store);
    promotion.write("mine/file", "keep");
    let taken = promotion.clone(&url, vec![checkout("mine", on("main"))]).await.unwrap_err();
    assert!(matches!(taken, WorkError::Occupied { .. }), "{taken}");
    assert_eq!(promotion.read("mine/file"), "keep");
    promotion.on_branch(&url, "main").await;
    promotion.write("out/half", "left by a killed attempt");
    let clones = promotion.private().join("git");
    let clone = fs::read_dir(&clones).unwrap().next().unwrap().unwrap().path();
    fs::write(clone.join("repository.git/worktrees/0/index.lock"), "").unwrap();
    promotion.on_branch(&url, "main").await;
    assert_eq!(promotion.listing("out"), ["apps/a/values.yaml", "apps/b/x", "root.yaml"]);
    assert_eq!(fs::read_dir(&clones).unwrap().count(), 1);
}

#[tokio::test]
async fn a_mirror_stays_while_work_trees_borrow_from_it_and_goes_afterwards() {
    let world = World::with(|settings| settings.quota_bytes = 1).await;
    for name in ["a", "b"] {
        seeded(&world, name);
    }
    let promotion = Promotion::new(&world.store);
    let tree = promotion.on_branch(&world.server.url("a"), "main").await;
    let other = Promotion::new(&world.store);
    other.on_branch(&world.server.url("b"), "main").await;
    assert_eq!(world.store.usage().evictions, 0);
    promotion.write("out/root.yaml", "changed");
    commit(&tree, "still works").await.unwrap();
    drop(promotion);
    let origin = world.server.repository("c").unwrap();
    origin.commit("main", "c", &[("c", "c")]).unwrap();
    crate::world::fetch(&world.repository("c"), "refs/heads/main").await.unwrap();
    assert!(world.store.usage().evictions >= 1, "{:?}", world.store.usage());
    other.write("out/root.yaml", "changed");
    commit(&other.tree("out"), "still works, too").await.unwrap();
}

#[tokio::test]
async fn submodules_come_with_their_files_and_stay_as_recorded() {
    let world = World::new().await;
    let library = world.server.repository("library").unwrap();
    let old = library.commit("main", "old", &[("lib.txt", "old")]).unwrap();
    library.commit("main", "new", &[("lib.txt", "new")]).unwrap();
    let origin = seeded(&world, "a");
    let modules = "[submodule \"l\"]\n\tpath = vendor/lib\n\turl = ../library\n\tupdate = !touch /tmp/owned\n";
    origin.commit("main", "modules", &[(".gitmodules", modules)]).unwrap();
    let scratch = tempfile::tempdir().unwrap();
    let index = scratch.path().join("index");
    let git = |arguments: &[&str]| {
        let mut command = std::process::Command::new("git");
        command.arg("-C").arg(origin.path()).args(arguments).env("GIT_INDEX_FILE", &index);
        let output = command.output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap().trim().to_owned()
    };
    git(&["read-tree", "main"]);
    git(&["update-index", "--add", "--cacheinfo", &format!("160000,{old},vendor/lib")]);
    let tree = git(&["write-tree"]);
    let linked = origin.git(&["commit-tree", &tree, "-p", "main", "-m", "link"]).unwrap();
    origin.git(&["update-ref", "refs/heads/main", &linked]).unwrap();

    let promotion = Promotion::new(&world.store);
    let mut request =
        promotion.request(remote(&world.server.url("a"), None), vec![checkout("out", on("main"))]);
    request.submodules = true;
    promotion.run(&request).await.unwrap();
    assert_eq!(promotion.read("out/vendor/lib/lib.txt"), "old");
    assert!(
        !promotion.listing("out").iter().any(|path| path.split('/').any(|part| part == ".git"))
    );
    promotion.write("out/vendor/lib/lib.txt", "edited");
    let nothing = commit(&promotion.tree("out"), "nothing").await.unwrap();
    assert!(!nothing.is_new, "a submodule is changed by its commit, not by its files");
}

#[tokio::test]
async fn a_login_is_needed_and_never_shown() {
    let world = World::new().await;
    seeded(&world, "a");
    world.server.behave("a", Behaviour::Login("kargo".to_owned(), "s3cret-token".to_owned()));
    let promotion = Promotion::new(&world.store);
    let url = world.server.url("a").replace("http://", "http://kargo:wr0ng-token@");
    let failed = promotion.clone(&url, vec![checkout("out", on("main"))]).await.unwrap_err();
    let text = format!("{failed} {failed:?}");
    assert!(text.contains("refused the user name and password"), "{text}");
    assert!(!text.contains("wr0ng"), "{text}");
    let credential = Some(Credential::basic("kargo", "s3cret-token"));
    let request = promotion.request(
        remote(&world.server.url("a"), credential.clone()),
        vec![checkout("out", on("main"))],
    );
    promotion.run(&request).await.unwrap();
    promotion.write("out/a", "1");
    let tree = promotion.tree("out");
    commit(&tree, "one").await.unwrap();
    let policy = Some(io_git::PushIntegration::AlwaysRebase);
    let refused =
        crate::promotion::publish_as(&tree, None, "main", policy, false).await.unwrap_err();
    assert!(refused.to_string().contains("refused access without a credential"), "{refused}");
    crate::promotion::publish_as(&tree, credential, "main", policy, false).await.unwrap();
    let mut kept = Vec::new();
    for entry in walk(&promotion.private()) {
        kept.extend(fs::read(entry).unwrap());
    }
    assert!(!String::from_utf8_lossy(&kept).contains("s3cret-token"));
}

fn walk(directory: &std::path::Path) -> Vec<std::path::PathBuf> {
    let entries = fs::read_dir(directory).unwrap().map(|entry| entry.unwrap());
    entries
        .flat_map(|entry| {
            let is_directory = entry.file_type().unwrap().is_dir();
            if is_directory { walk(&entry.path()) } else { vec![entry.path()] }
        })
        .collect()
}

#[tokio::test]
async fn a_repository_is_cloned_and_pushed_over_ssh() {
    if let Some(why) = missing_sshd() {
        println!("{why}");
        return;
    }
    let server = SshServer::start().await.unwrap();
    let origin = server.repository("a.git").unwrap();
    origin.commit("main", "first", &[("a", "1")]).unwrap();
    let world = World::new().await;
    let promotion = Promotion::new(&world.store);
    let key = core_rules::credential::Secret::new(server.client_key().unwrap());
    let credential = Some(Credential::SshKey(key));
    let request = promotion.request(
        remote(&server.url("a.git"), credential.clone()),
        vec![checkout("out", on("main"))],
    );
    promotion.run(&request).await.unwrap();
    promotion.write("out/a", "2");
    let tree = promotion.tree("out");
    commit(&tree, "over ssh").await.unwrap();
    let policy = Some(io_git::PushIntegration::AlwaysRebase);
    crate::promotion::publish_as(&tree, credential, "main", policy, false).await.unwrap();
    assert_eq!(origin.git(&["log", "--format=%s", "main"]).unwrap(), "over ssh\nfirst");
}
