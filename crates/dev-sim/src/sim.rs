//! Running scenarios over many seeds, and telling which seed failed and how to see it again.

use std::{
    collections::{BTreeMap, VecDeque},
    fmt,
    num::NonZero,
    sync::atomic::{AtomicUsize, Ordering},
    thread,
};

use core_clock::Environment;
use parking_lot::Mutex;
use thiserror::Error;

use crate::{driver, faults::Fault, scenario::Scenario};

/// The variable that names the one seed to run.
const SEED: &str = "SIM_SEED";
/// The variable that says how many seeds to run.
const SEEDS: &str = "SIM_SEEDS";
/// After so many seeds that fail, more would tell nothing new.
const ENOUGH_FAILURES: usize = 10;
/// The lines of the story that a failure shows.
const SHOWN_LINES: usize = 60;

/// The seeds to run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sim {
    seeds: Vec<u64>,
    /// Whether the user asked for one seed only.
    single: bool,
}

/// A text that is no seed, or no number of seeds.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{place}: {text:?} is not a number")]
pub struct SeedError {
    place: String,
    text: String,
}

/// A scenario with the seeds to run it with.
pub struct Simulation<F> {
    name: String,
    seeds: Vec<u64>,
    build: F,
}

/// What a run that held has to show.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Run {
    /// The audit log of the API server.
    pub audit: String,
    /// What happened, for people.
    pub story: Vec<String>,
    /// How often each fault struck.
    pub struck: BTreeMap<Fault, u64>,
}

/// A run that failed.
#[derive(Clone, Debug, Error)]
pub struct Failure {
    /// The scenario.
    pub scenario: String,
    /// The seed.
    pub seed: u64,
    /// What is wrong.
    pub reason: String,
    /// What happened until then.
    pub story: Vec<String>,
    /// The audit log of the API server until then.
    pub audit: String,
    /// Later seeds of the same run that fail, too.
    pub others: Vec<u64>,
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { scenario, seed, reason, story, others, .. } = self;
        writeln!(f, "{scenario} fails with seed {seed}: {reason}")?;
        if !others.is_empty() {
            writeln!(f, "it also fails with seeds {others:?}")?;
        }
        writeln!(f, "again: {SEED}={seed} cargo test --package dev-sim -- {scenario}")?;
        writeln!(f, "to keep: add {seed} to conformance/sim/{scenario}.txt")?;
        // Renewals of Leases go on to the end and tell nothing.
        let lines: Vec<&String> = story.iter().filter(|line| !line.contains("/leases/")).collect();
        let hidden = lines.len().saturating_sub(SHOWN_LINES);
        for line in lines.iter().take(hidden.min(1)) {
            writeln!(f, "  {line}\n  … {} lines", hidden - 1)?;
        }
        lines.iter().skip(hidden).try_for_each(|line| writeln!(f, "  {line}"))
    }
}

impl Sim {
    /// These seeds.
    pub fn seeds(seeds: impl IntoIterator<Item = u64>) -> Self {
        Self { seeds: seeds.into_iter().collect(), single: false }
    }

    /// As the user says: the one in `SIM_SEED`, else the first `SIM_SEEDS`, else as many as usual.
    pub fn from_environment(environment: &dyn Environment, usual: u64) -> Result<Self, SeedError> {
        if let Some(text) = environment.var(SEED) {
            return Ok(Self { seeds: vec![number(SEED, &text)?], single: true });
        }
        let count = environment.var(SEEDS).map(|text| number(SEEDS, &text)).transpose()?;
        Ok(Self::seeds(0..count.unwrap_or(usual)))
    }

    /// Also the seeds that failed once: one in each line, anything after `#` is a remark. They come first. A single seed
    /// that the user asked for stays alone.
    pub fn regressions(mut self, text: &str) -> Result<Self, SeedError> {
        if self.single {
            return Ok(self);
        }
        let lines = text.lines().map(|line| line.split('#').next().unwrap_or_default().trim());
        let kept = lines.filter(|line| !line.is_empty()).map(|line| number("regressions", line));
        let mut seeds: Vec<u64> = kept.collect::<Result<_, _>>()?;
        let others: Vec<u64> =
            self.seeds.into_iter().filter(|seed| !seeds.contains(seed)).collect();
        seeds.extend(others);
        self.seeds = seeds;
        Ok(self)
    }

