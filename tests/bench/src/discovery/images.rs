//! What the newest build among many tags costs a registry, cold and warm.

use anyhow::{Result, ensure};
use serde_json::json;
use work_discovery::Discovery;

use super::{
    registry::{Dated, Registry},
    world::{LIMIT, Options, Warehouse, World},
};
use crate::report::{Report, Row};

/// Enough that the budget does not hold the count up.
const RATE: u32 = 5_000;

pub(super) async fn measure(tags: usize, report: &mut Report) -> Result<()> {
    let count = tags as f64;
    let plain = costs(tags, Dated::InConfiguration).await?;
    let what = "requests to find the newest build of 1,000 tags, cold";
    report.add(Row::at_most(what, plain.cold, 2.0 * count + 2.0));
    report.add(Row::at_most("the same, warm", plain.warm, count + 1.0));
    report.add(Row::exactly("of which HEAD", plain.heads, count));
    report.add(Row::at_most("the same, warm with cacheByTag", plain.believed, 2.0));
    let dated = costs(tags, Dated::InManifest).await?;
    let what = "the same, cold, where manifests say when they were built";
    report.add(Row::at_most(what, dated.cold, count + 2.0));
    Ok(())
}

/// Requests of three searches.
struct Costs {
    cold: f64,
    /// The second search, and how much of it was HEAD.
    warm: f64,
    heads: f64,
    /// The second search of a Warehouse that takes tags for unmovable.
    believed: f64,
}

async fn costs(tags: usize, dated: Dated) -> Result<Costs> {
    let directory = tempfile::tempdir()?;
    let registry = Registry::start(tags, dated).await?;
    let options = Options { rate_per_second: Some(RATE), ..Options::default() };
    let world = World::open(directory.path(), options).await?;
    let address = registry.repository("app");
    let settings = |cache_by_tag: bool| {
        json!({
            "imageSelectionStrategy": "NewestBuild", "cacheByTag": cache_by_tag,
            "discoveryLimit": LIMIT,
        })
    };
    let asking = Warehouse::image("asking", &address, settings(false))?;
    let believing = Warehouse::image("believing", &address, settings(true))?;
    let cold = requests(&registry, &asking, &world.discovery, tags).await?;
    let heads = registry.heads();
    let warm = requests(&registry, &asking, &world.discovery, tags).await?;
    let heads = (registry.heads() - heads) as f64;
    let believed = requests(&registry, &believing, &world.discovery, tags).await?;
    Ok(Costs { cold, warm, heads, believed })
}

/// The requests of one search, which must find the right image.
async fn requests(
    registry: &Registry,
    warehouse: &Warehouse,
    discovery: &Discovery,
    tags: usize,
) -> Result<f64> {
    let before = registry.requests();
    let found = warehouse.images(discovery).await?;
    let newest = found.references.first().map(|image| image.tag.clone()).unwrap_or_default();
    ensure!(newest == format!("1.0.{}", tags - 1), "the newest build is said to be {newest:?}");
    Ok((registry.requests() - before) as f64)
}
