//! Warehouses on servers of the outside world: what is pushed becomes Freight.

use std::time::Duration;

use anyhow::{Context, Result, ensure};
use dev_testkit::{
    UpOptions,
    warehouse::{self, Origin, Project, Watched},
};

use crate::world::{World, stop};

const PROJECT: &str = "discovery";
/// From a refresh to Freight, on a machine that has other things to do.
const PROMPT: Duration = Duration::from_secs(10);

/// From a push to Freight with the name of its content, by every kind of server there is on this machine.
pub(crate) async fn freight(world: &World) -> Result<()> {
    let options = UpOptions { environment: warehouse::environment(), ..UpOptions::default() };
    let kargo = world.up_by(&options).await?;
    let project = Project::create(&world.client, PROJECT).await?;
    for origin in Origin::all().await? {
        let kind = origin.kind();
        let took = push(&project, origin).await.context(kind)?;
        println!("       {kind}: Freight {} ms after the refresh", took.as_millis());
        ensure!(took < PROMPT, "{kind}: Freight took {took:?}");
    }
    stop(kargo).await
}

/// The second push is the one that counts: the Warehouse has looked around before.
async fn push(project: &Project, mut origin: Origin) -> Result<Duration> {
    let first = origin.push().await?;
    let mut watched = Watched::create(project, origin).await?;
    watched.await_freight(&first).await?;
    watched.push().await
}
