//! `make scenarios`: what becomes of Freight, Promotions and Stages, on both engines.
//!
//! `scenarios embedded` and `scenarios cluster` start a control plane of their own. Most scenarios run side by side,
//! each in a Project of its own; those that kill the control plane come after them, one after the other.

#![allow(
    clippy::disallowed_methods,
    clippy::indexing_slicing,
    clippy::print_stdout,
    reason = "a test program on the real clock that reports to a person; what JSON lacks reads as null"
)]

mod argo_cd;
mod flow;
mod gate;
mod hold;
mod naming;
mod patience;
mod people;
mod policy;
mod project;
mod queue;
mod restart;
mod server;
mod stage;
mod steps;
mod targets;
mod verification;
mod watching;
mod world;

use std::{process::ExitCode, time::Instant};

use anyhow::Result;
use clap::Parser;
use dev_testkit::conclude;
use futures::{StreamExt, future::LocalBoxFuture, stream};

use crate::{restart::Disk, server::Engine, world::World};

/// How many scenarios run side by side.
const AT_ONCE: usize = 12;

/// Play the scenarios of Stages and Promotions
#[derive(Parser)]
struct Args {
    /// The engine to start
    #[arg(value_enum)]
    engine: Engine,
    /// Only scenarios whose name contains this
    filter: Option<String>,
}

type Scenario = for<'a> fn(&'a World) -> LocalBoxFuture<'a, Result<()>>;

/// Side by side.
const SCENARIOS: &[(&str, Scenario)] = &[
    ("new Freight goes down the pipeline by itself", |w| Box::pin(flow::by_itself(w))),
    ("a Stage without steps passes Freight on", |w| Box::pin(flow::control_flow(w))),
    ("Freight goes on when it has soaked, without being asked", |w| Box::pin(flow::soak(w))),
    ("approved Freight goes where nothing verified it", |w| Box::pin(flow::approval(w))),
    ("a Stage that is deleted leaves no marks on Freight", |w| Box::pin(flow::deletion(w))),
    ("Freight that leaves a Stage keeps its soak", |w| Box::pin(flow::leaves(w))),
    ("what failed is not promoted again by itself", |w| Box::pin(policy::failed(w))),
    ("a change of policy is acted on at once", |w| Box::pin(policy::changed(w))),
    ("the first policy that matches decides", |w| Box::pin(policy::first_match(w))),
    ("a Stage follows the one before it, also back", |w| Box::pin(policy::match_upstream(w))),
    ("a missing Warehouse stops its origin alone", |w| Box::pin(policy::missing_warehouse(w))),
    ("going back to earlier Freight holds the Stage there", |w| Box::pin(hold::rollback(w))),
    ("a Promotion that is aborted holds nothing", |w| Box::pin(hold::aborted(w))),
    ("a hold concerns its origin alone", |w| Box::pin(hold::one_of_two(w))),
    ("Promotions of a Stage run one after the other", |w| Box::pin(queue::in_order(w))),
    ("a Promotion is aborted in the middle of its step", |w| Box::pin(queue::abort_in_step(w))),
    ("an aborted Promotion in the queue keeps the other origin", |w| {
        Box::pin(queue::abort_queued(w))
    }),
    ("Promotions that end out of order are all recorded", |w| Box::pin(queue::out_of_order(w))),
    ("a Promotion that is deleted makes way for the next", |w| Box::pin(queue::deleted(w))),
    ("a refresh wakes a step that waits, and repeats nothing", |w| Box::pin(queue::refreshed(w))),
    ("the queue waits for the verification", |w| Box::pin(verification::queued(w))),
    ("Freight that comes back is verified anew", |w| Box::pin(verification::comes_back(w))),
    ("a verification that is repeated and fails takes the mark away", |w| {
        Box::pin(verification::revoked(w))
    }),
    ("a verification is aborted", |w| Box::pin(verification::aborted(w))),
    ("what is in progress is given time before the next Promotion", |w| {
        Box::pin(argo_cd::progressing(w))
    }),
    ("a step that errs is tried again up to its threshold", |w| Box::pin(steps::retried(w))),
    ("a failure in a task stops the steps behind it", |w| Box::pin(steps::task(w))),
    ("a message of any length leaves the Stage working", |w| Box::pin(steps::long_message(w))),
    ("a Promotion commits and pushes", |w| Box::pin(steps::git(w))),
    ("people answer the steps that ask them", |w| Box::pin(people::answered(w))),
    ("a Promotion that somebody rejects fails", |w| Box::pin(people::rejected(w))),
    ("a Stage with Targets is promoted to by requests", |w| Box::pin(targets::requests(w))),
    ("names of Promotions do not change their order", |w| Box::pin(naming::foreign_names(w))),
    ("a Stage of another shard is left alone", |w| Box::pin(naming::other_shard(w))),
];

type Kill = for<'a> fn(&'a mut World) -> LocalBoxFuture<'a, Result<()>>;

/// One after the other, after the others.
const KILLS: &[(&str, Kill)] = &[
    ("after a kill a Promotion goes on with its step", |w| {
        Box::pin(restart::mid_promotion(w, Disk::Kept))
    }),
    ("after a kill and the loss of the disk a Promotion begins anew", |w| {
        Box::pin(restart::mid_promotion(w, Disk::Lost))
    }),
];

#[tokio::main]
async fn main() -> Result<ExitCode> {
    let args = Args::parse();
    let mut world = World::start(args.engine).await?;
    let filter = args.filter.unwrap_or_default();
    let chosen = SCENARIOS.iter().filter(|(name, _)| name.contains(&filter));
    let plays = chosen.map(|(name, scenario)| play(name, scenario(&world)));
    let mut outcomes: Vec<bool> = stream::iter(plays).buffer_unordered(AT_ONCE).collect().await;
    for (name, kill) in KILLS.iter().filter(|(name, _)| name.contains(&filter)) {
        outcomes.push(play(name, kill(&mut world)).await);
    }
    let failed = outcomes.iter().filter(|ok| !**ok).count();
    world.stop().await?;
    Ok(conclude("scenarios", failed))
}

/// Plays one scenario, tells how it ended, and returns whether it ended well.
async fn play(name: &str, scenario: LocalBoxFuture<'_, Result<()>>) -> bool {
    let begin = Instant::now();
    let outcome = scenario.await;
    let verdict = if outcome.is_ok() { "ok" } else { "FAILED" };
    println!("{verdict:6} {name} ({:.1} s)", begin.elapsed().as_secs_f32());
    if let Err(error) = &outcome {
        println!("       {error:#}");
    }
    outcome.is_ok()
}
