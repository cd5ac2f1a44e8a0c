//! Runs: when to measure, and what to write.
//!
//! | what changes | what happens |
//! |---|---|
//! | a run comes or changes, or is told to end | a pass |
//! | a measurement of it, or a Job, has come to something | a pass |
//! | a metric is due, or the run has lived as long as it should | a pass |
//!
//! A pass decides and writes; measurements run beside the passes ([`Measurements`]).

use std::{sync::Arc, time::Duration};

use api_analysis::{AnalysisPhase, AnalysisRun, Metric};
use core_rules::{
    access::Component,
    analysis::{self, Conclusion, Plan, Round},
};
use io_kube::{
    Cache, Controller, EventRecorder, Failure, Next, ObjectKey, Pass, Ports, Queue, Workers,
};
use k8s_openapi::api::batch::v1::Job;
use kube::Client;

use crate::{
    Parts, Settings,
    instance::{Served, selector},
    job,
    measure::Measurer,
    measurements::{Measurements, Outcome},
    secret::Unresolved,
    write,
};

/// What passes work with.
pub(crate) struct Context {
    pub(crate) client: Client,
    pub(crate) ports: Ports,
    pub(crate) runs: Cache<AnalysisRun>,
    /// Where the API server has Jobs.
    pub(crate) jobs: Option<Cache<Job>>,
    pub(crate) events: EventRecorder,
    settings: Arc<Settings>,
    measurer: Measurer,
    measurements: Measurements,
    queue: Queue<ObjectKey>,
}

impl Context {
    /// Opens the watches.
    pub(crate) fn new(parts: Parts, served: Served) -> Self {
        let Parts { client, ports, settings, outbound, exec, .. } = parts;
        let settings = Arc::new(settings);
        let queue = Queue::fair("analysisrun", &ports, |key: &ObjectKey| key.namespace.clone());
        let woken = queue.clone();
        let runs = Cache::builder(client.clone())
            .labels(selector(settings.instance_id.as_deref()))
            .filter(has_work)
            .on_change(move |old: Option<&AnalysisRun>, new: Option<&AnalysisRun>| {
                if let Some(run) = new.or(old) {
                    woken.add(ObjectKey::of(run));
                }
            })
            .start(&ports);
        let jobs = served.jobs.then(|| job::watch(&client, &ports, queue.clone()));
        let events =
            EventRecorder::start(client.clone(), Component::AnalysisController.label(), &ports);
        let measurer = Measurer {
            client: client.clone(),
            clock: ports.clock.clone(),
            outbound,
            exec,
            settings: settings.clone(),
        };
        let most = settings.measurements;
        let (shared, woken) = (measurer.clone(), queue.clone());
        let measurements = Measurements::new(shared, ports.clone(), woken, most);
        Self { client, ports, runs, jobs, events, settings, measurer, measurements, queue }
    }

    /// Completes when all there is is known.
    pub(crate) async fn synced(&self) {
        self.runs.synced().await;
        if let Some(jobs) = &self.jobs {
            jobs.synced().await;
        }
    }
}

/// What has ended and is kept for good is nobody's business.
fn has_work(run: &AnalysisRun) -> bool {
    !run.status.phase.is_completed() || run.spec.ttl_strategy.is_some()
}

/// Starts the workers.
pub(crate) fn start(cx: &Arc<Context>) -> Workers {
    let shared = cx.clone();
    Controller::new(cx.queue.clone(), cx.settings.workers)
        .start(&cx.ports, move |key, pass| reconcile(shared.clone(), key, pass))
}

