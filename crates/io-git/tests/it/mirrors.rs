//! Sharing, damage, quota and locks of mirrors.

use std::fs;

use io_git::{Error, Settings};
use io_runtime::TaskGroup;

use crate::world::{World, fetch, open, subjects};

#[tokio::test]
async fn an_unchanged_repository_costs_two_requests_and_no_fetch() {
    let world = World::new().await;
    world.server.repository("a").unwrap().commit("main", "one", &[("x", "1")]).unwrap();
    let repository = world.repository("a");
    fetch(&repository, "refs/heads/main").await.unwrap();
    world.server.seen();
    fetch(&repository, "refs/heads/main").await.unwrap();
    assert_eq!(world.server.seen().len(), 2);
    let usage = world.store.usage();
    assert_eq!((usage.mirrors[0].fetches, usage.mirrors[0].hits), (1, 1));
    assert!(usage.bytes > 0 && usage.mirrors[0].last_fetch.is_some());
}

#[tokio::test]
async fn a_repository_of_which_nothing_is_wanted_can_be_read() {
    let world = World::new().await;
    world.server.repository("empty").unwrap();
    let repository = world.repository("empty");
    let refs = repository.list_refs(&["refs/tags/"]).await.unwrap();
    let snapshot = repository.fetch(&refs, &[]).await.unwrap();
    let tip = snapshot.read(|reader| reader.tip("refs/heads/main").map(drop)).await;
    assert!(matches!(tip, Err(Error::NoSuchRef { .. })));
}

#[tokio::test]
async fn a_host_that_is_a_name_is_fetched_from_the_addresses_that_were_checked() {
    let world = World::new().await;
    world.server.repository("a").unwrap().commit("main", "one", &[("x", "1")]).unwrap();
    let url = world.server.url("a").replace("127.0.0.1", "localhost");
    let repository = world.store.repository(&crate::world::remote(&url, None)).unwrap();
    let snapshot = fetch(&repository, "refs/heads/main").await.unwrap();
    assert_eq!(subjects(&snapshot, "refs/heads/main").await.unwrap(), ["one"]);
}

#[tokio::test]
async fn many_callers_share_one_fetch_also_for_different_branches() {
    let world = World::new().await;
    let origin = world.server.repository("mono").unwrap();
    for number in 0..10 {
        origin.commit(&format!("b{number}"), "one", &[("x", "1")]).unwrap();
    }
    let repository = world.repository("mono");
    let refs = repository.list_refs(&["refs/heads/"]).await.unwrap();
    let all: Vec<_> = (0..57)
        .map(|number| {
            let (repository, refs) = (repository.clone(), refs.clone());
            let branch = format!("refs/heads/b{}", number % 10);
            tokio::spawn(async move { repository.fetch(&refs, &[branch.as_str()]).await.map(drop) })
        })
        .collect();
    for fetched in all {
        fetched.await.unwrap().unwrap();
    }
    // The first caller left alone, all others together.
    assert!(world.store.usage().mirrors[0].fetches <= 2);
}

#[tokio::test]
async fn a_push_is_fetched_once_for_everybody_who_looks() {
    let world = World::new().await;
    let origin = world.server.repository("mono").unwrap();
    origin.grow("main", 1_000).unwrap();
    fetch(&world.repository("mono"), "refs/heads/main").await.unwrap();
    let pushed = origin.commit("main", "push", &[("x", "1")]).unwrap();
    world.server.seen();
    let callers: Vec<_> = (0..57)
        .map(|_| {
            let repository = world.repository("mono");
            tokio::spawn(async move {
                let snapshot = fetch(&repository, "refs/heads/main").await?;
                snapshot.read(|reader| reader.tip("refs/heads/main")).await
            })
        })
        .collect();
    for caller in callers {
        assert_eq!(caller.await.unwrap().unwrap().to_string(), pushed);
    }
    assert_eq!(world.store.usage().mirrors[0].fetches, 2);
    // Two listings of two requests, and what one `git fetch` needs.
    assert!(world.server.seen().len() <= 8);
}

