//! What thousands of discoveries leave in the process table.
//!
//! Repositories of the local disk are used, because each look at one starts a program.

use std::time::{Duration, Instant};

use anyhow::{Result, ensure};
use dev_testkit::server::GitRepository;
use serde_json::json;
use work_discovery::Discovery;

use super::{
    children::{self, Children},
    world::{Options, Warehouse, World},
};
use crate::report::{Report, Row};

const REPOSITORIES: usize = 4;
/// Every so many discoveries find a push, and fetch.
const PUSH_EVERY: usize = 50;
/// How long the last ones may take to be gone.
const GRACE: Duration = Duration::from_secs(5);

pub(super) async fn measure(discoveries: usize, report: &mut Report) -> Result<()> {
    let directory = tempfile::tempdir()?;
    let world = World::open(directory.path(), Options::default()).await?;
    let mut tasks = Vec::new();
    for number in 0..REPOSITORIES {
        let path = directory.path().join(format!("origin-{number}"));
        let origin = GitRepository::create(&path)?;
        let url = format!("file://{}", path.display());
        let warehouse = Warehouse::git(format!("local-{number}"), &url, json!({}))?;
        let share = discoveries / REPOSITORIES;
        tasks.push(tokio::spawn(discover(world.discovery.clone(), origin, warehouse, share)));
    }
    for task in tasks {
        task.await??;
    }
    let started = world.programs.started()?;
    ensure!(started >= discoveries, "only {started} programs were counted");
    let left = after_grace().await?;
    report.add(Row::figure("programs started by 10,000 discoveries", started as f64));
    report.add(Row::exactly("zombies they left", left.zombies as f64, 0.0));
    report.add(Row::exactly("programs they left running", left.running as f64, 0.0));
    Ok(())
}

async fn discover(
    discovery: Discovery,
    origin: GitRepository,
    mut warehouse: Warehouse,
    times: usize,
) -> Result<()> {
    let mut pushed = None;
    for number in 0..times {
        if number % PUSH_EVERY == 0 {
            let content = number.to_string();
            pushed = Some(origin.commit("main", "more", &[("file", &content)])?);
        }
        let newest = warehouse.newest_commit(&discovery).await?;
        ensure!(newest == pushed, "found {newest:?} instead of {pushed:?}");
    }
    Ok(())
}

/// What is left when everything had time to end.
async fn after_grace() -> Result<Children> {
    let begin = Instant::now();
    loop {
        let left = children::count()?;
        if left == Children::default() || begin.elapsed() > GRACE {
            return Ok(left);
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}
