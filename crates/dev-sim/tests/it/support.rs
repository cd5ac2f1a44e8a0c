//! What all scenarios share: which seeds to run, and small pieces of clients.

use std::{fs, path::Path, time::Duration};

use dev_sim::{ProcessCx, Scenario, Sim};
use io_runtime::SystemEnvironment;

/// Runs a scenario over the seeds that the environment asks for and those that failed once.
#[track_caller]
pub(crate) fn hold(name: &str, build: impl Fn() -> Scenario) {
    let kept = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../conformance/sim")
        .join(format!("{name}.txt"));
    let kept = fs::read_to_string(&kept).unwrap_or_else(|e| panic!("{}: {e}", kept.display()));
    let sim = Sim::from_environment(&SystemEnvironment).unwrap().regressions(&kept).unwrap();
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
pub(crate) fn hold_in_replay(name: &str, build: impl Fn() -> Scenario) {
    let simulation = Sim::seeds(0..0).scenario(name, build);
    for seed in 0..10 {
        let run = || simulation.replay(seed).unwrap_or_else(|failure| panic!("{failure}"));
        let (first, second) = (run(), run());
        assert!(!first.audit.is_empty());
        assert!(first.story == second.story, "seed {seed} tells another story the second time");
        assert!(first.audit == second.audit, "seed {seed} gives another audit log the second time");
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
