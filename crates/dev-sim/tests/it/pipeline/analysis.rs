//! Whoever carries AnalysisRuns out: takes some time, and finds in some that something is wrong.

use std::time::Duration;

use api_analysis::{AnalysisPhase, AnalysisRun};
use dev_sim::ProcessCx;
use io_kube::{Cache, Controller, Failure, Next, ObjectKey, Pass, Queue};
use kube::{
    Api, Client,
    api::{Patch, PatchParams},
};
use serde_json::json;

use super::control::ports;

/// The longest a run takes.
const RUN: Duration = Duration::from_mins(1);

/// Carries out every AnalysisRun; so many of a thousand fail.
pub(super) async fn execute(cx: ProcessCx, failures: u32) {
    let (client, ports) = (cx.client(), ports(&cx));
    let queue = Queue::new("analysis", &ports);
    let added = queue.clone();
    let runs: Cache<AnalysisRun> = Cache::builder(client.clone())
        .on_change(move |old: Option<&AnalysisRun>, new| {
            if let Some(run) = new.or(old) {
                added.add(ObjectKey::of(run));
            }
        })
        .start(&ports);
    let executor = Executor { client, runs, cx, failures };
    let workers = Controller::new(queue, 2).start(&ports, move |key, pass| {
        let executor = executor.clone();
        async move { executor.reconcile(&key, &pass).await }
    });
    workers.stopped().await;
}

#[derive(Clone)]
struct Executor {
    client: Client,
    runs: Cache<AnalysisRun>,
    cx: ProcessCx,
    failures: u32,
}

impl Executor {
    async fn reconcile(&self, key: &ObjectKey, pass: &Pass) -> Result<Next, Failure> {
        let Some(run) = self.runs.get(key) else { return Ok(Next::Done) };
        if run.status.phase.is_completed() || run.metadata.deletion_timestamp.is_some() {
            return Ok(Next::Done);
        }
        let is_new = run.status.phase == AnalysisPhase::Unset;
        let status = if is_new {
            json!({"phase": AnalysisPhase::Running})
        } else {
            let now = self.cx.clock().now().to_rfc3339_seconds();
            json!({"phase": self.finding(&run), "completedAt": now})
        };
        // The status of this kind is no subresource.
        let version = &run.metadata.resource_version;
        let change = json!({"metadata": {"resourceVersion": version}, "status": status});
        let runs: Api<AnalysisRun> = Api::namespaced(self.client.clone(), &key.namespace);
        let params = PatchParams::default();
        let written = runs.patch(&key.name, &params, &Patch::Merge(change)).await?;
        pass.wrote(&self.runs, &written);
        Ok(if is_new { Next::After(self.cx.dice().duration(RUN)) } else { Next::Done })
    }

    fn finding(&self, run: &AnalysisRun) -> AnalysisPhase {
        if run.spec.terminate || !self.cx.dice().chance(self.failures) {
            AnalysisPhase::Successful
        } else {
            AnalysisPhase::Failed
        }
    }
}
