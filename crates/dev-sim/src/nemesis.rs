//! The one who does harm from time to time: ends processes, stops them, bends clocks, steals Leases.

use std::{sync::Arc, time::Duration};

use core_clock::Clock;
use emb_meta::GroupResource;
use emb_store::{Expect, Op, Range};
use futures::{FutureExt, future};
use serde_json::{Value, json};

use crate::{dice::Dice, faults::Fault, process::Replica, world::World};

/// The longest time between two strikes.
const INTERVAL: Duration = Duration::from_secs(20);
/// How long a component that is asked to stop may take.
const GRACE: Duration = Duration::from_secs(10);
/// The longest that a component stands still; longer than a Lease is valid.
const PAUSE: Duration = Duration::from_secs(40);
/// The longest that the API server is down.
const OUTAGE: Duration = Duration::from_secs(10);
/// The farthest that a wall clock jumps, forth or back.
const JUMP: Duration = Duration::from_secs(90);

/// Strikes until the faults end; everything is up again when this returns.
pub(crate) async fn run(world: Arc<World>) {
    let dice = world.dice("nemesis");
    loop {
        world.clock.sleep(dice.duration(INTERVAL)).await;
        if !world.faults.are_active() {
            return;
        }
        if let Some(fault) = world.faults.next_strike(&dice) {
            strike(&world, &dice, fault).await;
        }
    }
}

async fn strike(world: &World, dice: &Dice, fault: Fault) {
    match fault {
        Fault::ServerCrash => crash_server(world, dice).await,
        Fault::LeaderChange => steal_lease(world, dice).await,
        _ => {
            let victim = dice.pick(&world.replicas.lock()).cloned();
            if let Some(victim) = victim {
                strike_component(world, dice, fault, &victim).await;
            }
        }
    }
}

async fn strike_component(world: &World, dice: &Dice, fault: Fault, victim: &Replica) {
    if fault == Fault::ClockJump {
        let jump = i64::try_from(dice.duration(2 * JUMP).as_micros()).unwrap_or_default();
        let jump = jump - i64::try_from(JUMP.as_micros()).unwrap_or_default();
        world.story.tell(&victim.name, format!("its clock is now {jump} µs ahead"));
        victim.clock.set_skew_micros(jump);
        return;
    }
    let Some(process) = victim.process() else { return };
    world.story.tell(&victim.name, format!("{fault:?}"));
    match fault {
        Fault::ComponentPause => {
            process.pause();
            world.clock.sleep(dice.duration(PAUSE)).await;
            process.resume();
        }
        Fault::ComponentRestart => {
            process.stop();
            future::select(process.ended(), world.clock.sleep(GRACE)).await;
            process.kill();
        }
        Fault::MachineLost => {
            process.kill();
            victim.machine.wipe();
        }
        _ => process.kill(),
    }
}

/// Ends the server and starts it again; sometimes it dies once more while it starts.
async fn crash_server(world: &World, dice: &Dice) {
    world.story.tell("apiserver", "dies");
    world.engine.crash();
    world.clock.sleep(dice.duration(OUTAGE)).await;
    if dice.chance(300) {
        let moment = world.clock.sleep(dice.duration(Duration::from_millis(50)));
        future::select(moment, world.engine.start().boxed()).await;
        world.story.tell("apiserver", "dies while it starts");
        world.engine.crash();
        world.clock.sleep(dice.duration(OUTAGE)).await;
    }
    world.engine.start().await;
}

/// Writes another holder into a Lease, as if it had been taken over; nobody renews it after that.
async fn steal_lease(world: &World, dice: &Dice) {
    let Some(running) = world.engine.running() else { return };
    let leases = GroupResource::new("coordination.k8s.io", "leases");
    let entries = running.store.list(&leases, Range::default()).entries;
    let Some(entry) = dice.pick(&entries) else { return };
    let mut lease = entry.value();
    let now = world.clock.now().to_rfc3339_micros();
    if let Some(spec) = lease.get_mut("spec").and_then(Value::as_object_mut) {
        let transitions = spec.get("leaseTransitions").and_then(Value::as_i64).unwrap_or(0);
        spec.insert("holderIdentity".into(), json!("thief"));
        spec.insert("leaseTransitions".into(), json!(transitions + 1));
        spec.insert("acquireTime".into(), json!(now));
        spec.insert("renewTime".into(), json!(now));
    }
    world.story.tell("nemesis", format!("steals {}", entry.key));
    let expect = Expect::Revision(entry.revision);
    let theft = Op::Put { key: entry.key.clone(), object: lease, expect };
    // Somebody was faster, or the disk refused: then there is no theft this time.
    let _ = running.store.commit(vec![theft]).await;
}
