//! A controller with many objects: memory, start and rest.

use std::{
    path::Path,
    process::Stdio,
    time::{Duration, Instant},
};

use anyhow::{Context, Result};
use dev_testkit::{Patience, eventually};
use serde_json::{Value, json};
use tokio::process::{Child, Command};

use super::{Size, fan_out::Arrivals, plane::Plane, project::Project};
use crate::{
    process,
    report::{Report, Row},
};

const PROJECT: &str = "population";
const WAREHOUSES: usize = 100;
const REST: Duration = Duration::from_secs(20);
const PATIENCE: Patience =
    Patience::of(Duration::from_mins(2)).looking_every(Duration::from_millis(5));

/// How many objects each Warehouse has.
struct Each {
    stages: usize,
    /// Pieces of Freight that go into every Stage.
    promoted: usize,
    /// Pieces that go into none.
    waiting: usize,
}

/// 1,000 Stages, 100 Warehouses, 5,000 pieces of Freight and 5,000 Promotions.
pub(super) async fn measure(size: Size, report: &mut Report) -> Result<()> {
    let each = match size {
        Size::Small => Each { stages: 1, promoted: 1, waiting: 1 },
        Size::Usual | Size::Large => Each { stages: 10, promoted: 5, waiting: 45 },
    };
    let directory = tempfile::tempdir()?;
    let plane = Plane::embedded(directory.path()).await?;
    fill(&plane, &each).await?;
    plane.stop().await?;
    let begin = Instant::now();
    let plane = Plane::embedded(directory.path()).await?;
    await_refresh(&plane).await?;
    let what = "1,000 Stages, 100 Warehouses, 5,000 Freight, 5,000 Promotions: from the start to the first reconcile (s)";
    report.add(Row::at_most(what, begin.elapsed().as_secs_f64(), 2.0));
    let mut controller = start_controller(directory.path())?;
    tokio::time::sleep(REST).await;
    let used = plane.processor_time()?;
    tokio::time::sleep(REST).await;
    let idle = plane.processor_time()?.saturating_sub(used).as_secs_f64() / REST.as_secs_f64();
    let resident = process::resident(controller.id().context("the controller has ended")?)?;
    let what = "the same: resident memory of a controller (MB)";
    report.add(Row::at_most(what, resident as f64 / 1e6, 100.0));
    let what = "the same: processor time of the idle control plane (% of a core)";
    report.add(Row::at_most(what, idle * 100.0, 1.0));
    controller.kill().await?;
    plane.stop().await
}

async fn fill(plane: &Plane, each: &Each) -> Result<()> {
    let project = Project::create(plane.client(), PROJECT).await?;
    let warehouses: Vec<String> = (0..WAREHOUSES).map(|number| format!("w{number}")).collect();
    for warehouse in &warehouses {
        project.add_warehouse(warehouse).await?;
        project.add_stages(warehouse, each.stages).await?;
    }
    for round in 0..each.promoted {
        let mut arrivals = Arrivals::open(&project).await?;
        for warehouse in &warehouses {
            project.add_freight(warehouse, round).await?;
        }
        arrivals.count(WAREHOUSES * each.stages).await?;
    }
    project.stop_promoting().await?;
    for warehouse in &warehouses {
        project.fill_freight(warehouse, each.promoted..each.promoted + each.waiting).await?;
    }
    Ok(())
}

/// Asks for a refresh of a Stage and waits until it was made.
async fn await_refresh(plane: &Plane) -> Result<()> {
    let project = Project { client: plane.client(), name: PROJECT.to_owned() };
    let path = format!("{}/w99-00000", project.path("stages"));
    let token = "measured";
    let patch = json!({"metadata": {"annotations": {"kargo.akuity.io/refresh": token}}});
    project.patch(&path, &patch).await?;
    let is_refreshed = async || {
        let stage = project.client.get(&path).await?.json();
        Ok(stage.pointer("/status/lastHandledRefresh").and_then(Value::as_str) == Some(token))
    };
    eventually(PATIENCE, "the Stage is refreshed", is_refreshed).await
}

/// A controller in a process of its own, beside the one within `kargo up`.
fn start_controller(directory: &Path) -> Result<Child> {
    let kubeconfig = directory.join("kubeconfigs/kargo-controller.kubeconfig");
    let child = Command::new(dev_testkit::binary()?)
        .arg("controller")
        .env("KUBECONFIG", kubeconfig)
        .env("KARGO_DATA_DIR", directory.join("controller"))
        .env("CREDENTIAL_PROVIDERS_ENABLED", "true")
        .env("LOG_LEVEL", "error")
        .stdin(Stdio::null())
        .kill_on_drop(true)
        .spawn()?;
    Ok(child)
}
