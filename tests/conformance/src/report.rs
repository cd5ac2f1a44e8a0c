//! What the suite prints.

use std::collections::BTreeMap;

use crate::{
    engine::Engine,
    rows::{Check, Row},
    runner::{Outcome, Verdict},
};

/// Prints the table.
pub(crate) fn list(rows: &[&Row]) {
    for row in rows {
        let how = match row.check {
            Check::Runs(..) => String::new(),
            Check::Elsewhere(place) => format!("  [elsewhere: {place}]"),
        };
        println!("row {}: {} (rank {}){how}", row.number, row.title, row.rank);
    }
}

/// Prints one row's outcome as soon as it is known.
pub(crate) fn line(outcome: &Outcome) {
    let Row { number, title, .. } = outcome.row;
    match &outcome.verdict {
        Verdict::Passed => println!("row {number}: {title} ... ok"),
        Verdict::Failed(error) => println!("row {number}: {title} ... FAILED\n    {error:#}"),
        Verdict::Skipped(why) => println!("row {number}: {title} ... skipped ({why})"),
    }
}

/// Prints the counts and the rows that did not run, by reason; true when nothing failed.
pub(crate) fn summary(engine: Engine, outcomes: &[Outcome]) -> bool {
    let (mut passed, mut failed, mut skipped) = (0, Vec::new(), 0);
    let mut reasons: BTreeMap<&str, Vec<u16>> = BTreeMap::new();
    for outcome in outcomes {
        let number = outcome.row.number;
        match &outcome.verdict {
            Verdict::Passed => passed += 1,
            Verdict::Failed(_) => failed.push(number),
            Verdict::Skipped(why) => {
                skipped += 1;
                reasons.entry(why).or_default().push(number);
            }
        }
    }
    for (why, numbers) in reasons {
        println!("skipped {}: {why}", join(&numbers));
    }
    if !failed.is_empty() {
        println!("failed {}", join(&failed));
    }
    println!("{}: {passed} passed, {} failed, {skipped} skipped", engine.name(), failed.len());
    failed.is_empty()
}

fn join(numbers: &[u16]) -> String {
    numbers.iter().map(u16::to_string).collect::<Vec<_>>().join(",")
}
