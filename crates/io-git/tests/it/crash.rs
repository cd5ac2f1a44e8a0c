//! The process is killed while it fetches, again and again.

use std::{
    process::{Command, Stdio},
    time::Duration,
};

use io_git::Settings;
use io_runtime::TaskGroup;

use crate::world::{World, fetch, mirrors_below, open, remote, subjects};

const ROOT: &str = "KARGO_TEST_CRASH_ROOT";
const URL: &str = "KARGO_TEST_CRASH_URL";

/// What the killed process runs; nothing when the tests are run as usual.
#[tokio::test]
async fn worker() {
    let (Ok(root), Ok(url)) = (std::env::var(ROOT), std::env::var(URL)) else { return };
    let store = open(Settings::new(root), &TaskGroup::new()).await.unwrap();
    let repository = store.repository(&remote(&url, None)).unwrap();
    loop {
        fetch(&repository, "refs/heads/main").await.unwrap();
    }
}

#[tokio::test]
async fn a_kill_during_a_fetch_leaves_a_mirror_that_serves() {
    let World { server, store, root, .. } = World::new().await;
    drop(store);
    let origin = server.repository("a").unwrap();
    origin.grow("main", 2_000).unwrap();
    for round in 0..20_u64 {
        origin.commit("main", &format!("round {round}"), &[("x", &round.to_string())]).unwrap();
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "crash::worker"])
            .env(ROOT, root.path())
            .env(URL, server.url("a"))
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        tokio::time::sleep(Duration::from_millis(20 + round * 17)).await;
        child.kill().unwrap();
        child.wait().unwrap();
    }
    let store = open(Settings::new(root.path()), &TaskGroup::new()).await.unwrap();
    let repository = store.repository(&remote(&server.url("a"), None)).unwrap();
    let snapshot = fetch(&repository, "refs/heads/main").await.unwrap();
    assert_eq!(subjects(&snapshot, "refs/heads/main").await.unwrap().len(), 2_020);
    assert_eq!(store.usage().mirrors[0].rebuilds, 0, "the mirror was damaged");
    let mirror = &mirrors_below(root.path())[0];
    let check = Command::new("git")
        .arg("-C")
        .arg(mirror)
        .args(["fsck", "--connectivity-only"])
        .output()
        .unwrap();
    assert!(check.status.success(), "{}", String::from_utf8_lossy(&check.stderr));
    let left = std::fs::read_dir(mirror.join("objects/pack")).unwrap();
    let mut names = left.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    assert!(names.all(|name| !name.starts_with("tmp_")), "half a pack is left");
}
