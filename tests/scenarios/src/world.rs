//! What scenarios share: the control plane, and the server that steps ask.

use std::sync::Arc;

use anyhow::Result;

use crate::{
    gate::Gate,
    project::Project,
    server::{Engine, Server},
};

/// A control plane and a gate.
pub(crate) struct World {
    pub(crate) server: Server,
    pub(crate) gate: Arc<Gate>,
}

impl World {
    pub(crate) async fn start(engine: Engine) -> Result<Self> {
        let gate = Arc::new(Gate::start().await?);
        Ok(Self { server: Server::start(engine).await?, gate })
    }

    /// A Project of a scenario's own.
    pub(crate) async fn project(&self, name: &'static str) -> Result<Project> {
        Project::create(self.server.client()?, self.gate.clone(), name).await
    }

    pub(crate) async fn stop(self) -> Result<()> {
        self.server.stop().await
    }
}
