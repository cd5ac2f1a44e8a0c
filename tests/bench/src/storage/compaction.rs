//! How long a write waits at most while a million old states are forgotten and their pages given back.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use anyhow::Result;
use core_clock::{Clock, ManualClock, SeededEntropy, Time};
use emb_meta::GroupResource;
use emb_store::{Expect, Key, Op, Options, SqliteLog, Store};
use serde_json::json;

use super::percentile;
use crate::report::{Report, Row};

const ROWS: usize = 1_000_000;
const ROWS_PER_COMMIT: usize = 256;
const OBJECTS: usize = 10_000;
/// Writes that are timed; they take longer than the compaction.
const WRITES: usize = 20_000;

pub(super) fn measure(small: bool, report: &mut Report) -> Result<()> {
    let rows = if small { ROWS / 20 } else { ROWS };
    let directory = tempfile::tempdir()?;
    let clock = ManualClock::new(Time::from_seconds(1_800_000_000));
    let log = Box::new(SqliteLog::open(directory.path(), "")?);
    let entropy = Arc::new(SeededEntropy::new(1));
    let options = Options { max_history: u64::MAX, ..Options::default() };
    let (store, _) = Store::open(log, Arc::new(clock.clone()), entropy, options)?;
    for commit in 0..rows / ROWS_PER_COMMIT {
        let first = commit * ROWS_PER_COMMIT;
        write(&store, (first..first + ROWS_PER_COMMIT).map(|row| row % OBJECTS))?;
    }
    clock.advance(Duration::from_hours(2));
    store.compact(clock.now());
    let mut waits = Vec::new();
    for number in 0..WRITES {
        let begin = Instant::now();
        write(&store, std::iter::once(number % OBJECTS))?;
        waits.push(begin.elapsed());
    }
    report.add(Row::at_most(
        "a write while 1,000,000 old states are forgotten, longest (ms)",
        percentile(&mut waits, 1.0),
        50.0,
    ));
    report.add(Row::figure("the same, median (ms)", percentile(&mut waits, 0.5)));
    store.close();
    Ok(())
}

fn write(store: &Store, objects: impl Iterator<Item = usize>) -> Result<()> {
    let kind = GroupResource::new("", "configmaps");
    let put = |number| Op::Put {
        key: Key::new(&kind, "bench", format!("object-{number}")),
        object: json!({"data": {"filling": "x".repeat(700)}}),
        expect: Expect::Any,
    };
    futures::executor::block_on(store.commit(objects.map(put).collect()))?;
    Ok(())
}
