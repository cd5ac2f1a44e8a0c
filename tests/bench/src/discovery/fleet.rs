//! Many Warehouses on one repository, each for one directory of it: they share a mirror, and a push is fetched once.

use std::{
    path::Path,
    process::Stdio,
    time::{Duration, Instant},
};

use anyhow::{Context as _, Result, ensure};
use dev_testkit::server::{GitHttp, GitRepository};
use futures::future::join_all;
use serde_json::json;
use tokio::process::Command;
use work_discovery::Discovery;

use super::{
    tap::Tap,
    world::{LIMIT, Options, Warehouse, World},
};
use crate::report::{Report, Row};

const WAREHOUSES: usize = 57;
const NAME: &str = "fleet";

pub(super) async fn measure(commits: u64, report: &mut Report) -> Result<()> {
    let directory = tempfile::tempdir()?;
    let server = GitHttp::start().await?;
    let origin = server.repository(NAME)?;
    origin.grow("main", commits)?;
    let tap = Tap::start(server.address()).await?;
    let world = World::open(directory.path(), Options::default()).await?;
    let mut fleet = fleet(&tap.url(NAME))?;
    search_all(&world.discovery, &mut fleet).await?;
    ensure!(world.programs.started()? > 0, "no program was counted while the mirror was made");
    after_a_push(&server, &origin, &tap, &world, &mut fleet, report).await?;
    unchanged(&tap, &world, &mut fleet, report).await
}

fn fleet(url: &str) -> Result<Vec<Warehouse>> {
    let watch = |number| {
        let paths = [format!("apps/app{number}")];
        let settings = json!({"branch": "main", "includePaths": paths, "discoveryLimit": LIMIT});
        Warehouse::git(format!("fleet-{number}"), url, settings)
    };
    (0..WAREHOUSES).map(watch).collect()
}

/// How long a plain fetch takes, and how long the whole fleet.
async fn after_a_push(
    server: &GitHttp,
    origin: &GitRepository,
    tap: &Tap,
    world: &World,
    fleet: &mut [Warehouse],
    report: &mut Report,
) -> Result<()> {
    let plain = tempfile::tempdir()?;
    git(plain.path(), &["clone", "--quiet", "--mirror", &server.url(NAME), "."]).await?;
    let pushed = push(origin)?;
    let begin = Instant::now();
    git(plain.path(), &["fetch", "--quiet"]).await?;
    let fetch = begin.elapsed();

    let before = tap.passed();
    let begin = Instant::now();
    let newest = search_all(&world.discovery, fleet).await?;
    let slowest = begin.elapsed();
    let passed = tap.passed().since(before);
    let served = newest.iter().filter(|id| id.as_deref() == Some(&*pushed)).count();
    let what = "Warehouses of 57 on one repository of 15,000 commits that have the pushed commit";
    report.add(Row::exactly(what, served as f64, WAREHOUSES as f64));
    let limit = 2 * fetch + Duration::from_secs(1);
    let what = "the last of them has it after (s); limit: 2 × one plain git fetch + 1 s";
    report.add(Row::at_most(what, slowest.as_secs_f64(), limit.as_secs_f64()));
    report.add(Row::figure("that plain git fetch (s)", fetch.as_secs_f64()));
    report.add(Row::exactly("fetches on the wire for all of them", passed.fetches as f64, 1.0));
    report.add(Row::figure("HTTP requests for all of them", passed.requests as f64));
    Ok(())
}

/// What a search costs when nothing has changed.
async fn unchanged(
    tap: &Tap,
    world: &World,
    fleet: &mut [Warehouse],
    report: &mut Report,
) -> Result<()> {
    let warehouse = fleet.first_mut().context("no Warehouse")?;
    let (passed, started) = (tap.passed(), world.programs.started()?);
    let newest = warehouse.newest_commit(&world.discovery).await?;
    ensure!(newest.is_some(), "an unchanged repository has no commit");
    let requests = tap.passed().since(passed).requests;
    let started = world.programs.started()? - started;
    report.add(Row::at_most(
        "HTTP requests to look at an unchanged repository",
        requests as f64,
        2.0,
    ));
    report.add(Row::at_most("programs started for it", started as f64, 0.0));
    Ok(())
}

/// All at once, as after a webhook.
async fn search_all(discovery: &Discovery, fleet: &mut [Warehouse]) -> Result<Vec<Option<String>>> {
    let searching = fleet.iter().map(|warehouse| {
        let (mut warehouse, discovery) = (warehouse.clone(), discovery.clone());
        tokio::spawn(async move {
            let newest = warehouse.newest_commit(&discovery).await?;
            anyhow::Ok((warehouse, newest))
        })
    });
    let searched = join_all(searching.collect::<Vec<_>>()).await;
    let mut newest = Vec::new();
    for (place, searched) in fleet.iter_mut().zip(searched) {
        let (warehouse, found) = searched??;
        *place = warehouse;
        newest.push(found);
    }
    Ok(newest)
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
