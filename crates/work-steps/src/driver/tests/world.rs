//! A Promotion with steps that do what a test wants.

use std::{
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    time::Duration,
};

use api_kinds::{
    promotion::{PromotionPhase, PromotionStepStatus},
    step::{ExpressionVariable, PromotionStep},
};
use core_clock::{ManualClock, Time};
use core_engine::{Attempt, Progress};
use futures::{FutureExt, future::BoxFuture};
use parking_lot::Mutex;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::{
    context::StepCx,
    driver::{
        BuiltIn, Driver, Entry, Error, Event, Journal, JournalError, Moment, Observer, Order,
        Passed, Runner, Session, StopSignal, Traits,
    },
    effect::Effects,
    step::Defaults,
    testbed::{FakeControlPlane, Testbed},
};

pub(super) fn step(kind: &str) -> PromotionStep {
    step_with(kind, json!({}))
}

pub(super) fn step_with(kind: &str, members: Value) -> PromotionStep {
    let mut step: PromotionStep = serde_json::from_value(members).unwrap();
    step.uses = kind.to_owned();
    step
}

/// A Promotion; every pass opens it anew from the journal, as after a restart.
pub(super) struct World {
    pub(super) order: Order,
    pub(super) control_plane: Arc<FakeControlPlane>,
    pub(super) clock: ManualClock,
    pub(super) journal: Arc<MemoryJournal>,
    runner: Arc<FakeRunner>,
    built_in: Option<(Testbed, Arc<dyn Runner>)>,
    watcher: Arc<Watcher>,
    quota: Option<u64>,
    directory: TempDir,
}

impl World {
    pub(super) fn new(steps: impl IntoIterator<Item = PromotionStep>) -> Self {
        let mut order = Order { uid: "uid".to_owned(), ..Order::default() };
        order.steps = steps.into_iter().collect();
        order.subject.stage = "dev".to_owned();
        let clock = ManualClock::new(Time::from_seconds(1_000));
        Self {
            order,
            control_plane: Arc::default(),
            runner: Arc::new(FakeRunner { clock: Some(clock.clone()), ..FakeRunner::default() }),
            clock,
            journal: Arc::default(),
            built_in: None,
            watcher: Arc::default(),
            quota: None,
            directory: tempfile::tempdir().unwrap(),
        }
    }

    pub(super) fn variable(&mut self, name: &str, value: &str) {
        self.order.vars.push(ExpressionVariable { name: name.into(), value: value.into() });
    }

    pub(super) async fn use_built_in_steps(&mut self) {
        let testbed = Testbed::new().await;
        let runner = Arc::new(BuiltIn::new(testbed.ports.clone()));
        self.built_in = Some((testbed, runner));
    }

    pub(super) fn quota(&mut self, bytes: Option<u64>) {
        self.quota = bytes;
    }

    pub(super) fn root(&self) -> &Path {
        self.directory.path()
    }

    pub(super) fn open(&self, progress: Progress) -> Session {
        let built_in = self.built_in.as_ref().map(|(_, runner)| runner.clone());
        let driver = Driver {
            order: Arc::new(self.order.clone()),
            runner: built_in.unwrap_or_else(|| self.runner.clone()),
            control_plane: self.control_plane.clone(),
            clock: Arc::new(self.clock.clone()),
            journal: self.journal.clone(),
            observer: self.watcher.clone(),
            effects: Effects::Real,
            root: self.root().to_owned(),
            quota_bytes: self.quota,
        };
        driver.open(progress).unwrap()
    }

    pub(super) async fn try_run(&mut self) -> Result<Passed, Error> {
        let mut session = self.open(self.journal.last().progress);
        session.pass(&mut StopSignal::never()).await
    }

    pub(super) async fn run(&mut self) -> Passed {
        self.try_run().await.unwrap()
    }

    pub(super) fn hang_no_more(&self) {
        self.runner.is_awake.store(true, Ordering::SeqCst);
    }

    pub(super) fn dropped(&self) -> usize {
        self.runner.dropped.load(Ordering::SeqCst)
    }

    /// Aliases of the steps that ran, once for each attempt.
    pub(super) fn runs(&self) -> Vec<String> {
        self.runner.runs.lock().iter().map(|(alias, _)| alias.clone()).collect()
    }

    pub(super) fn configs(&self) -> Vec<Value> {
        self.runner.runs.lock().iter().map(|(_, config)| config.clone()).collect()
    }

    pub(super) fn seen(&self) -> Vec<String> {
        self.watcher.seen.lock().clone()
    }

    pub(super) fn files(&self) -> Vec<String> {
        let entries = std::fs::read_dir(self.root().join("promotion-uid/files")).unwrap();
        let mut names: Vec<String> =
            entries.map(|it| it.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }
}

/// Steps that write, echo, poll, refuse, talk, hang or fill the disk.
#[derive(Default)]
struct FakeRunner {
    clock: Option<ManualClock>,
    runs: Mutex<Vec<(String, Value)>>,
    is_awake: AtomicBool,
    dropped: AtomicUsize,
}

/// Counts futures that were dropped before they ended.
struct Guard<'a>(&'a AtomicUsize);

