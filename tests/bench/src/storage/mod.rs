//! The targets of the embedded engine that `make bench` did not show before, most of them beside kube-apiserver with etcd.
//!
//! Objects are ConfigMaps of the size of a Stage, so that both engines have the same ones and no controller answers to them.

mod cascade;
mod compaction;
mod delivery;
mod latency;
mod population;
mod reading;

use std::{thread, time::Duration};

use anyhow::{Result, anyhow};

use crate::{
    engine::Engine,
    process,
    report::{Report, Row},
};

/// The size of a Stage with its status.
const OBJECT_BYTES: usize = 5_000;

/// What both engines are measured in; the names of the figures are the same on both.
type Figures = Vec<Figure>;

/// One figure of an engine, with the limit for ours.
struct Figure {
    what: &'static str,
    value: f64,
    limit: Limit,
}

#[derive(Clone, Copy)]
enum Limit {
    AtMost(f64),
    AtLeast(f64),
    None,
}

impl Figure {
    fn at_most(what: &'static str, value: f64, limit: f64) -> Self {
        Self { what, value, limit: Limit::AtMost(limit) }
    }

    fn at_least(what: &'static str, value: f64, limit: f64) -> Self {
        Self { what, value, limit: Limit::AtLeast(limit) }
    }

    fn plain(what: &'static str, value: f64) -> Self {
        Self { what, value, limit: Limit::None }
    }

    fn ours(&self) -> Row {
        match self.limit {
            Limit::AtMost(limit) => Row::at_most(self.what, self.value, limit),
            Limit::AtLeast(limit) => Row::at_least(self.what, self.value, limit),
            Limit::None => Row::figure(self.what, self.value),
        }
    }

    fn theirs(&self) -> Row {
        Row::figure(&format!("{}: kube-apiserver + etcd", self.what), self.value)
    }
}

/// Measures everything; ours first, then the same on kube-apiserver.
pub(crate) async fn measure(embedded_only: bool, small: bool, report: &mut Report) -> Result<()> {
    // In a thread of its own: an executor inside a task of tokio would wait for ever once that task has used up its polls.
    thread::scope(|scope| scope.spawn(|| compaction::measure(small, report)).join())
        .map_err(|_| anyhow!("measuring compaction panicked"))??;
    population::measure(small, report).await?;
    let ours = on(Engine::embedded().await?, small).await?;
    let theirs =
        if embedded_only { Vec::new() } else { on(Engine::cluster().await?, small).await? };
    for figure in &ours {
        report.add(figure.ours());
        if let Some(other) = theirs.iter().find(|other| other.what == figure.what) {
            report.add(other.theirs());
        }
    }
    Ok(())
}

async fn on(engine: Engine, small: bool) -> Result<Figures> {
    let count = |full: usize| if small { full / 20 } else { full };
    let mut figures = vec![resident(&engine).await?];
    figures.extend(latency::measure(&engine, count(2_000)).await?);
    figures.extend(reading::measure(&engine, count(10_000)).await?);
    figures.extend(delivery::measure(&engine, count(2_000)).await?);
    figures.push(cascade::measure(&engine, count(1_000)).await?);
    engine.stop().await?;
    Ok(figures)
}

/// What all its processes hold before anybody asks for anything.
async fn resident(engine: &Engine) -> Result<Figure> {
    tokio::time::sleep(Duration::from_secs(5)).await;
    let bytes: Result<Vec<u64>> = engine.pids().iter().map(|pid| process::resident(*pid)).collect();
    let megabytes = bytes?.iter().sum::<u64>() as f64 / 1e6;
    Ok(Figure::plain("empty and idle, resident memory of all processes (MB)", megabytes))
}

/// The value below which this part of the measurements is, in milliseconds.
fn percentile(times: &mut [Duration], part: f64) -> f64 {
    times.sort();
    let at = ((times.len() as f64 - 1.0) * part).round() as usize;
    times.get(at).map_or(0.0, |time| time.as_secs_f64() * 1e3)
}
