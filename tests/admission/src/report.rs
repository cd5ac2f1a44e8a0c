//! What the suite prints.

use anyhow::Error;

use crate::table::Engine;

/// How a row ended.
pub(crate) enum Verdict {
    Passed,
    Failed(Error),
    Skipped(String),
}

/// A row and how it ended.
pub(crate) struct Outcome {
    pub(crate) title: String,
    pub(crate) verdict: Verdict,
}

/// Prints one row's outcome.
pub(crate) fn line(outcome: &Outcome) {
    let title = &outcome.title;
    match &outcome.verdict {
        Verdict::Passed => println!("{title} ... ok"),
        Verdict::Failed(error) => println!("{title} ... FAILED\n    {error:#}"),
        Verdict::Skipped(why) => println!("{title} ... skipped ({why})"),
    }
}

/// Prints the failed rows and the counts; true when nothing failed and something ran.
pub(crate) fn summary(engine: Engine, outcomes: &[Outcome]) -> bool {
    let (mut passed, mut failed, mut skipped) = (0, 0, 0);
    for outcome in outcomes {
        match outcome.verdict {
            Verdict::Passed => passed += 1,
            Verdict::Skipped(_) => skipped += 1,
            Verdict::Failed(_) => {
                failed += 1;
                println!("failed: {}", outcome.title);
            }
        }
    }
    println!("{}: {passed} passed, {failed} failed, {skipped} skipped", engine.name());
    failed == 0 && passed > 0
}
