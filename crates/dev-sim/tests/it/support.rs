//! What all scenarios share: which seeds to run, and small pieces of clients.

use std::{cell::RefCell, fs, panic, path::Path, sync::Once, time::Duration};

use dev_sim::{ProcessCx, Scenario, Sim};
use io_runtime::SystemEnvironment;
use serde_json::Value;

/// How many seeds of a scenario are run, unless the environment says otherwise.
const SEEDS: u64 = 200;

/// Runs a scenario over the seeds that the environment asks for and those that failed once.
#[track_caller]
pub(crate) fn hold(name: &str, build: impl Fn() -> Scenario + Sync) {
    hold_for(SEEDS, name, build);
}

/// The same with another number of seeds.
#[track_caller]
pub(crate) fn hold_for(seeds: u64, name: &str, build: impl Fn() -> Scenario + Sync) {
    let kept = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../conformance/sim")
        .join(format!("{name}.txt"));
    let kept = fs::read_to_string(&kept).unwrap_or_else(|e| panic!("{}: {e}", kept.display()));
    let sim = Sim::from_environment(&SystemEnvironment, seeds).unwrap().regressions(&kept).unwrap();
    match sim.scenario(name, build).run() {
        Ok(seeds) => println!("{name}: {seeds} seeds"),
        Err(failure) => {
            let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}.txt"));
            fs::write(&file, format!("{}\n{}", failure.story.join("\n"), failure.audit)).unwrap();
            panic!("{failure}the whole story and the audit log: {}", file.display());
        }
    }
}

/// Runs the same seeds twice; the audit logs must be equal to the byte.
#[track_caller]
pub(crate) fn hold_in_replay(name: &str, build: impl Fn() -> Scenario + Sync) {
    let simulation = Sim::seeds(0..0).scenario(name, build);
    for seed in 0..10 {
        let run = || simulation.replay(seed).unwrap_or_else(|failure| panic!("{failure}"));
        let (first, second) = (run(), run());
        assert!(!first.audit.is_empty());
        assert!(first.story == second.story, "seed {seed} tells another story the second time");
        assert!(first.audit == second.audit, "seed {seed} gives another audit log the second time");
    }
}

thread_local! {
    /// What panicked in the run on this thread. Controllers contain panics and go on, so that a run would not show them.
    static PANICS: RefCell<Vec<String>> = const { RefCell::new(Vec::new()) };
}

/// From now on panics on this thread are known, and those from before are forgotten.
pub(crate) fn note_panics() {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let usual = panic::take_hook();
        panic::set_hook(Box::new(move |panicked| {
            PANICS.with_borrow_mut(|panics| panics.push(panicked.to_string()));
            if !panicked.to_string().contains(MEANT) {
                usual(panicked);
            }
        }));
    });
    PANICS.with_borrow_mut(Vec::clear);
}

/// What a panic says that is part of a scenario.
pub(crate) const MEANT: &str = "a panic of the simulation";

/// Nothing panicked, except what was meant to.
pub(crate) fn nothing_panicked() -> Result<(), String> {
    let unexpected = PANICS
        .with_borrow(|panics| panics.iter().find(|panicked| !panicked.contains(MEANT)).cloned());
    unexpected.map_or(Ok(()), Err)
}

/// Definitions without what is only for people. They are most of the text, and each start of the server reads it.
pub(crate) fn without_descriptions(mut definitions: Vec<Value>) -> Vec<Value> {
    definitions.iter_mut().for_each(strip);
    definitions
}

fn strip(schema: &mut Value) {
    match schema {
        Value::Object(fields) => {
            // A property of that name is an object.
            fields.retain(|name, value| name != "description" || !value.is_string());
            fields.values_mut().for_each(strip);
        }
        Value::Array(items) => items.iter_mut().for_each(strip),
        _ => {}
    }
}

/// Tries a request until it is answered; `None` when what it asks for cannot be.
pub(crate) async fn insist<T, F: Future<Output = kube::Result<T>>>(
    cx: &ProcessCx,
    mut request: impl FnMut() -> F,
) -> Option<T> {
    loop {
        match request().await {
            Ok(answer) => return Some(answer),
            Err(kube::Error::Api(status)) if matches!(status.code, 404 | 410 | 422) => return None,
            Err(_) => cx.pause(Duration::from_secs(2)).await,
        }
    }
}
