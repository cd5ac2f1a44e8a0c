//! The REST server as a process of its own: how fast it answers, how soon it tells, what it needs.

mod load;
mod server;
mod streams;

use std::time::{Duration, Instant};

use anyhow::{Result, ensure};
use dev_testkit::{Client, Kargo, Patience, UpOptions, eventually};
use serde_json::Value;

use self::{load::Load, server::Server};
use crate::{
    pipeline::project::Project,
    process,
    report::{Report, Row},
};

const PATIENCE: Patience = Patience::of(Duration::from_mins(5));
/// How long a server is left alone before its memory is read.
const REST: Duration = Duration::from_secs(3);
const STAGES: usize = 300;

/// How much is measured.
struct Sizes {
    freight: usize,
    load: Duration,
    streams: streams::Sizes,
}

pub(crate) async fn measure(is_small: bool, report: &mut Report) -> Result<()> {
    let sizes = if is_small {
        let streams = streams::Sizes { streams: 100, seconds: 3 };
        Sizes { freight: 500, load: Duration::from_secs(1), streams }
    } else {
        let streams = streams::Sizes { streams: 1_000, seconds: 20 };
        Sizes { freight: 10_000, load: Duration::from_secs(5), streams }
    };
    let directory = tempfile::tempdir()?;
    let kargo = Kargo::up(directory.path(), &UpOptions::default()).await?;
    let client = kargo.client()?;
    idle(directory.path(), report).await?;
    populate(&client, sizes.freight).await?;
    let server = Server::start(directory.path()).await?;
    answers(&server, &sizes, report).await?;
    server.stop().await?;
    streams::measure(directory.path(), &client, &sizes.streams, report).await?;
    kargo.stop().await.map(drop)
}

async fn idle(directory: &std::path::Path, report: &mut Report) -> Result<()> {
    let server = Server::start(directory).await?;
    tokio::time::sleep(REST).await;
    let resident = process::resident(server.pid()?)? as f64 / 1e6;
    report.add(Row::at_most("REST: idle server, resident memory (MB)", resident, 30.0));
    server.stop().await
}

/// A Project with Stages that hold Freight by a Promotion each, and one with much Freight.
async fn populate(client: &Client, freight: usize) -> Result<()> {
    let project = Project::create(client, "rest").await?;
    project.add_warehouse("w").await?;
    project.add_stages("w", STAGES).await?;
    project.add_freight("w", 1).await?;
    let all_have = async || Ok(succeeded(&project).await? >= STAGES);
    eventually(PATIENCE, "all Stages have promoted", all_have).await?;
    let project = Project::create(client, "freight").await?;
    project.stop_promoting().await?;
    project.add_warehouse("w").await?;
    project.fill_freight("w", 1..freight + 1).await
}

async fn succeeded(project: &Project<'_>) -> Result<usize> {
    let promotions = project.client.get(&project.path("promotions")).await?.json();
    let items = promotions.get("items").and_then(Value::as_array).into_iter().flatten();
    let phase = |promotion: &Value| promotion.pointer("/status/phase").cloned();
    Ok(items.filter(|promotion| phase(promotion).is_some_and(|phase| phase == "Succeeded")).count())
}

async fn answers(server: &Server, sizes: &Sizes, report: &mut Report) -> Result<()> {
    let load = |path: &'static str| Load { server, path, connections: 8, lasts: sizes.load };
    let stages = load("/v1beta1/projects/rest/stages").run().await?;
    report.add(Row::at_least("REST: list of 300 Stages, 8 connections (1/s)", stages, 450.0));
    let promotions = load("/v1beta1/projects/rest/promotions").run().await?;
    report.add(Row::at_least(
        "REST: list of 300 Promotions, 8 connections (1/s)",
        promotions,
        1_000.0,
    ));
    let one = load("/v1beta1/projects/rest/stages/w-00001").run().await?;
    report.add(Row::at_least("REST: one Stage, 8 connections (1/s)", one, 15_000.0));
    let first = first_page(server).await?.as_secs_f64() * 1e3;
    report.add(Row::at_most("REST: first 50 of 10,000 Freight, median, not kept (ms)", first, 5.0));
    Ok(())
}

/// The median time of a page that nobody asked for before: the server does not know the last parameter, but a
/// page with another address is another page.
async fn first_page(server: &Server) -> Result<Duration> {
    let mut connection = server.connect().await?;
    let mut times = Vec::new();
    for number in 0..51 {
        let path =
            format!("/v1beta1/projects/freight/freight?limit=50&reverse=true&number={number}");
        let begin = Instant::now();
        let bytes = connection.get(&path).await?;
        times.push(begin.elapsed());
        ensure!(bytes > 1_000, "a page of {bytes} bytes");
    }
    times.sort();
    Ok(times.get(times.len() / 2).copied().unwrap_or_default())
}
