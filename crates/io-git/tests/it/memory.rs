//! Memory and processes do not grow with a repository or with time.

use std::process::Command;

use io_git::{Error, Settings};
use io_runtime::TaskGroup;

use crate::world::{World, fetch, open, remote};

const ROOT: &str = "KARGO_TEST_WALK_ROOT";
const URL: &str = "KARGO_TEST_WALK_URL";
/// How long a history is walked; the benchmark asks for 800,000.
const COMMITS: &str = "KARGO_TEST_WALK_COMMITS";

/// Walks a whole history in a process of its own and prints what memory it has taken.
#[tokio::test]
async fn worker() {
    let (Ok(root), Ok(url)) = (std::env::var(ROOT), std::env::var(URL)) else { return };
    let store = open(Settings::new(root), &TaskGroup::new()).await.unwrap();
    let repository = store.repository(&remote(&url, None)).unwrap();
    let snapshot = fetch(&repository, "refs/heads/main").await.unwrap();
    let walked = snapshot.read(|reader| -> Result<(usize, u64), Error> {
        let mut commits = 0;
        let mut most = 0;
        for commit in reader.first_parents(reader.tip("refs/heads/main")?) {
            let commit = commit?;
            commits += 1;
            if commits % 100 == 0 {
                reader.changed_paths(&commit)?;
                most = most.max(anonymous_megabytes());
            }
        }
        Ok((commits, most))
    });
    let (commits, megabytes) = walked.await.unwrap();
    println!("walked {commits} commits in {megabytes} megabytes");
}

fn anonymous_megabytes() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("RssAnon:")).unwrap();
    line.trim().trim_end_matches(" kB").parse::<u64>().unwrap() / 1_024
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn walking_a_long_history_takes_little_memory() {
    let commits = std::env::var(COMMITS).ok().and_then(|text| text.parse().ok()).unwrap_or(20_000);
    let World { server, store, root, .. } = World::new().await;
    drop(store);
    server.repository("long").unwrap().grow("main", commits).unwrap();
    let output = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "memory::worker", "--nocapture"])
        .env(ROOT, root.path())
        .env(URL, server.url("long"))
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    let line =
        text.lines().find(|line| line.contains("walked")).unwrap_or_else(|| panic!("{text}"));
    println!("{line}");
    assert!(line.contains(&format!("walked {commits} commits")), "{line}");
    let megabytes: u64 = line.split(' ').rev().nth(1).unwrap().parse().unwrap();
    assert!(megabytes < 200, "{line}");
}

#[tokio::test]
async fn many_listings_and_fetches_leave_no_process_behind() {
    let world = World::new().await;
    let origin = world.server.repository("a").unwrap();
    let repository = world.repository("a");
    for number in 0..20 {
        origin.commit("main", "more", &[("x", &number.to_string())]).unwrap();
        fetch(&repository, "refs/heads/main").await.unwrap();
    }
    assert!(world.tasks.shutdown(std::time::Duration::from_secs(5)).await);
    let children = Command::new("ps")
        .args(["-o", "stat=,comm=", "--ppid"])
        .arg(std::process::id().to_string())
        .output();
    let children = String::from_utf8(children.unwrap().stdout).unwrap();
    // Other tests of this binary have live children of their own.
    assert!(!children.lines().any(|line| line.starts_with('Z')), "{children}");
}
