//! A single-threaded executor whose order is decided by a seed.
//!
//! Of all tasks that are ready one is drawn and polled once. The ready tasks are kept sorted, so that the draw does not
//! depend on the order in which they were woken. Tasks live in groups, one per process; a group can be killed or paused at
//! any wait of its tasks.

mod group;
mod signal;

use std::{
    any::Any,
    collections::{BTreeMap, BTreeSet},
    panic::{AssertUnwindSafe, catch_unwind},
    sync::Arc,
    task::{Context, Poll, Wake, Waker},
};

use core_clock::BoxTask;
use parking_lot::Mutex;

pub(crate) use group::Group;

use crate::dice::Dice;

/// What a step did.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Step {
    /// A task of this name ran.
    Ran(String),
    /// A task panicked; says which and why.
    Panicked(String),
    /// No task is ready.
    Idle,
}

/// The run queue. Clones are the same one.
#[derive(Clone)]
pub(crate) struct Executor {
    shared: Arc<Shared>,
    dice: Dice,
}

#[derive(Default)]
struct Shared {
    /// Apart from the table, because tasks are woken while others are polled and dropped.
    ready: Mutex<BTreeSet<u64>>,
    table: Mutex<Table>,
}

#[derive(Default)]
struct Table {
    next_id: u64,
    slots: BTreeMap<u64, Slot>,
    groups: BTreeMap<u64, GroupState>,
}

struct GroupState {
    name: String,
    paused: bool,
}

struct Slot {
    group: u64,
    name: &'static str,
    waker: Waker,
    /// Away while the task is polled.
    future: Option<BoxTask>,
}

struct TaskWaker {
    id: u64,
    shared: Arc<Shared>,
}

impl Wake for TaskWaker {
    fn wake(self: Arc<Self>) {
        self.shared.ready.lock().insert(self.id);
    }
}

/// A task taken out of the table to be polled.
struct Running {
    id: u64,
    label: String,
    waker: Waker,
    future: BoxTask,
}

impl Executor {
    /// An executor without tasks whose order `dice` decide.
    pub(crate) fn new(dice: Dice) -> Self {
        Self { shared: Arc::default(), dice }
    }

    /// A new group.
    pub(crate) fn group(&self, name: &str) -> Group {
        let mut table = self.shared.table.lock();
        let id = table.next_id();
        table.groups.insert(id, GroupState { name: name.to_owned(), paused: false });
        Group::new(id, self.shared.clone())
    }

    /// Polls one ready task.
    pub(crate) fn step(&self) -> Step {
        let Some(mut running) = self.take() else { return Step::Idle };
        let mut cx = Context::from_waker(&running.waker);
        let polled = catch_unwind(AssertUnwindSafe(|| running.future.as_mut().poll(&mut cx)));
        match polled {
            Ok(Poll::Pending) => {
                self.shared.put_back(running.id, running.future);
                Step::Ran(running.label)
            }
            Ok(Poll::Ready(())) => {
                self.shared.remove(running.id);
                Step::Ran(running.label)
            }
            Err(panic) => {
                self.shared.remove(running.id);
                Step::Panicked(format!("{} panicked: {}", running.label, panic_text(&*panic)))
            }
        }
    }

    /// Drops all tasks and groups; nothing of the run stays behind.
    pub(crate) fn clear(&self) {
        let slots = {
            let mut table = self.shared.table.lock();
            table.groups.clear();
            std::mem::take(&mut table.slots)
        };
        drop(slots);
    }

    fn take(&self) -> Option<Running> {
        let mut ready = self.shared.ready.lock();
        let mut table = self.shared.table.lock();
        ready.retain(|id| table.slots.contains_key(id));
        let runnable: Vec<u64> = ready.iter().copied().filter(|id| table.may_run(*id)).collect();
        let id = *self.dice.pick(&runnable)?;
        ready.remove(&id);
        table.take(id)
    }
}

impl Shared {
    fn spawn(self: &Arc<Self>, group: u64, name: &'static str, future: BoxTask) {
        let id = {
            let mut table = self.table.lock();
            if !table.groups.contains_key(&group) {
                // The process is gone. Unlocked before the task is dropped, which may wake others.
                drop(table);
                return;
            }
            let id = table.next_id();
            let waker = Arc::new(TaskWaker { id, shared: self.clone() }).into();
            table.slots.insert(id, Slot { group, name, waker, future: Some(future) });
            id
        };
        self.ready.lock().insert(id);
    }

    /// Puts a task back that waits; if its group was killed meanwhile, that was its last wait.
    fn put_back(&self, id: u64, future: BoxTask) {
        let rejected = match self.table.lock().slots.get_mut(&id) {
            Some(slot) => slot.future.replace(future),
            None => Some(future),
        };
        drop(rejected);
    }

    fn remove(&self, id: u64) {
        let slot = self.table.lock().slots.remove(&id);
        drop(slot);
    }

    fn remove_group(&self, group: u64) {
        let removed: Vec<Slot> = {
            let mut table = self.table.lock();
            table.groups.remove(&group);
            let members: Vec<u64> = table.members(group).collect();
            members.into_iter().filter_map(|id| table.slots.remove(&id)).collect()
        };
        drop(removed);
    }

    fn set_paused(&self, group: u64, paused: bool) {
        if let Some(state) = self.table.lock().groups.get_mut(&group) {
            state.paused = paused;
        }
    }
}

impl Table {
    fn next_id(&mut self) -> u64 {
        self.next_id += 1;
        self.next_id
    }

    fn members(&self, group: u64) -> impl Iterator<Item = u64> + '_ {
        self.slots.iter().filter(move |(_, slot)| slot.group == group).map(|(id, _)| *id)
    }

    fn may_run(&self, id: u64) -> bool {
        let group = self.slots.get(&id).and_then(|slot| self.groups.get(&slot.group));
        group.is_some_and(|group| !group.paused)
    }

    fn take(&mut self, id: u64) -> Option<Running> {
        let slot = self.slots.get_mut(&id)?;
        let future = slot.future.take()?;
        let group = self.groups.get(&slot.group).map_or("", |group| group.name.as_str());
        let label = format!("{group}: {}", slot.name);
        Some(Running { id, label, waker: slot.waker.clone(), future })
    }
}

fn panic_text(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("no message")
}

#[cfg(test)]
mod tests;
