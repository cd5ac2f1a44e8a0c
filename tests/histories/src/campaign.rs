//! Many histories at once, and what came of them.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Instant,
};

use anyhow::Result;
use futures::future::join_all;
use parking_lot::Mutex;

use crate::{
    duel::{self, Mismatch, Verdict},
    exception::reason,
    generator::{History, Taste, history},
    operation::Operation,
    server::{Pair, Server},
    shrink::shrink,
};

/// How often the run says how far it is.
const TELL_EVERY: usize = 500;
/// How many places of a difference are shown.
const SHOWN: usize = 12;
/// How often one server plays a history alone to see whether it always does the same.
const ALONE: usize = 12;

/// What to play.
#[derive(Clone, Copy)]
pub(crate) struct Plan {
    pub(crate) first_seed: u64,
    pub(crate) count: u64,
    pub(crate) workers: usize,
    pub(crate) taste: Taste,
    /// After so many different mismatches the run ends.
    pub(crate) mismatches: usize,
}

/// A run.
pub(crate) struct Campaign {
    pair: Pair,
    plan: Plan,
    next: AtomicU64,
    /// Numbers for the names of runs on the servers: a history may be played many times.
    runs: AtomicU64,
    began: Instant,
    sums: Mutex<Sums>,
}

/// What came of all histories so far.
#[derive(Default)]
struct Sums {
    histories: usize,
    steps: BTreeMap<u64, usize>,
    explained: BTreeMap<&'static str, usize>,
    /// Histories at one step of which kube-apiserver does one or the other, and the embedded server one of the two.
    undecided: BTreeMap<u64, String>,
    /// Mismatches by signature.
    signatures: BTreeMap<String, usize>,
    broken: BTreeSet<String>,
}

impl Campaign {
    pub(crate) fn new(pair: Pair, plan: Plan) -> Self {
        Self {
            pair,
            plan,
            next: AtomicU64::new(plan.first_seed),
            runs: AtomicU64::new(0),
            began: Instant::now(),
            sums: Mutex::default(),
        }
    }

    /// Plays all histories; true when nothing was left unexplained.
    pub(crate) async fn run(self) -> Result<bool> {
        join_all((0..self.plan.workers).map(|worker| self.work(worker))).await;
        let passed = self.tell();
        self.pair.stop().await?;
        Ok(passed)
    }

    async fn work(&self, worker: usize) {
        let end = self.plan.first_seed + self.plan.count;
        loop {
            let seed = self.next.fetch_add(1, Ordering::Relaxed);
            if seed >= end || self.is_over() {
                return;
            }
            if let Err(error) = self.one(worker, seed).await {
                self.sums.lock().broken.insert(format!("seed {seed}: {error:#}"));
            }
            let histories = self.sums.lock().histories;
            if histories.is_multiple_of(TELL_EVERY) {
                println!("{histories} histories, {:.0} s", self.began.elapsed().as_secs_f32());
            }
        }
    }

    /// Plays chosen steps of one history and tells about each.
    pub(crate) async fn replay(self, seed: u64, keep: &[usize]) -> Result<bool> {
        let history = history(seed, self.plan.taste);
        let all: Vec<usize> = (0..history.operations.len()).collect();
        let keep = if keep.is_empty() { &all } else { keep };
        let verdict = self.play(0, &history, keep).await?;
        match &verdict.mismatch {
            Some(mismatch) => println!("{}", show(seed, &history, keep, mismatch)),
            None => println!("{} steps, no difference", keep.len()),
        }
        self.pair.stop().await?;
        Ok(verdict.mismatch.is_none())
    }

    async fn play(&self, worker: usize, history: &History, keep: &[usize]) -> Result<Verdict> {
        duel::play(&self.pair, worker, &self.name(), history, keep).await
    }

    /// A name for one play on the servers.
    fn name(&self) -> String {
        format!("h{:06}", self.runs.fetch_add(1, Ordering::Relaxed))
    }

