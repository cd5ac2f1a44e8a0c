//! The pipeline by itself: one piece of Freight into many Stages, and a controller with many objects.

mod fan_out;
mod plane;
mod population;
pub(crate) mod project;
mod requests;

use anyhow::Result;

use self::{fan_out::FanOut, plane::Plane};
use crate::report::{Report, Row};

/// Promotions per second of the reference on a machine of this kind, by Stages.
const REFERENCE: [(usize, f64); 2] = [(100, 8.4), (300, 4.3)];

/// How much is measured.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Size {
    Small,
    Usual,
    /// With the fan-outs that take minutes.
    Large,
}

/// All of it, on both engines unless `embedded_only`.
pub(crate) async fn measure(size: Size, embedded_only: bool, report: &mut Report) -> Result<()> {
    embedded(size, report).await?;
    if !embedded_only {
        cluster(size, report).await?;
    }
    population::measure(size, report).await
}

async fn embedded(size: Size, report: &mut Report) -> Result<()> {
    let directory = tempfile::tempdir()?;
    let plane = Plane::embedded(directory.path()).await?;
    let latency = fan_out::latency(&plane, 10).await?;
    let what = "embedded: from Freight to the end of its automatic Promotion, slowest of 10 (ms)";
    report.add(Row::at_most(what, latency.as_secs_f64() * 1e3, 100.0));
    let few = FanOut::run(&plane, 100).await?;
    report.add(Row::at_least("embedded: promotions to 100 Stages (1/s)", few.rate, 150.0));
    report.add(Row::at_most("embedded: API requests for each of 100", few.requests, 8.0));
    if size != Size::Small {
        let many = FanOut::run(&plane, 3_000).await?;
        report.add(Row::at_least(
            "embedded: promotions to 3,000 Stages (1/s)",
            many.rate,
            few.rate.min(150.0) * 0.8,
        ));
        report.add(Row::at_most("embedded: API requests for each of 3,000", many.requests, 8.0));
        let what = "embedded: resident memory after 3,000 (MB)";
        report.add(Row::figure(what, many.resident_mb));
    }
    plane.stop().await
}

async fn cluster(size: Size, report: &mut Report) -> Result<()> {
    let plane = Plane::cluster().await?;
    let single = FanOut::run(&plane, 1).await?;
    report.add(Row::at_most(
        "kube-apiserver: API requests for one promotion",
        single.requests,
        10.0,
    ));
    let mut of_hundred = 0.0;
    for (stages, reference) in REFERENCE {
        let ran = FanOut::run(&plane, stages).await?;
        let times = if stages == 100 { 3.0 } else { 4.0 };
        let what = format!("kube-apiserver: promotions to {stages} Stages (1/s)");
        report.add(Row::at_least(&what, ran.rate, times * reference));
        let what = format!("kube-apiserver: API requests for each of {stages}");
        report.add(Row::at_most(&what, ran.requests, 8.0));
        let what = format!("kube-apiserver: its processor time, with etcd's, for {stages} (s)");
        report.add(Row::figure(&what, ran.engine_seconds));
        if stages == 100 {
            of_hundred = ran.rate;
        }
        if size == Size::Small {
            return plane.stop().await;
        }
    }
    if size == Size::Large {
        for (stages, part) in [(1_000, 0.8), (3_000, 0.5)] {
            let ran = FanOut::run(&plane, stages).await?;
            let what = format!("kube-apiserver: promotions to {stages} Stages (1/s)");
            report.add(Row::at_least(&what, ran.rate, part * of_hundred));
            let what = format!("kube-apiserver: API requests for each of {stages}");
            report.add(Row::at_most(&what, ran.requests, 8.0));
        }
    }
    plane.stop().await
}
