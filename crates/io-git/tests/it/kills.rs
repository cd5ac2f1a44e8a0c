//! The process is killed while it clones, commits and pushes, again and again.

use std::{
    path::Path,
    process::{Command, Stdio},
    time::Duration,
};

use io_git::{PushIntegration, Settings, WorkError};
use io_runtime::TaskGroup;

use crate::{
    promotion::{Promotion, checkout, commit, on, publish},
    pushes::seeded,
    world::{World, open, remote},
};

const STORE: &str = "KARGO_TEST_KILL_STORE";
const ROOT: &str = "KARGO_TEST_KILL_ROOT";
const URL: &str = "KARGO_TEST_KILL_URL";
const NAME: &str = "KARGO_TEST_KILL_NAME";

/// What the killed process runs; nothing when the tests are run as usual.
#[tokio::test]
async fn promoter() {
    let [Ok(store), Ok(root), Ok(url), Ok(name)] = [STORE, ROOT, URL, NAME].map(std::env::var)
    else {
        return;
    };
    promote(Path::new(&store), Path::new(&root), &url, &name).await.unwrap();
}

async fn promote(store: &Path, root: &Path, url: &str, name: &str) -> Result<(), WorkError> {
    let store = open(Settings::new(store), &TaskGroup::new()).await?;
    let promotion = Promotion::existing(root, &store);
    let request = promotion.request(remote(url, None), vec![checkout("out", on("main"))]);
    promotion.run(&request).await?;
    let tree = promotion.tree("out");
    promotion.write(&format!("out/{name}"), "x\n");
    commit(&tree, name).await?;
    publish(&tree, "main", PushIntegration::AlwaysRebase).await
}

#[tokio::test]
async fn a_promotion_that_is_killed_at_any_moment_makes_one_commit() {
    let World { server, store, root, .. } = World::new().await;
    drop(store);
    let world = World::new().await;
    let origin = seeded(&world, "a");
    origin.grow("other", 500).unwrap();
    drop(server);
    let rounds = 12_u64;
    for round in 0..rounds {
        let directory = tempfile::tempdir().unwrap();
        let name = format!("promotion-{round}");
        for attempt in 0..4_u64 {
            let mut child = Command::new(std::env::current_exe().unwrap())
                .args(["--exact", "kills::promoter"])
                .env(STORE, root.path())
                .env(ROOT, directory.path())
                .env(URL, world.server.url("a"))
                .env(NAME, &name)
                .stdout(Stdio::null())
                .stderr(Stdio::null())
                .spawn()
                .unwrap();
            tokio::time::sleep(Duration::from_millis(15 + (round * 37 + attempt * 53) % 220)).await;
            child.kill().unwrap();
            child.wait().unwrap();
        }
        promote(root.path(), directory.path(), &world.server.url("a"), &name).await.unwrap();
        let subjects = origin.git(&["log", "--format=%s", "main"]).unwrap();
        assert_eq!(subjects.lines().filter(|line| *line == name).count(), 1, "{subjects}");
    }
    let count = origin.git(&["rev-list", "--count", "main"]).unwrap();
    assert_eq!(count, (rounds + 1).to_string());
}
