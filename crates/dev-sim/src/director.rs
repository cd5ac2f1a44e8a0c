//! The course of a run: start, act under faults, come to rest, check.

use std::{sync::Arc, time::Duration};

use core_clock::{BoxTask, Clock, Tasks};
use futures::{
    FutureExt,
    future::{self, Either},
};

use crate::{
    executor::Group,
    nemesis,
    process::{Replica, launch_actor},
    world::World,
};

/// How often to look whether everything has come to rest.
const LOOK: Duration = Duration::from_secs(10);

/// Plays the scenario to its end; the error says what is wrong.
pub(crate) async fn direct(world: Arc<World>) -> Result<(), String> {
    world.story.tell("director", world.faults.describe());
    world.engine.start().await;
    start_components(&world);
    world.faults.begin();
    let nemesis = start_nemesis(&world);
    let actors: Vec<BoxTask> = world
        .scenario
        .actors
        .iter()
        .map(|actor| launch_actor(&world, &actor.name, &actor.start).ended())
        .collect();
    within(&world, "the actors are not done", future::join_all(actors)).await?;
    world.faults.end();
    nemesis.ended().await;
    for replica in world.replicas.lock().iter() {
        replica.clock.set_skew_micros(0);
    }
    world.story.tell("director", "the faults have ended");
    within(&world, "the world does not come to rest", rest(&world)).await?;
    world.check_finally()
}

fn start_components(world: &Arc<World>) {
    let supervisors = world.executor.group("supervisor");
    for component in &world.scenario.components {
        for number in 0..component.replicas {
            let name = format!("{}-{number}", component.name);
            let replica = Arc::new(Replica::new(world, name, component.start.clone()));
            world.replicas.lock().push(replica.clone());
            supervisors.spawn("replica", replica.keep_running(world.clone()).boxed());
        }
    }
}

fn start_nemesis(world: &Arc<World>) -> Group {
    let group = world.executor.group("nemesis");
    let own = group.clone();
    group.spawn("nemesis", nemesis::run(world.clone()).map(move |()| own.kill()).boxed());
    group
}

async fn rest(world: &World) {
    while world.ledger.at_rest_for() < world.scenario.rest {
        world.clock.sleep(LOOK).await;
    }
}

/// Waits, but not longer than the patience of the scenario.
async fn within<T>(
    world: &World,
    complaint: &str,
    wait: impl Future<Output = T>,
) -> Result<(), String> {
    let patience = world.scenario.patience;
    match future::select(std::pin::pin!(wait), world.clock.sleep(patience)).await {
        Either::Left(_) => Ok(()),
        Either::Right(_) => Err(format!("{complaint} after {} min", patience.as_secs() / 60)),
    }
}
