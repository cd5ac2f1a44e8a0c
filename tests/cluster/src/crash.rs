//! What a killed process leaves behind, and both ways out of it.

use anyhow::{Result, ensure};

use crate::world::{World, stop};

/// The next start takes the place of the dead one, as soon as its Lease has run out.
pub(crate) async fn healed(world: &World) -> Result<()> {
    world.up(&[]).await?.kill().await?;
    ensure_writes_are_refused(world).await?;
    let kargo = world.up(&[]).await?;
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
    world.eventually("writes pass", is_written).await
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