impl Drop for Guard<'_> {
    fn drop(&mut self) {
        self.0.fetch_add(1, Ordering::SeqCst);
    }
}

impl FakeRunner {
    async fn hang(&self) -> Attempt {
        if !self.is_awake.load(Ordering::SeqCst) {
            let _guard = Guard(&self.dropped);
            std::future::pending::<()>().await;
        }
        succeeded(None)
    }

    fn fill(cx: &StepCx<'_>) {
        std::fs::write(cx.files.path().join("big"), vec![0; 20_000]).unwrap();
    }

    async fn act(&self, kind: &str, config: Value, cx: &StepCx<'_>) -> Attempt {
        self.runs.lock().push((cx.alias.to_owned(), config.clone()));
        match kind {
            "echo" => succeeded(Some(config)),
            "write" => {
                std::fs::write(cx.files.path().join(cx.alias), "").unwrap();
                succeeded(Some(json!({"file": cx.alias})))
            }
            "poll" => {
                let former = cx.former_output().and_then(|it| it.get("polls")?.as_u64());
                let polls = former.unwrap_or_default();
                let is_done = polls >= config["times"].as_u64().unwrap_or_default();
                let status = if is_done {
                    PromotionStepStatus::Succeeded
                } else {
                    PromotionStepStatus::Running
                };
                Attempt { status, ..succeeded(Some(json!({"polls": polls + u64::from(!is_done)}))) }
            }
            "refuse" => Attempt::fault(PromotionStepStatus::Failed, "no", true),
            "say" => {
                cx.say(config["line"].as_str().unwrap_or_default());
                succeeded(None)
            }
            "fill" => {
                Self::fill(cx);
                if let Some(clock) = &self.clock {
                    clock.advance(Duration::from_secs(1));
                }
                succeeded(None)
            }
            "fill-and-hang" => {
                Self::fill(cx);
                self.hang().await
            }
            _ => self.hang().await,
        }
    }
}

fn succeeded(output: Option<Value>) -> Attempt {
    let output = output.and_then(|output| output.as_object().cloned());
    Attempt { status: PromotionStepStatus::Succeeded, output, ..Attempt::default() }
}

impl Runner for FakeRunner {
    fn traits(&self, _: &str) -> Option<Traits> {
        Some(Traits { defaults: Defaults::IMMEDIATE, feeds_task: false, is_quiet: true })
    }

    fn wants_text(&self, _: &str, _: &[String]) -> bool {
        false
    }

    fn attempt<'a>(
        &'a self,
        kind: &'a str,
        config: Value,
        cx: &'a StepCx<'a>,
    ) -> BoxFuture<'a, Attempt> {
        self.act(kind, config, cx).boxed()
    }
}

/// What a journal in a file would hold, and all it held before.
#[derive(Default)]
pub(super) struct MemoryJournal {
    leaves_out: AtomicBool,
    entries: Mutex<Vec<Written>>,
    fails_after: Mutex<Option<usize>>,
}

#[derive(Clone, Debug, Default)]
pub(super) struct Written {
    pub(super) phase: PromotionPhase,
    pub(super) message: String,
    pub(super) progress: Progress,
}

impl MemoryJournal {
    /// From now on starts of quiet steps are left out.
    pub(super) fn leave_out(&self) {
        self.leaves_out.store(true, Ordering::Relaxed);
    }

    pub(super) fn last(&self) -> Written {
        self.entries.lock().last().cloned().unwrap_or_default()
    }

    pub(super) fn entries(&self) -> Vec<Written> {
        self.entries.lock().clone()
    }

    pub(super) fn fail_after(&self, writes: usize) {
        *self.fails_after.lock() = Some(writes);
    }

    pub(super) fn fail_never(&self) {
        *self.fails_after.lock() = None;
    }
}

impl Journal for MemoryJournal {
    fn write<'a>(&'a self, entry: Entry<'a>, _: Moment) -> BoxFuture<'a, Result<(), JournalError>> {
        let mut fails_after = self.fails_after.lock();
        let result = match &mut *fails_after {
            Some(0) => Err(JournalError { message: "killed".to_owned(), source: None }),
            left => {
                if let Some(left) = left {
                    *left -= 1;
                }
                self.entries.lock().push(Written {
                    phase: entry.phase.clone(),
                    message: entry.message.to_owned(),
                    progress: entry.progress.clone(),
                });
                Ok(())
            }
        };
        std::future::ready(result).boxed()
    }

    fn leaves_out(&self, _: Entry<'_>) -> bool {
        self.leaves_out.load(Ordering::Relaxed)
    }
}

#[derive(Default)]
struct Watcher {
    seen: Mutex<Vec<String>>,
}

impl Observer for Watcher {
    fn notice(&self, event: Event<'_>) {
        self.seen.lock().push(match event {
            Event::Started { alias, .. } => format!("start {alias}"),
            Event::Said { line, .. } => format!("said {line}"),
            Event::Ended { record, .. } => format!("end {}", record.alias),
            Event::Waiting { record, .. } => format!("wait {}", record.alias),
            Event::Restarted => "restart".to_owned(),
        });
    }
}