#[tokio::test]
async fn pushes_and_forced_pushes_are_fetched_incrementally() {
    let world = World::new().await;
    let origin = world.server.repository("a").unwrap();
    let first = origin.commit("main", "one", &[("x", "1")]).unwrap();
    let repository = world.repository("a");
    fetch(&repository, "refs/heads/main").await.unwrap();
    origin.commit("main", "two", &[("x", "2")]).unwrap();
    let second = fetch(&repository, "refs/heads/main").await.unwrap();
    assert_eq!(subjects(&second, "refs/heads/main").await.unwrap(), ["two", "one"]);
    origin.git(&["update-ref", "refs/heads/main", &first]).unwrap();
    origin.commit("main", "other two", &[("x", "3")]).unwrap();
    let third = fetch(&repository, "refs/heads/main").await.unwrap();
    assert_eq!(subjects(&third, "refs/heads/main").await.unwrap(), ["other two", "one"]);
    // What was handed out before is still what it was.
    assert_eq!(subjects(&second, "refs/heads/main").await.unwrap(), ["two", "one"]);
}

#[tokio::test]
async fn a_branch_that_becomes_a_directory_is_no_conflict() {
    let world = World::new().await;
    let origin = world.server.repository("a").unwrap();
    origin.commit("x", "one", &[("x", "1")]).unwrap();
    fetch(&world.repository("a"), "refs/heads/x").await.unwrap();
    origin.git(&["update-ref", "-d", "refs/heads/x"]).unwrap();
    origin.commit("x/y", "two", &[("x", "2")]).unwrap();
    fetch(&world.repository("a"), "refs/heads/x/y").await.unwrap();
}

#[tokio::test]
async fn a_vanished_ref_does_not_spoil_the_fetch_of_the_others() {
    let world = World::new().await;
    let origin = world.server.repository("a").unwrap();
    origin.commit("stays", "one", &[("x", "1")]).unwrap();
    origin.commit("goes", "two", &[("x", "2")]).unwrap();
    let repository = world.repository("a");
    let refs = repository.list_refs(&["refs/heads/"]).await.unwrap();
    origin.git(&["update-ref", "-d", "refs/heads/goes"]).unwrap();
    let (stays, goes) = tokio::join!(
        repository.fetch(&refs, &["refs/heads/stays"]),
        repository.fetch(&refs, &["refs/heads/goes"]),
    );
    stays.unwrap();
    let error = goes.err().unwrap();
    assert!(matches!(error, Error::NoSuchRef { .. }), "{error}");
    // The mirror still has the ref that goes now, but nobody gets it in place of what was listed.
    let refs = repository.list_refs(&["refs/heads/"]).await.unwrap();
    repository.fetch(&refs, &["refs/heads/stays"]).await.unwrap();
    origin.commit("stays", "three", &[("x", "3")]).unwrap();
    let refs = repository.list_refs(&["refs/heads/"]).await.unwrap();
    origin.git(&["update-ref", "-d", "refs/heads/stays"]).unwrap();
    let error = repository.fetch(&refs, &["refs/heads/stays"]).await.err().unwrap();
    assert!(matches!(error, Error::NoSuchRef { .. }), "{error}");
}

#[tokio::test]
async fn a_damaged_mirror_is_built_again() {
    let world = World::new().await;
    let origin = world.server.repository("a").unwrap();
    origin.grow("main", 200).unwrap();
    let repository = world.repository("a");
    let damages: [fn(&std::path::Path); 4] = [
        |mirror| {
            each_pack(mirror, |path| fs::write(path, &fs::read(path).unwrap()[..100]).unwrap());
        },
        |mirror| fs::remove_file(mirror.join("HEAD")).unwrap(),
        |mirror| each_pack(mirror, |path| fs::remove_file(path).unwrap()),
        |mirror| fs::write(mirror.join("config"), "[broken").unwrap(),
    ];
    for damage in damages {
        fetch(&repository, "refs/heads/main").await.unwrap();
        damage(&world.mirrors()[0]);
        origin.commit("main", "more", &[("x", "1")]).unwrap();
        let snapshot = fetch(&repository, "refs/heads/main").await.unwrap();
        assert!(subjects(&snapshot, "refs/heads/main").await.unwrap().len() > 200);
    }
}