    /// Whether kube-apiserver, on its own, does now one and now the other at the step that differs, and the embedded server
    /// always one of the two. Its garbage collector works on an owner and on its dependents at once: a dependent that is
    /// looked at before the owner is gone goes in the foreground, one that is looked at after goes at once. Its writes
    /// keep the warnings of an attempt on an older state, when its cache is behind. Of other differences no such reason is
    /// known: they count the first time.
    async fn is_undecided(
        &self,
        worker: usize,
        history: &History,
        all: &[usize],
        mismatch: &Mismatch,
    ) -> Result<bool> {
        if !history.owners && !mismatch.is_of_their_warnings() {
            return Ok(false);
        }
        let upto: Vec<usize> = match history.operations.get(mismatch.position) {
            // What a watch shows is known at the end.
            Some(Operation::Watch(_)) => all.to_vec(),
            _ => all.iter().copied().filter(|at| *at <= mismatch.position).collect(),
        };
        let alone = async |server: &Arc<Server>| {
            let run = self.name();
            let steps = (&*upto, mismatch.position);
            let outcome = duel::play_alone(server, worker, &run, history, steps).await?;
            anyhow::Ok(mismatch.is_ours(&outcome))
        };
        for _ in 0..ALONE {
            if !alone(&self.pair.embedded).await? {
                return Ok(false);
            }
        }
        for _ in 0..ALONE {
            if alone(&self.pair.cluster).await? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Plays one seed, and makes it short when it shows something new.
    async fn one(&self, worker: usize, seed: u64) -> Result<()> {
        let history = history(seed, self.plan.taste);
        let all: Vec<usize> = (0..history.operations.len()).collect();
        let mut verdict = self.play(worker, &history, &all).await?;
        if let Some(mismatch) = verdict.mismatch.take() {
            if self.is_undecided(worker, &history, &all, &mismatch).await? {
                self.sums.lock().undecided.insert(seed, mismatch.signature);
            } else {
                verdict.mismatch = Some(mismatch);
            }
        }
        let mismatch = self.sums.lock().take(verdict);
        if let Some(mismatch) = mismatch {
            let differs = async |kept: &[usize]| {
                let again = self.play(worker, &history, kept).await?.mismatch;
                Ok(again.is_some_and(|again| again.signature == mismatch.signature))
            };
            let kept = shrink(&all, differs).await?;
            let short = self.play(worker, &history, &kept).await?.mismatch;
            println!("{}", show(seed, &history, &kept, &short.unwrap_or(mismatch)));
        }
        Ok(())
    }

    fn is_over(&self) -> bool {
        let sums = self.sums.lock();
        sums.signatures.len() + sums.broken.len() >= self.plan.mismatches
    }

    fn tell(&self) -> bool {
        let sums = self.sums.lock();
        let steps: usize = sums.steps.values().sum();
        let seconds = self.began.elapsed().as_secs_f32();
        println!(
            "{} histories, {steps} steps in {seconds:.0} s; status codes: {:?}",
            sums.histories, sums.steps
        );
        for (place, count) in &sums.explained {
            println!("allowed difference {place} ({}): {count} times", reason(place));
        }
        for (seed, signature) in &sums.undecided {
            println!("kube-apiserver does one or the other: seed {seed}: {signature}");
        }
        for (signature, count) in &sums.signatures {
            println!("MISMATCH in {count} histories: {signature}");
        }
        for error in &sums.broken {
            println!("BROKEN: {error}");
        }
        let (mismatches, broken) = (sums.signatures.values().sum::<usize>(), sums.broken.len());
        println!("{} passed, {} failed", sums.histories - mismatches, mismatches + broken);
        mismatches + broken == 0
    }
}

impl Sums {
    /// Adds a history up; returns its mismatch if no history before it had that one.
    fn take(&mut self, verdict: Verdict) -> Option<Mismatch> {
        self.histories += 1;
        for (status, count) in verdict.steps {
            *self.steps.entry(status).or_default() += count;
        }
        for (place, count) in verdict.explained {
            *self.explained.entry(place).or_default() += count;
        }
        let mismatch = verdict.mismatch?;
        let seen = self.signatures.entry(mismatch.signature.clone()).or_default();
        *seen += 1;
        (*seen == 1).then_some(mismatch)
    }
}

/// A history that differs, for a person.
fn show(seed: u64, history: &History, kept: &[usize], mismatch: &Mismatch) -> String {
    let positions: Vec<String> = kept.iter().map(ToString::to_string).collect();
    let mut lines = vec![
        format!("\nDIFFERENCE: {}", mismatch.signature),
        format!("  replay: histories --seed {seed} --keep {}", positions.join(",")),
    ];
    for position in kept {
        let mark = if *position == mismatch.position { "->" } else { "  " };
        if let Some(operation) = history.operations.get(*position) {
            lines.push(format!("  {mark} {position}: {operation}"));
        }
    }
    lines.extend(mismatch.differences.iter().take(SHOWN).map(ToString::to_string));
    lines.join("\n")
}
