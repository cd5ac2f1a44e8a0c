//! Scenarios of a test program, played one after the other and told to a person.

use std::{future::Future, pin::Pin, process::ExitCode, time::Instant};

use anyhow::Result;

/// One scenario in a world.
pub type Scenario<W> = for<'a> fn(&'a W) -> Pin<Box<dyn Future<Output = Result<()>> + 'a>>;

/// What becomes of the others when one fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AfterFailure {
    /// They are played.
    GoOn,
    /// They are not: they begin where that one should have ended.
    Stop,
}

/// Plays the scenarios whose name contains `filter`; returns how many failed.
pub async fn play<W>(
    scenarios: &[(&str, Scenario<W>)],
    filter: &str,
    world: &W,
    after_failure: AfterFailure,
) -> usize {
    let mut failed = 0;
    for (name, scenario) in scenarios.iter().filter(|(name, _)| name.contains(filter)) {
        let begin = Instant::now();
        let outcome = scenario(world).await;
        let verdict = if outcome.is_ok() { "ok" } else { "FAILED" };
        println!("{verdict:6} {name} ({:.1} s)", begin.elapsed().as_secs_f32());
        if let Err(error) = outcome {
            println!("       {error:#}");
            failed += 1;
            if after_failure == AfterFailure::Stop {
                break;
            }
        }
    }
    failed
}

/// Tells how many scenarios of a program failed; returns what the process ends with.
pub fn conclude(program: &str, failed: usize) -> ExitCode {
    println!("{program}: {failed} failed");
    if failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
