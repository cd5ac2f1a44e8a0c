//! One life of the control plane, from when it says that it is ready until it is killed.

use std::time::{Duration, Instant};

use anyhow::{Result, ensure};
use dev_testkit::{Kargo, warehouse::Project};
use serde_json::Value;

use super::plane::Promoted;
use crate::{host::Host, moment::Moment};

/// What nothing takes, even on a machine that is busy.
const PATIENCE: Duration = Duration::from_mins(1);
const TICK: Duration = Duration::from_millis(5);

/// What a look at the Promotion shows.
#[derive(Clone, Copy, Debug)]
pub(super) struct Seen {
    pub(super) step: u64,
    pub(super) has_ended: bool,
}

/// A running control plane, and what its Promotion does.
pub(super) struct Life<'a> {
    kargo: Kargo,
    pub(super) project: Project,
    host: &'a Host,
    promoted: &'a Promoted,
    ready: Instant,
    /// The Promotion as it was at the first look.
    version: Option<Value>,
    /// When it gave the first sign that it goes on.
    resumed: Option<Duration>,
}

impl<'a> Life<'a> {
    pub(super) fn begin(
        kargo: Kargo,
        project: Project,
        host: &'a Host,
        promoted: &'a Promoted,
    ) -> Self {
        let ready = Instant::now();
        Self { kargo, project, host, promoted, ready, version: None, resumed: None }
    }

    /// How long after the beginning the Promotion went on, if it was seen to.
    pub(super) fn resumed(&self) -> Option<Duration> {
        self.resumed
    }

    /// Looks at the Promotion. It goes on when it asks something of its host or writes something down.
    pub(super) async fn look(&mut self) -> Result<Seen> {
        let promotion = self.project.get(&format!("promotions/{}", self.promoted.name)).await?;
        let status = promotion.get("status").unwrap_or(&Value::Null);
        let phase = status.get("phase").and_then(Value::as_str).unwrap_or_default();
        let is_open = matches!(phase, "" | "Pending" | "Running");
        ensure!(is_open || phase == "Succeeded", "it ended otherwise: {status:#}");
        let version = promotion.pointer("/metadata/resourceVersion").cloned().unwrap_or_default();
        let is_changed = *self.version.get_or_insert_with(|| version.clone()) != version;
        if self.resumed.is_none() && (self.host.was_asked() || is_changed) {
            self.resumed = Some(self.ready.elapsed());
        }
        let step = status.get("currentStep").and_then(Value::as_u64).unwrap_or_default();
        Ok(Seen { step, has_ended: !is_open })
    }

    /// Waits for the moment of a kill.
    pub(super) async fn await_moment(&mut self, moment: Moment) -> Result<Seen> {
        match moment {
            Moment::After(life) => loop {
                let seen = self.look().await?;
                if self.ready.elapsed() >= life {
                    return Ok(seen);
                }
                tokio::time::sleep(TICK).await;
            },
            Moment::Step { number, delay } => {
                let seen = self.await_step(number).await?;
                tokio::time::sleep(delay).await;
                Ok(seen)
            }
        }
    }

    /// Waits until the Promotion has succeeded.
    pub(super) async fn await_end(&mut self) -> Result<()> {
        self.await_step(u64::MAX).await.map(drop)
    }

    async fn await_step(&mut self, number: u64) -> Result<Seen> {
        loop {
            let seen = self.look().await?;
            if seen.has_ended || seen.step >= number {
                return Ok(seen);
            }
            ensure!(self.ready.elapsed() < PATIENCE, "it does not go on: {seen:?}");
            tokio::time::sleep(TICK).await;
        }
    }

    pub(super) async fn kill(self) -> Result<()> {
        self.kargo.kill().await
    }

    pub(super) async fn stop(self) -> Result<Option<i32>> {
        self.kargo.stop().await
    }
}
