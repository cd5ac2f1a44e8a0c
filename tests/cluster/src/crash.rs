//! What a killed process leaves behind, and both ways out of it.

use std::time::{Duration, Instant};

use anyhow::{Result, ensure};
use dev_testkit::eventually;

use crate::world::{PATIENCE, World, stop};

/// A Lease that nobody renews takes 15 s to run out.
const AT_ONCE: Duration = Duration::from_secs(10);

/// The next start on the same machine takes the place of the dead one at once: it does not wait for the end of its own Lease.
pub(crate) async fn healed(world: &World) -> Result<()> {
    world.up(&[]).await?.kill().await?;
    ensure_writes_are_refused(world).await?;
    let begin = Instant::now();
    let kargo = world.up(&[]).await?;
    ensure!(begin.elapsed() < AT_ONCE, "it was ready only after {:?}", begin.elapsed());
    world.ready_project("healed").await?;
    stop(kargo).await?;
    world.ensure_no_webhooks().await
}

/// The registration outlives a kill, so that nothing is written past the rules; a user can decide otherwise.
pub(crate) async fn uninstalled(world: &World) -> Result<()> {
    world.up(&[]).await?.kill().await?;
    ensure_writes_are_refused(world).await?;
    let output = world.up_to_end(&["--uninstall-webhooks"]).await?;
    ensure!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    world.ensure_no_webhooks().await?;
    let is_written = async || Ok(world.create_project("unchecked").await?.status.is_success());
    eventually(PATIENCE, "writes pass", is_written).await
}

async fn ensure_writes_are_refused(world: &World) -> Result<()> {
    let reply = world.create_project("while-dead").await?;
    ensure!(
        reply.status == 500 && reply.text().contains("failed calling webhook"),
        "{}",
        reply.text()
    );
    Ok(())
}
