//! Processes: what a component or an actor gets from the world, and how components are kept running.

use std::{
    path::PathBuf,
    sync::{Arc, OnceLock},
    time::Duration,
};

use core_clock::{Clock, Entropy, Tasks};
use emb_auth::Identity;
use futures::FutureExt;
use parking_lot::Mutex;
use tempfile::TempDir;

use crate::{
    clock::SkewedClock,
    dice::Dice,
    executor::Group,
    scenario::Start,
    wire::{Link, Wire},
    world::World,
};

/// The longest a component that ended stays down.
const RESTART: Duration = Duration::from_secs(15);

/// What one process sees of the world: ports, and clients of the API server.
#[derive(Clone)]
pub struct ProcessCx {
    name: String,
    world: Arc<World>,
    group: Group,
    clock: SkewedClock,
    dice: Dice,
    mortal: bool,
    machine: Arc<Machine>,
}

impl ProcessCx {
    /// The name of the process; for a component with the number of its replica: `mirror-0`.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// A client with all permissions.
    pub fn client(&self) -> kube::Client {
        self.client_as(Identity::admin())
    }

    /// A client of this identity.
    pub fn client_as(&self, identity: Identity) -> kube::Client {
        let purpose = format!("wire {} {}", self.name, self.dice.below(u64::MAX));
        let link = Link {
            who: self.name.clone(),
            identity,
            engine: self.world.engine.clone(),
            clock: self.world.clock.clone(),
            faults: self.world.faults.clone(),
            story: self.world.story.clone(),
            dice: self.world.dice(&purpose),
            mortal: self.mortal.then(|| self.group.clone()),
        };
        kube::Client::new(Wire(Arc::new(link)), "default")
    }

    /// The clock of this process.
    pub fn clock(&self) -> Arc<dyn Clock> {
        Arc::new(self.clock.clone())
    }

    /// Its entropy.
    pub fn entropy(&self) -> Arc<dyn Entropy> {
        self.dice.entropy()
    }

    /// Its tasks.
    pub fn tasks(&self) -> Arc<dyn Tasks> {
        Arc::new(self.group.clone())
    }

    /// A directory of its machine, which outlives it. Nothing of its name may get into what two runs of a seed must share.
    pub fn directory(&self) -> std::io::Result<PathBuf> {
        self.machine.directory()
    }

    /// Its choices.
    pub fn dice(&self) -> &Dice {
        &self.dice
    }

    /// Adds a line to the story of the run.
    pub fn tell(&self, what: &str) {
        self.world.story.tell(&self.name, what);
    }

    /// Waits for a time that the seed decides, shorter than `limit`.
    pub async fn pause(&self, limit: Duration) {
        self.clock.sleep(self.dice.duration(limit)).await;
    }
}

/// Where a process runs: what it has on disk.
#[derive(Default)]
pub(crate) struct Machine(OnceLock<TempDir>);

impl Machine {
    fn directory(&self) -> std::io::Result<PathBuf> {
        if self.0.get().is_none() {
            // One task at a time runs: nobody else makes one meanwhile.
            drop(self.0.set(tempfile::tempdir()?));
        }
        Ok(self.0.get().map(|directory| directory.path().to_owned()).unwrap_or_default())
    }

    /// The disk is empty from now on.
    pub(crate) fn wipe(&self) {
        let Some(directory) = self.0.get() else { return };
        for entry in std::fs::read_dir(directory.path()).into_iter().flatten().flatten() {
            // What a run leaves there are directories; what cannot be removed stays, as if the disk were not lost.
            drop(std::fs::remove_dir_all(entry.path()));
        }
    }
}

/// One replica of a component, over all its lives.
pub(crate) struct Replica {
    pub(crate) name: String,
    pub(crate) clock: SkewedClock,
    pub(crate) machine: Arc<Machine>,
    start: Start,
    process: Mutex<Option<Group>>,
}

impl Replica {
    pub(crate) fn new(world: &World, name: String, start: Start) -> Self {
        let clock = SkewedClock::new(world.clock.clone());
        Self { name, clock, machine: Arc::default(), start, process: Mutex::default() }
    }

    /// The process, when it is up.
    pub(crate) fn process(&self) -> Option<Group> {
        self.process.lock().clone().filter(|process| !process.has_ended())
    }

    /// Starts the component, and again whenever it ended, for ever.
    pub(crate) async fn keep_running(self: Arc<Self>, world: Arc<World>) {
        let dice = world.dice(&format!("supervisor {}", self.name));
        for life in 0_u64.. {
            let process = world.executor.group(&self.name);
            *self.process.lock() = Some(process.clone());
            let cx = ProcessCx {
                name: self.name.clone(),
                world: world.clone(),
                group: process.clone(),
                clock: self.clock.clone(),
                dice: world.dice(&format!("{} {life}", self.name)),
                mortal: true,
                machine: self.machine.clone(),
            };
            spawn_main(&process, &self.start, cx);
            process.ended().await;
            world.story.tell(&self.name, "is down");
            world.clock.sleep(dice.duration(RESTART)).await;
            world.story.tell(&self.name, "starts again");
        }
    }
}

/// Starts an actor; the group ends when it is done.
pub(crate) fn launch_actor(world: &Arc<World>, name: &str, start: &Start) -> Group {
    let group = world.executor.group(name);
    let cx = ProcessCx {
        name: name.to_owned(),
        world: world.clone(),
        group: group.clone(),
        clock: SkewedClock::new(world.clock.clone()),
        dice: world.dice(name),
        mortal: false,
        machine: Arc::default(),
    };
    spawn_main(&group, start, cx);
    group
}

/// Runs the main task of a process; when it is done the process has ended.
fn spawn_main(group: &Group, start: &Start, cx: ProcessCx) {
    let own = group.clone();
    group.spawn("main", start(cx).map(move |()| own.kill()).boxed());
}
