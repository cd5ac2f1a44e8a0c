//! The reference's own control plane: its controller, management controller, API server and admission server.
//!
//! They work under the ServiceAccounts and roles that our own components have, and take a Project from its creation to its
//! deletion. The same happens on kube-apiserver, and what they have made must be the same.
//!
//! The program is not built here: `KARGO_REFERENCE` says where it is.

mod api;
mod ground;
mod inventory;
mod pipeline;
mod processes;
mod webhooks;

use std::{ffi::OsString, path::PathBuf};

use anyhow::{Context, Result, ensure};

use self::{
    api::Api, ground::Ground, inventory::Inventory, pipeline::Pipeline, processes::Processes,
};
use crate::place::Engine;

/// A Project on both engines, and the comparison.
pub(crate) async fn promotes() -> Result<()> {
    let Some(program) = program(std::env::var_os("KARGO_REFERENCE"))? else {
        println!("       skipped: KARGO_REFERENCE does not name the program of the reference");
        return Ok(());
    };
    let ours = promote_on(Engine::Embedded, &program).await.context("on the embedded engine")?;
    let theirs = promote_on(Engine::Cluster, &program).await.context("on kube-apiserver")?;
    ours.compare(&theirs)
}

fn program(named: Option<OsString>) -> Result<Option<PathBuf>> {
    let Some(path) = named.map(PathBuf::from) else { return Ok(None) };
    ensure!(path.is_file(), "KARGO_REFERENCE: there is no {}", path.display());
    Ok(Some(path))
}

/// Project, Warehouse, Freight, Stage, Promotion, API token; then everything goes away again.
async fn promote_on(engine: Engine, program: &std::path::Path) -> Result<Inventory> {
    let ground = Ground::start(engine).await?;
    let mut processes = Processes::start(&ground, program).await?;
    let work = async {
        webhooks::register(&ground, processes.webhook_port).await?;
        let api = Api::log_in(&ground, processes.api_port).await?;
        let pipeline = Pipeline::start(&ground, &api).await?;
        pipeline.promote().await?;
        pipeline.use_token().await?;
        let inventory = Inventory::take(&ground).await?;
        pipeline.delete().await?;
        anyhow::Ok(inventory)
    };
    let inventory = work.await.with_context(|| processes.last_words())?;
    processes.are_alive()?;
    processes.kill().await?;
    ground.stop().await?;
    Ok(inventory)
}
