//! Warehouses on real repositories: what is pushed there becomes Freight, whichever engine the control plane runs on.

mod origin;
mod project;

use std::time::{Duration, Instant};

use anyhow::{Context as _, Result};
use serde_json::Value;

pub use self::{
    origin::Origin,
    project::{Project, eventually},
};

/// Variables that a control plane needs to log in to these repositories, which speak plain HTTP.
pub fn environment() -> Vec<(String, String)> {
    vec![("ALLOW_CREDENTIALS_OVER_HTTP".into(), "true".into())]
}

/// A Warehouse that watches one repository.
pub struct Watched {
    /// What it watches.
    pub origin: Origin,
    project: Project,
    refreshes: usize,
}

impl Watched {
    /// Creates the Warehouse, with the credential that its repository asks for.
    pub async fn create(project: &Project, origin: Origin) -> Result<Self> {
        if let Some((kind, fields)) = origin.login()? {
            project.credential(origin.name(), kind, &fields).await?;
        }
        project.warehouse(origin.name(), &origin.subscription()).await?;
        Ok(Self { origin, project: project.clone(), refreshes: 0 })
    }

    /// Pushes, asks for a refresh and waits for the Freight of the push. Returns how long that took from the request.
    pub async fn push(&mut self) -> Result<Duration> {
        let freight = self.origin.push().await?;
        let begin = Instant::now();
        self.refresh().await?;
        self.await_freight(&freight).await?;
        Ok(begin.elapsed())
    }

    /// Asks for a refresh.
    pub async fn refresh(&mut self) -> Result<()> {
        self.refreshes += 1;
        self.project.refresh(self.origin.name(), &self.refreshes.to_string()).await
    }

    /// Waits for the Freight of this name.
    pub async fn await_freight(&self, name: &str) -> Result<()> {
        let path = format!("freights/{name}");
        let waited = eventually("there is Freight", async || self.project.has(&path).await).await;
        match waited {
            Ok(()) => Ok(()),
            Err(error) => Err(error).context(self.status().await?.to_string()),
        }
    }

    /// Waits until the status of the Warehouse is as wanted, and returns it.
    pub async fn await_status(&self, is_wanted: impl Fn(&Value) -> bool) -> Result<Value> {
        let is_so = async || Ok(is_wanted(&self.status().await?));
        let what = format!("Warehouse {} is as expected", self.origin.name());
        eventually(&what, is_so).await?;
        self.status().await
    }

    /// The status of the Warehouse as it is now.
    pub async fn status(&self) -> Result<Value> {
        let warehouse = self.project.get(&format!("warehouses/{}", self.origin.name())).await?;
        Ok(warehouse.get("status").cloned().unwrap_or_default())
    }
}
