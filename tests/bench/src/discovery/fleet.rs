//! Many Warehouses on one repository, each for one directory of it: they share a mirror, a push is fetched once, and each
//! makes Freight of it.

use std::{
    collections::BTreeSet,
    path::Path,
    process::Stdio,
    time::{Duration, Instant},
};

use anyhow::{Context as _, Result, ensure};
use dev_testkit::{
    Lines,
    server::{GitHttp, GitRepository},
    warehouse::{Project, eventually},
};
use futures::future::try_join_all;
use serde_json::{Value, json};
use tokio::process::Command;

use super::{control::Control, tap::Tap, world::LIMIT};
use crate::report::{Report, Row};

const WAREHOUSES: usize = 57;
const NAME: &str = "fleet";
const PATIENCE: Duration = Duration::from_mins(1);

pub(super) async fn measure(commits: u64, report: &mut Report) -> Result<()> {
    let server = GitHttp::start().await?;
    let origin = server.repository(NAME)?;
    origin.grow("main", commits)?;
    let tap = Tap::start(server.address()).await?;
    let control = Control::up().await?;
    launch(&control.project, &tap.url(NAME)).await?;
    let plain = tempfile::tempdir()?;
    git(plain.path(), &["clone", "--quiet", "--mirror", &server.url(NAME), "."]).await?;

    let pushed = push(&origin)?;
    let begin = Instant::now();
    git(plain.path(), &["fetch", "--quiet"]).await?;
    let fetch = begin.elapsed();
    let mut made = watch_freight(&control.project).await?;
    let before = tap.passed();
    let begin = Instant::now();
    let names: Vec<String> = (0..WAREHOUSES).map(name).collect();
    try_join_all(names.iter().map(|name| control.project.refresh(name, "push"))).await?;
    let makers = makers(&mut made, &pushed).await?;
    let slowest = begin.elapsed();
    let passed = tap.passed().since(before);

    let what = "Warehouses of 57 on one repository of 15,000 commits that made Freight of a push";
    report.add(Row::exactly(what, makers as f64, WAREHOUSES as f64));
    let limit = 2 * fetch + Duration::from_secs(1);
    let what = "the last of them made it after (s); limit: 2 × one plain git fetch + 1 s";
    report.add(Row::at_most(what, slowest.as_secs_f64(), limit.as_secs_f64()));
    report.add(Row::figure("that plain git fetch (s)", fetch.as_secs_f64()));
    report.add(Row::exactly("fetches on the wire for all of them", passed.fetches as f64, 1.0));
    report.add(Row::figure("HTTP requests for all of them", passed.requests as f64));
    control.stop().await
}

/// Creates all Warehouses, and waits until each has made its first Freight.
async fn launch(project: &Project, url: &str) -> Result<()> {
    for number in 0..WAREHOUSES {
        let paths = [format!("apps/app{number}")];
        let subscription = json!({"git": {
            "repoURL": url, "branch": "main", "includePaths": paths, "discoveryLimit": LIMIT,
        }});
        project.warehouse(&name(number), &subscription).await?;
    }
    let all_have_freight = async || {
        let list = project.get("warehouses").await?;
        let items = list.get("items").and_then(Value::as_array).cloned().unwrap_or_default();
        let has_freight = |item: &Value| item.pointer("/status/lastFreightID").is_some();
        Ok(items.iter().filter(|item| has_freight(item)).count() == WAREHOUSES)
    };
    eventually("all Warehouses have Freight", all_have_freight).await
}

fn name(number: usize) -> String {
    format!("{NAME}-{number}")
}

/// Freight that is made from now on.
async fn watch_freight(project: &Project) -> Result<Lines> {
    let list = project.get("freights").await?;
    let version = list.pointer("/metadata/resourceVersion").and_then(Value::as_str);
    let version = version.context("a list without a version")?;
    let path = project.path(&format!("freights?watch=true&resourceVersion={version}"));
    project.client.lines(&path, &[]).await
}

/// Waits until all Warehouses made Freight of a commit; returns how many did.
async fn makers(made: &mut Lines, commit: &str) -> Result<usize> {
    let mut makers = BTreeSet::new();
    while makers.len() < WAREHOUSES {
        let Some(event) = made.next_json(PATIENCE).await? else { break };
        let text = |path: &str| event.pointer(path).and_then(Value::as_str);
        if text("/object/commits/0/id") == Some(commit) {
            makers.extend(text("/object/origin/name").map(str::to_owned));
        }
    }
    Ok(makers.len())
}

/// One commit that every Warehouse of the fleet cares about.
fn push(origin: &GitRepository) -> Result<String> {
    let paths: Vec<String> =
        (0..WAREHOUSES).map(|number| format!("apps/app{number}/config.yaml")).collect();
    let files: Vec<(&str, &str)> = paths.iter().map(|path| (path.as_str(), "pushed")).collect();
    origin.commit("main", "change everything", &files)
}

async fn git(directory: &Path, arguments: &[&str]) -> Result<()> {
    let status =
        Command::new("git").args(arguments).current_dir(directory).stdin(Stdio::null()).status();
    ensure!(status.await?.success(), "git {arguments:?} failed");
    Ok(())
}
