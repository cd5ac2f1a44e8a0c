//! What waits to be written to one piece of Freight, and when it may go.

use std::{collections::BTreeSet, time::Duration};

use io_kube::ObjectKey;
use serde_json::{Map, Value};
use tokio::sync::oneshot;

/// So many writes go at once; a pipeline of a few Stages never waits.
const BURST: u32 = 4;
/// The first wait after that. Each further one is twice as long.
const FIRST_LINGER: Duration = Duration::from_millis(25);
/// No wait is longer.
const LONGEST_LINGER: Duration = Duration::from_millis(400);
const DOUBLINGS: u32 = 4;

/// Changes that go as one write.
#[derive(Default)]
pub(super) struct Batch {
    /// A merge patch of the status.
    pub(super) patch: Value,
    /// Told when it is written; those of a write that was refused are dropped.
    pub(super) told: Vec<oneshot::Sender<String>>,
    /// The Stages that it comes from.
    pub(super) stages: BTreeSet<ObjectKey>,
    /// The oldest resourceVersion that one of the changes insists on.
    pub(super) seen: Option<u64>,
}

impl Batch {
    /// Adds a change. Of two values for the same field the later one counts.
    pub(super) fn add(
        &mut self,
        stage: ObjectKey,
        patch: Value,
        seen: Option<u64>,
    ) -> oneshot::Receiver<String> {
        merge(&mut self.patch, patch);
        self.stages.insert(stage);
        self.insist_on(seen);
        let (told, written) = oneshot::channel();
        self.told.push(told);
        written
    }

    pub(super) fn is_empty(&self) -> bool {
        self.told.is_empty()
    }

    /// Puts a batch that could not be written before what has come since.
    pub(super) fn put_back(&mut self, former: Self) {
        let later = std::mem::replace(self, former);
        merge(&mut self.patch, later.patch);
        self.told.extend(later.told);
        self.stages.extend(later.stages);
        self.insist_on(later.seen);
    }

    fn insist_on(&mut self, seen: Option<u64>) {
        self.seen = self.seen.into_iter().chain(seen).min();
    }
}

/// How often a piece of Freight is written to.
#[derive(Default)]
pub(super) struct Pace {
    writes: u32,
}

impl Pace {
    /// How long to gather before the next write.
    pub(super) fn linger(&self) -> Duration {
        let Some(beyond) = self.writes.checked_sub(BURST) else { return Duration::ZERO };
        (FIRST_LINGER * 2_u32.pow(beyond.min(DOUBLINGS))).min(LONGEST_LINGER)
    }

    pub(super) fn wrote(&mut self) {
        self.writes = self.writes.saturating_add(1);
    }
}

/// Merges two merge patches into one that does what both do.
fn merge(first: &mut Value, second: Value) {
    match (first, second) {
        (Value::Object(first), Value::Object(second)) => merge_members(first, second),
        (Value::Object(_), Value::Null) => {}
        (first, second) => *first = second,
    }
}

fn merge_members(first: &mut Map<String, Value>, second: Map<String, Value>) {
    for (member, later) in second {
        match first.get_mut(&member) {
            Some(Value::Object(former)) if later.is_object() => {
                if let Value::Object(later) = later {
                    merge_members(former, later);
                }
            }
            _ => {
                first.insert(member, later);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn changes_of_several_stages_become_one_patch() {
        let mut batch = Batch::default();
        assert!(batch.is_empty());
        let stage = |name| ObjectKey::new("demo", name);
        drop(batch.add(stage("a"), json!({"currentlyIn": {"a": {"since": "1"}}}), None));
        drop(batch.add(
            stage("b"),
            json!({"currentlyIn": {"b": null}, "verifiedIn": {"b": {}}}),
            None,
        ));
        drop(batch.add(stage("a"), json!({"currentlyIn": {"a": null}}), None));
        assert_eq!(
            batch.patch,
            json!({"currentlyIn": {"a": null, "b": null}, "verifiedIn": {"b": {}}})
        );
        assert_eq!(batch.stages.len(), 2);
    }

    #[test]
    fn what_could_not_be_written_gives_way_to_what_came_since() {
        let stage = ObjectKey::new("demo", "a");
        let mut former = Batch::default();
        drop(former.add(
            stage.clone(),
            json!({"currentlyIn": {"a": {"since": "1"}, "b": {}}}),
            Some(7),
        ));
        let mut batch = Batch::default();
        drop(batch.add(stage, json!({"currentlyIn": {"a": null}}), Some(5)));
        batch.put_back(former);
        assert_eq!(batch.patch, json!({"currentlyIn": {"a": null, "b": {}}}));
        assert_eq!(batch.told.len(), 2);
        // If the oldest is what is there, all of them have seen it.
        assert_eq!(batch.seen, Some(5));
    }

    #[test]
    fn a_few_writes_go_at_once_and_many_wait_longer_and_longer() {
        let mut pace = Pace::default();
        let lingers: Vec<u128> = std::iter::repeat_with(|| {
            let linger = pace.linger();
            pace.wrote();
            linger.as_millis()
        })
        .take(11)
        .collect();
        assert_eq!(lingers, [0, 0, 0, 0, 25, 50, 100, 200, 400, 400, 400]);
    }
}
