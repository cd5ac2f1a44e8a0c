//! What the engine and the driver themselves cost: Promotions of steps that do next to nothing.

use std::{sync::Arc, time::Instant};

use anyhow::{Result, ensure};
use api_kinds::{promotion::PromotionPhase, step::PromotionStep};
use core_engine::Progress;
use futures::{FutureExt, future::BoxFuture};
use serde_json::{Value, json};
use work_steps::{
    Effects,
    driver::{
        BuiltIn, Driver, Entry, Journal, JournalError, Moment, Order, Passed, Silent, StopSignal,
    },
    testbed::Testbed,
};

use crate::report::{Report, Row};

const STEPS: usize = 1_000;
const ROUNDS: usize = 11;
const LIMIT_MICROSECONDS: f64 = 50.0;

/// The cost of one step of 1,000, without and with an expression in its configuration.
pub(crate) async fn measure(report: &mut Report) -> Result<()> {
    let testbed = Testbed::new().await;
    for (what, config) in [
        ("a trivial step of 1,000 (µs)", json!({"n": 1})),
        ("a trivial step of 1,000 with an expression (µs)", json!({"n": "${{ ctx.stage }}"})),
    ] {
        let mut times = Vec::with_capacity(ROUNDS);
        for round in 0..ROUNDS {
            times.push(promote(&testbed, &format!("round-{round}"), &config).await?);
        }
        times.sort_by(f64::total_cmp);
        let median = times.get(ROUNDS / 2).copied().unwrap_or(f64::INFINITY);
        report.add(Row::at_most(what, median, LIMIT_MICROSECONDS));
    }
    Ok(())
}

/// Microseconds per step of one Promotion.
async fn promote(testbed: &Testbed, uid: &str, config: &Value) -> Result<f64> {
    let step = PromotionStep {
        uses: "compose-output".into(),
        config: Some(config.clone()),
        ..PromotionStep::default()
    };
    let order = Order {
        uid: uid.to_owned(),
        subject: testbed.subject.clone(),
        steps: vec![step; STEPS],
        ..Order::default()
    };
    let driver = Driver {
        order: Arc::new(order),
        runner: Arc::new(BuiltIn::new(testbed.ports.clone())),
        control_plane: testbed.control_plane.clone(),
        clock: testbed.ports.clock.clone(),
        journal: Arc::new(InMemory),
        observer: Arc::new(Silent),
        effects: Effects::Real,
        root: testbed.machine_directory().join("work"),
        quota_bytes: Some(1 << 30),
    };
    let begin = Instant::now();
    let mut session = driver.open(Progress::default())?;
    let passed = session.pass(&mut StopSignal::never()).await?;
    let elapsed = begin.elapsed();
    let has_succeeded =
        matches!(&passed, Passed::Ended(end) if end.phase == PromotionPhase::Succeeded);
    ensure!(has_succeeded, "the promotion ended with {passed:?}");
    session.close()?;
    Ok(elapsed.as_secs_f64() * 1e6 / STEPS as f64)
}

/// Whoever keeps the progress pays for it; here nobody does.
struct InMemory;

impl Journal for InMemory {
    fn write<'a>(&'a self, _: Entry<'a>, _: Moment) -> BoxFuture<'a, Result<(), JournalError>> {
        std::future::ready(Ok(())).boxed()
    }
}
