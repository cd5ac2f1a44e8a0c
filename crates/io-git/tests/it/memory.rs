//! Memory and processes do not grow with a repository or with time.

use std::{path::Path, process::Command, time::Duration};

use io_git::{Error, Settings};
use io_runtime::TaskGroup;

use crate::world::{World, fetch, open, remote};

const ROOT: &str = "KARGO_TEST_WALK_ROOT";
const URL: &str = "KARGO_TEST_WALK_URL";
/// How long a history is walked; the benchmark asks for 800,000.
const COMMITS: &str = "KARGO_TEST_WALK_COMMITS";
const BRANCHES: usize = 20;

/// Walks a whole history in a process of its own and prints what memory it has taken.
#[tokio::test]
async fn walking_worker() {
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
    let text = run_worker("memory::walking_worker", root.path(), &server.url("long"));
    let line =
        text.lines().find(|line| line.contains("walked")).unwrap_or_else(|| panic!("{text}"));
    println!("{line}");
    assert!(line.contains(&format!("walked {commits} commits")), "{line}");
    let megabytes: u64 = line.split(' ').rev().nth(1).unwrap().parse().unwrap();
    assert!(megabytes < 200, "{line}");
}

/// Fetches branch after branch in a process of its own and prints which children it has left.
#[tokio::test]
async fn fetching_worker() {
    let (Ok(root), Ok(url)) = (std::env::var(ROOT), std::env::var(URL)) else { return };
    let tasks = TaskGroup::new();
    let store = open(Settings::new(root), &tasks).await.unwrap();
    let repository = store.repository(&remote(&url, None)).unwrap();
    for number in 0..BRANCHES {
        fetch(&repository, &format!("refs/heads/b{number}")).await.unwrap();
    }
    let fetches = store.usage().mirrors[0].fetches;
    assert!(tasks.shutdown(Duration::from_secs(5)).await);
    let me = std::process::id().to_string();
    let children = Command::new("ps").args(["-o", "stat=,comm=", "--ppid", &me]).output().unwrap();
    let children = String::from_utf8(children.stdout).unwrap();
    let others = children.lines().filter(|line| !line.trim_end().ends_with(" ps")).count();
    println!("made {fetches} fetches and left {others} children");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn many_fetches_leave_no_process_behind() {
    let World { server, store, root, .. } = World::new().await;
    drop(store);
    let origin = server.repository("wide").unwrap();
    let tip = origin.commit("main", "one", &[("x", "1")]).unwrap();
    for number in 0..BRANCHES {
        origin.git(&["update-ref", &format!("refs/heads/b{number}"), &tip]).unwrap();
    }
    let text = run_worker("memory::fetching_worker", root.path(), &server.url("wide"));
    assert!(text.contains(&format!("made {BRANCHES} fetches and left 0 children")), "{text}");
}

/// Runs one of the workers above as a process of its own and returns what it printed.
fn run_worker(name: &str, root: &Path, url: &str) -> String {
    let output = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", name, "--nocapture"])
        .env(ROOT, root)
        .env(URL, url)
        .output()
        .unwrap();
    String::from_utf8_lossy(&output.stdout).into_owned()
}
