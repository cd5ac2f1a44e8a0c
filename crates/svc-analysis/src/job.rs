//! Measurements by Jobs. A Job is found again by its name, which follows from what was measured
//! before; its end is seen by the watch.

use std::sync::Arc;

use api_analysis::{AnalysisPhase, AnalysisRun, Measurement, Metric, MetricResult};
use core_rules::{
    analysis::{
        Round,
        job::{JOB_NAME, JOB_NAMESPACE, RUN_UID_LABEL, is_of, job, outcome},
    },
    wire_time::to_wire,
};
use io_kube::{
    Cache, Failure, ObjectKey, Pass, Ports, Queue, is_already_exists, is_not_found, status_code,
};
use k8s_openapi::api::batch::v1::Job;
use kube::{
    Api, Client,
    api::{DeleteParams, PostParams},
};

use crate::{controller::Context, measure::bounded};

const MISSING: &str = "the API server has no Jobs (batch/v1); use another provider";

/// Watches the Jobs of all runs.
pub(crate) fn watch(client: &Client, ports: &Ports, queue: Queue<ObjectKey>) -> Cache<Job> {
    Cache::builder(client.clone())
        .labels(RUN_UID_LABEL)
        .on_change(move |old: Option<&Job>, new: Option<&Job>| {
            let owner = new.or(old).and_then(owner);
            // Its end is what is waited for, and that it is gone.
            if let Some(owner) = owner.filter(|_| new.is_none_or(|job| outcome(job).is_some())) {
                queue.add(owner);
            }
        })
        .start(ports)
}

fn owner(job: &Job) -> Option<ObjectKey> {
    let references = job.metadata.owner_references.as_ref()?;
    let run = references.iter().find(|reference| reference.kind == "AnalysisRun")?;
    Some(ObjectKey::new(job.metadata.namespace.as_deref()?, &run.name))
}

/// Starts the next measurement: creates its Job, or finds the one that an earlier pass created.
pub(crate) async fn begin(
    cx: &Context,
    pass: &Pass,
    run: &AnalysisRun,
    metric: &Metric,
    result: Option<&MetricResult>,
) -> Result<Measurement, Failure> {
    let now = Some(to_wire(cx.ports.clock.now()));
    let begun = Measurement {
        phase: AnalysisPhase::Running,
        started_at: now.clone(),
        ..Measurement::default()
    };
    let error = |message: String| Measurement {
        phase: AnalysisPhase::Error,
        message: bounded(&message),
        finished_at: now.clone(),
        ..begun.clone()
    };
    let (Some(cache), Some(provider)) = (&cx.jobs, &metric.provider.job) else {
        return Ok(error(MISSING.to_owned()));
    };
    let wanted = match job(run, &metric.name, provider, result) {
        Ok(wanted) => wanted,
        Err(problem) => return Ok(error(problem.to_string())),
    };
    let key = ObjectKey::of(&wanted);
    let api: Api<Job> = Api::namespaced(cx.client.clone(), &key.namespace);
    let job = match api.create(&PostParams::default(), &wanted).await {
        Ok(created) => created,
        Err(exists) if is_already_exists(&exists) => api.get(&key.name).await?,
        // What the API server refuses for good is a measurement that could not be taken.
        Err(refused) if status_code(&refused).is_some_and(|code| (400..500).contains(&code)) => {
            return Ok(error(refused.to_string()));
        }
        Err(other) => return Err(other.into()),
    };
    if !is_of(&job, run) {
        return Ok(error(format!("job {} belongs to something else", key.name)));
    }
    pass.wrote(cache, &job);
    let metadata = [(JOB_NAME.to_owned(), key.name), (JOB_NAMESPACE.to_owned(), key.namespace)];
    Ok(Measurement { metadata: metadata.into(), ..begun })
}

/// Enters the Jobs that have ended.
pub(crate) fn observe(cx: &Context, run: &AnalysisRun, round: &mut Round) {
    for (metric, measurement) in round.unfinished() {
        let ended = match find(cx, run, &measurement) {
            Some(job) => outcome(&job),
            None => Some((AnalysisPhase::Error, "its job is gone".to_owned())),
        };
        if let Some((phase, message)) = ended {
            round.record(&metric, ended_at(cx, measurement, phase, &message));
        }
    }
}

/// Ends the Jobs that are under way: nobody waits for them any more.
pub(crate) async fn end(cx: &Context, run: &AnalysisRun, round: &mut Round) -> Result<(), Failure> {
    for (metric, measurement) in round.unfinished() {
        if let Some(job) = find(cx, run, &measurement) {
            let key = ObjectKey::of(&*job);
            let api: Api<Job> = Api::namespaced(cx.client.clone(), &key.namespace);
            match api.delete(&key.name, &DeleteParams::foreground()).await {
                Ok(_) => {}
                Err(error) if is_not_found(&error) => {}
                Err(error) => return Err(error.into()),
            }
        }
        let phase = AnalysisPhase::Inconclusive;
        round.record(&metric, ended_at(cx, measurement, phase, "Metric Terminated"));
    }
    Ok(())
}

/// The Job of a measurement. People write statuses too, so that what a status names counts only if
/// the Job itself says that it is of the run.
fn find(cx: &Context, run: &AnalysisRun, measurement: &Measurement) -> Option<Arc<Job>> {
    let namespace = run.metadata.namespace.as_deref()?;
    let name = measurement.metadata.get(JOB_NAME)?;
    let job = cx.jobs.as_ref()?.get(&ObjectKey::new(namespace, name))?;
    is_of(&job, run).then_some(job)
}

fn ended_at(
    cx: &Context,
    measurement: Measurement,
    phase: AnalysisPhase,
    message: &str,
) -> Measurement {
    let finished_at = Some(to_wire(cx.ports.clock.now()));
    Measurement { phase, message: bounded(message), finished_at, ..measurement }
}