#[tokio::test]
async fn damage_found_while_reading_is_told_and_healed_by_the_next_fetch() {
    let world = World::new().await;
    world.server.repository("a").unwrap().grow("main", 200).unwrap();
    let repository = world.repository("a");
    let snapshot = fetch(&repository, "refs/heads/main").await.unwrap();
    each_pack(&world.mirrors()[0], |path| {
        let mut bytes = fs::read(path).unwrap();
        let end = bytes.len() - 20;
        bytes[12..end].fill(0x55);
        fs::remove_file(path).unwrap();
        fs::write(path, bytes).unwrap();
    });
    let error = subjects(&snapshot, "refs/heads/main").await.unwrap_err();
    assert!(matches!(error, Error::Corrupt { .. }) && error.is_temporary(), "{error}");
    let healed = fetch(&repository, "refs/heads/main").await.unwrap();
    assert_eq!(subjects(&healed, "refs/heads/main").await.unwrap().len(), 200);
    assert_eq!(world.store.usage().mirrors[0].rebuilds, 1);
}

fn each_pack(mirror: &std::path::Path, damage: impl Fn(&std::path::Path)) {
    for entry in fs::read_dir(mirror.join("objects/pack")).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|extension| extension == "pack") {
            let mut permissions = fs::metadata(&path).unwrap().permissions();
            #[expect(
                clippy::permissions_set_readonly_false,
                reason = "git writes packs read-only"
            )]
            permissions.set_readonly(false);
            fs::set_permissions(&path, permissions).unwrap();
            damage(&path);
        }
    }
}

#[tokio::test]
async fn the_least_used_mirror_makes_room_but_never_one_that_is_read() {
    let world = World::with(|settings| settings.quota_bytes = 1).await;
    for name in ["a", "b", "c"] {
        world.server.repository(name).unwrap().commit("main", "one", &[("x", name)]).unwrap();
    }
    let pinned = fetch(&world.repository("a"), "refs/heads/main").await.unwrap();
    drop(fetch(&world.repository("b"), "refs/heads/main").await.unwrap());
    let last = fetch(&world.repository("c"), "refs/heads/main").await.unwrap();
    let usage = world.store.usage();
    assert_eq!((usage.mirrors.len(), usage.evictions), (2, 1));
    assert_eq!(subjects(&pinned, "refs/heads/main").await.unwrap(), ["one"]);
    assert_eq!(subjects(&last, "refs/heads/main").await.unwrap(), ["one"]);
}

#[tokio::test]
async fn a_store_belongs_to_one_process_and_outlives_it() {
    let world = World::new().await;
    world.server.repository("a").unwrap().commit("main", "one", &[("x", "1")]).unwrap();
    fetch(&world.repository("a"), "refs/heads/main").await.unwrap();
    let tasks = TaskGroup::new();
    let second = open(Settings::new(world.root.path()), &tasks).await;
    assert!(matches!(second.err(), Some(Error::InUse { .. })));
    let World { server, store, root, .. } = world;
    drop(store);
    let store = open(Settings::new(root.path()), &tasks).await.unwrap();
    assert_eq!(store.usage().mirrors.len(), 1);
    let repository = store.repository(&crate::world::remote(&server.url("a"), None)).unwrap();
    fetch(&repository, "refs/heads/main").await.unwrap();
    assert_eq!(store.usage().mirrors[0].fetches, 0);
}

#[tokio::test]
async fn many_small_fetches_are_repacked_when_nobody_reads() {
    let world = World::new().await;
    let origin = world.server.repository("a").unwrap();
    let repository = world.repository("a");
    for number in 0..60 {
        origin.commit("main", &format!("n{number}"), &[("x", &number.to_string())]).unwrap();
        fetch(&repository, "refs/heads/main").await.unwrap();
    }
    let packs = fs::read_dir(world.mirrors()[0].join("objects/pack")).unwrap();
    let packs = packs
        .filter(|entry| entry.as_ref().unwrap().path().extension().is_some_and(|x| x == "pack"));
    assert!(packs.count() < 55);
    let snapshot = fetch(&repository, "refs/heads/main").await.unwrap();
    assert_eq!(subjects(&snapshot, "refs/heads/main").await.unwrap().len(), 60);
}
