//! One piece of Freight appears, and every Stage takes it.

use std::{
    collections::BTreeSet,
    sync::atomic::{AtomicUsize, Ordering},
    time::{Duration, Instant},
};

use anyhow::{Context, Result, ensure};
use dev_testkit::Lines;
use serde_json::Value;

use super::{plane::Plane, project::Project, requests::Requests};

const PATIENCE: Duration = Duration::from_mins(15);
/// Longer than the second to which times on the wire are exact.
const SECOND: Duration = Duration::from_millis(1_100);
const LOOK: Duration = Duration::from_secs(1);
/// What the processes may use of a second when nothing is left to do.
const QUIET: Duration = Duration::from_millis(50);
/// Requests that are not the promotions': the Freight is created, and admission looks for its Warehouse.
const OWN: f64 = 2.0;

static PROJECTS: AtomicUsize = AtomicUsize::new(0);

/// What a fan-out took.
pub(super) struct FanOut {
    /// Promotions per second.
    pub(super) rate: f64,
    /// API requests per promotion.
    pub(super) requests: f64,
    pub(super) engine_seconds: f64,
    pub(super) resident_mb: f64,
}

impl FanOut {
    pub(super) async fn run(plane: &Plane, stages: usize) -> Result<Self> {
        let project = prepare(plane, stages).await?;
        let before = Requests::count(plane.client()).await?;
        let engine = plane.engine_time()?;
        let mut watch = Arrivals::open(&project).await?;
        let begin = Instant::now();
        project.add_freight("w", 1).await?;
        watch.count(stages).await?;
        let elapsed = begin.elapsed();
        // Events may still be on their way.
        tokio::time::sleep(LOOK).await;
        let after = Requests::count(plane.client()).await?;
        let each = |count: f64| count / stages as f64;
        for (what, count) in after.differences(&before).iter().take(10) {
            println!("    {what}: {:.2} for each of {stages}", each(*count));
        }
        Ok(Self {
            rate: stages as f64 / elapsed.as_secs_f64(),
            requests: each(after.since(&before) - OWN),
            engine_seconds: plane.engine_time()?.saturating_sub(engine).as_secs_f64(),
            resident_mb: plane.resident()? as f64 / 1e6,
        })
    }
}

/// The slowest time from the creation of Freight until its one Stage reports it.
pub(super) async fn latency(plane: &Plane, pieces: usize) -> Result<Duration> {
    let project = prepare(plane, 1).await?;
    let mut slowest = Duration::ZERO;
    for number in 1..=pieces {
        // Of pieces of the same second the one with the greater name counts as the newest.
        tokio::time::sleep(SECOND).await;
        let mut watch = Arrivals::open(&project).await?;
        let begin = Instant::now();
        project.add_freight("w", number).await?;
        watch.count(1).await?;
        slowest = slowest.max(begin.elapsed());
    }
    Ok(slowest)
}

/// A Project whose Stages have nothing to do.
async fn prepare(plane: &Plane, stages: usize) -> Result<Project<'_>> {
    let number = PROJECTS.fetch_add(1, Ordering::Relaxed);
    let project = Project::create(plane.client(), &format!("bench-{number}")).await?;
    project.add_warehouse("w").await?;
    project.add_stages("w", stages).await?;
    let mut used = plane.processor_time()?;
    let begin = Instant::now();
    loop {
        tokio::time::sleep(LOOK).await;
        let now = plane.processor_time()?;
        if now.saturating_sub(used) < QUIET {
            return Ok(project);
        }
        ensure!(begin.elapsed() < PATIENCE, "the Stages do not come to rest");
        used = now;
    }
}

/// Stages that report a Promotion which they had not reported when this began.
pub(super) struct Arrivals {
    lines: Lines,
    former: BTreeSet<String>,
}

impl Arrivals {
    pub(super) async fn open(project: &Project<'_>) -> Result<Self> {
        let reply = project.client.get(&project.path("stages")).await?;
        let list = reply.json();
        let stages = list.get("items").and_then(Value::as_array).context("no list of Stages")?;
        let former = stages.iter().filter_map(last_promotion).collect();
        let version = text(&list, "/metadata/resourceVersion");
        let query = format!("watch=true&timeoutSeconds=1800&resourceVersion={version}");
        let lines =
            project.client.lines(&format!("{}?{query}", project.path("stages")), &[]).await?;
        ensure!(lines.status.is_success(), "watch: {}", lines.status);
        Ok(Self { lines, former })
    }

    /// Waits until so many Stages have reported a new Promotion that succeeded.
    pub(super) async fn count(&mut self, wanted: usize) -> Result<()> {
        let mut arrived = BTreeSet::new();
        while arrived.len() < wanted {
            let event = self.lines.next_json(PATIENCE).await?;
            let event = event.with_context(|| format!("{} of {wanted} arrived", arrived.len()))?;
            let stage = event.get("object").unwrap_or(&Value::Null);
            let is_new = last_promotion(stage).is_some_and(|last| !self.former.contains(&last));
            if is_new && text(stage, "/status/lastPromotion/status/phase") == "Succeeded" {
                arrived.insert(text(stage, "/metadata/name").to_owned());
            }
        }
        Ok(())
    }
}

fn last_promotion(stage: &Value) -> Option<String> {
    Some(text(stage, "/status/lastPromotion/name").to_owned()).filter(|name| !name.is_empty())
}

fn text<'a>(object: &'a Value, pointer: &str) -> &'a str {
    object.pointer(pointer).and_then(Value::as_str).unwrap_or_default()
}