    /// Chooses the scenario. It is built anew for each seed; its name is that of the test that runs it.
    pub fn scenario<F: Fn() -> Scenario>(self, name: &str, build: F) -> Simulation<F> {
        Simulation { name: name.to_owned(), seeds: self.seeds, build }
    }
}

impl<F: Fn() -> Scenario + Sync> Simulation<F> {
    /// Runs all seeds, unless many fail; says how many held, or tells of the first that failed. Runs know nothing of each
    /// other, so that each core has its own.
    pub fn run(&self) -> Result<usize, Box<Failure>> {
        let (next, failures) = (AtomicUsize::new(0), Mutex::new(BTreeMap::new()));
        let work = || {
            while failures.lock().len() < ENOUGH_FAILURES {
                let position = next.fetch_add(1, Ordering::Relaxed);
                let Some(seed) = self.seeds.get(position) else { return };
                if let Err(failure) = self.replay(*seed) {
                    failures.lock().insert(position, failure);
                }
            }
        };
        let cores = thread::available_parallelism().map_or(1, NonZero::get);
        thread::scope(|scope| {
            for _ in 0..cores.min(self.seeds.len()) {
                scope.spawn(work);
            }
        });
        let mut failures: VecDeque<Box<Failure>> = failures.into_inner().into_values().collect();
        let Some(mut first) = failures.pop_front() else { return Ok(self.seeds.len()) };
        first.others = failures.iter().map(|failure| failure.seed).collect();
        Err(first)
    }

    /// Runs one seed.
    pub fn replay(&self, seed: u64) -> Result<Run, Box<Failure>> {
        let outcome = driver::run((self.build)(), seed);
        let (story, audit) = (outcome.records.lines, outcome.records.audit);
        match outcome.result {
            Ok(()) => Ok(Run { audit, story, struck: outcome.struck }),
            Err(reason) => {
                let scenario = self.name.clone();
                let others = Vec::new();
                Err(Box::new(Failure { scenario, seed, reason, story, audit, others }))
            }
        }
    }
}

fn number(place: &str, text: &str) -> Result<u64, SeedError> {
    let wrong = |_| SeedError { place: place.to_owned(), text: text.to_owned() };
    text.parse().map_err(wrong)
}

#[cfg(test)]
mod tests {
    use core_clock::FixedEnvironment;

    use super::*;

    fn from(vars: &[(&str, &str)]) -> Result<Sim, SeedError> {
        Sim::from_environment(&vars.iter().copied().collect::<FixedEnvironment>(), 200)
    }

    #[test]
    fn the_environment_says_which_seeds_to_run() {
        assert_eq!(from(&[]).unwrap().seeds.len(), 200);
        assert_eq!(from(&[("SIM_SEEDS", "3")]).unwrap().seeds, [0, 1, 2]);
        assert_eq!(from(&[("SIM_SEED", "17"), ("SIM_SEEDS", "3")]).unwrap().seeds, [17]);
        let error = from(&[("SIM_SEEDS", "many")]).unwrap_err();
        assert_eq!(error.to_string(), "SIM_SEEDS: \"many\" is not a number");
    }

    #[test]
    fn seeds_that_failed_once_come_first_and_once() {
        let sim = Sim::seeds(0..3).regressions("# why\n\n7 # lost update\n1\n").unwrap();
        assert_eq!(sim.seeds, [7, 1, 0, 2]);
        assert!(Sim::seeds(0..3).regressions("seven").is_err());
        let single = from(&[("SIM_SEED", "5")]).unwrap().regressions("7").unwrap();
        assert_eq!(single.seeds, [5]);
    }

    #[test]
    fn a_failure_is_shown_as_a_command() {
        let failure = Failure {
            scenario: "mirror".into(),
            seed: 17,
            reason: "lost".into(),
            story: vec!["line".into()],
            audit: String::new(),
            others: vec![18, 20],
        };
        let text = failure.to_string();
        assert!(text.contains("also fails with seeds [18, 20]"), "{text}");
        assert!(text.contains("SIM_SEED=17 cargo test --package dev-sim -- mirror"), "{text}");
    }
}
