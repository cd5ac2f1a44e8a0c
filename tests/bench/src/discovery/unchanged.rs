//! What it costs to look at a repository in which nothing has changed.

use anyhow::{Result, ensure};
use dev_testkit::server::GitHttp;
use serde_json::json;

use super::{
    tap::Tap,
    world::{Options, Warehouse, World},
};
use crate::report::{Report, Row};

const NAME: &str = "unchanged";

pub(super) async fn measure(report: &mut Report) -> Result<()> {
    let directory = tempfile::tempdir()?;
    let server = GitHttp::start().await?;
    server.repository(NAME)?.grow("main", 10)?;
    let tap = Tap::start(server.address()).await?;
    let world = World::open(directory.path(), Options::default()).await?;
    let mut warehouse = Warehouse::git(NAME, &tap.url(NAME), json!({"branch": "main"}))?;
    warehouse.newest_commit(&world.discovery).await?;
    ensure!(world.programs.started()? > 0, "no program was counted while the mirror was made");
    let (passed, started) = (tap.passed(), world.programs.started()?);
    let newest = warehouse.newest_commit(&world.discovery).await?;
    ensure!(newest.is_some(), "an unchanged repository has no commit");
    let requests = tap.passed().since(passed).requests;
    let started = world.programs.started()? - started;
    let what = "HTTP requests to look at an unchanged repository";
    report.add(Row::at_most(what, requests as f64, 2.0));
    report.add(Row::at_most("programs started for it", started as f64, 0.0));
    Ok(())
}