async fn reconcile(cx: Arc<Context>, key: ObjectKey, pass: Pass) -> Result<Next, Failure> {
    let run = cx.runs.get(&key).filter(|run| run.metadata.deletion_timestamp.is_none());
    let Some(run) = run else {
        cx.measurements.cancel(&key);
        return Ok(Next::Done);
    };
    let now = cx.ports.clock.now();
    match analysis::plan(&run, now) {
        Plan::Measure(round) => measure(&cx, &key, &pass, &run, *round).await,
        Plan::Refuse(status) => {
            cx.measurements.cancel(&key);
            write::status(&cx, &pass, &run, &status).await?;
            Ok(Next::Done)
        }
        Plan::Keep(left) => {
            cx.measurements.cancel(&key);
            match left {
                None => Ok(Next::Done),
                Some(Duration::ZERO) => write::delete(&cx, &run).await.map(|()| Next::Done),
                Some(left) => Ok(Next::After(left)),
            }
        }
    }
}

async fn measure(
    cx: &Context,
    key: &ObjectKey,
    pass: &Pass,
    run: &Arc<AnalysisRun>,
    mut round: Round,
) -> Result<Next, Failure> {
    if let Some(left) = cx.measurements.gathering(key).filter(|_| !round.is_ending()) {
        return Ok(Next::After(left));
    }
    let finished = cx.measurements.finished(key, run);
    for (metric, outcome) in &finished {
        match outcome {
            Outcome::Measured(measurement) => round.record(metric, measurement.clone()),
            Outcome::Unresolved(problem) => return refuse(cx, key, pass, run, problem).await,
        }
    }
    job::observe(cx, run, &mut round);
    let mut ended = round.assess();
    if round.is_ending() {
        cx.measurements.end(key);
        job::end(cx, run, &mut round).await?;
        ended.extend(round.assess());
    }
    if let Begun::Never(problem) = begin(cx, key, pass, run, &mut round).await? {
        return refuse(cx, key, pass, run, &problem).await;
    }
    let conclusion = round.conclude(ended, cx.ports.clock.now());
    if is_silent(run, &conclusion)
        && let Some(left) = cx.measurements.gathering(key)
    {
        return Ok(Next::After(left));
    }
    write::status(cx, pass, run, &conclusion.status).await?;
    for (metric, phase) in &conclusion.ended {
        write::tell_metric(cx, run, metric, phase);
    }
    cx.measurements.forget(key, finished.iter().map(|(metric, _)| metric.as_str()));
    Ok(conclusion.next.map_or(Next::Done, Next::After))
}

/// Whether all there is to tell is that measurements have begun. If they are quick, one write
/// tells of their beginning and of their end.
fn is_silent(run: &AnalysisRun, conclusion: &Conclusion) -> bool {
    let status = &conclusion.status;
    run.status.phase == AnalysisPhase::Unset
        && status.metric_results.is_empty()
        && !status.phase.is_completed()
        && conclusion.next.is_none()
}

/// Whether what is due has begun.
enum Begun {
    All,
    /// The arguments of the run cannot be read, and never will.
    Never(String),
}

/// Begins what is due: Jobs are created, the others measured beside the passes.
async fn begin(
    cx: &Context,
    key: &ObjectKey,
    pass: &Pass,
    run: &Arc<AnalysisRun>,
    round: &mut Round,
) -> Result<Begun, Failure> {
    let due: Vec<Metric> = round.due(cx.ports.clock.now()).into_iter().cloned().collect();
    for metric in due {
        let name = &metric.name;
        if cx.measurements.is_running(key, name) {
            continue;
        }
        if metric.provider.job.is_none() {
            cx.measurements.start(key, run, name);
            continue;
        }
        let metric = match cx.measurer.resolve(run, name).await {
            Ok((metric, _)) => metric,
            Err(Unresolved::Lasting(problem)) => return Ok(Begun::Never(problem)),
            Err(temporary) => return Err(Failure::transient(temporary)),
        };
        let begun = job::begin(cx, pass, run, &metric, round.result(name)).await?;
        round.record(name, begun);
    }
    Ok(Begun::All)
}

async fn refuse(
    cx: &Context,
    key: &ObjectKey,
    pass: &Pass,
    run: &AnalysisRun,
    problem: &str,
) -> Result<Next, Failure> {
    cx.measurements.cancel(key);
    let status = analysis::unresolved(run, problem, cx.ports.clock.now());
    write::status(cx, pass, run, &status).await?;
    Ok(Next::Done)
}
