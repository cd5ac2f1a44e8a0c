//! Conditions: how they are set, removed and read, the same for every kind.

use api_kinds::condition::{Condition, ConditionStatus};
use core_clock::Time;

use crate::wire_time::to_wire;

/// The schema allows no more.
const MAX_MESSAGE_BYTES: usize = 32_768;
const TRUNCATED: &str = " ... (truncated)";

/// What is observed now.
#[derive(Clone, Debug)]
pub struct Observation<'a> {
    /// What it is about.
    pub r#type: &'a str,
    /// Whether it holds.
    pub status: ConditionStatus,
    /// One word that says why.
    pub reason: &'a str,
    /// The explanation for people.
    pub message: &'a str,
    /// The generation of the object it was derived from.
    pub generation: i64,
}

/// Puts an observation in the place of the condition of its type, or at the end.
///
/// What says the same as before changes nothing, so that an unchanged object costs no write; the
/// transition time moves only when the status does.
pub fn set(conditions: &mut Vec<Condition>, observed: Observation<'_>, now: Time) {
    let mut new = Condition {
        last_transition_time: to_wire(now),
        message: bounded(observed.message),
        observed_generation: observed.generation,
        reason: observed.reason.to_owned(),
        status: observed.status,
        r#type: observed.r#type.to_owned(),
    };
    let Some(old) = conditions.iter_mut().find(|old| old.r#type == new.r#type) else {
        conditions.push(new);
        return;
    };
    if old.status == new.status {
        new.last_transition_time = old.last_transition_time.clone();
        let is_same = old.reason == new.reason && old.message == new.message;
        if is_same && old.observed_generation >= new.observed_generation {
            return;
        }
    }
    *old = new;
}

/// Takes the condition of a type away, if there is one.
pub fn remove(conditions: &mut Vec<Condition>, r#type: &str) {
    conditions.retain(|condition| condition.r#type != r#type);
}

/// The condition of a type.
pub fn find<'a>(conditions: &'a [Condition], r#type: &str) -> Option<&'a Condition> {
    conditions.iter().find(|condition| condition.r#type == r#type)
}

/// Whether the condition of a type is there and holds.
pub fn is_true(conditions: &[Condition], r#type: &str) -> bool {
    find(conditions, r#type).is_some_and(|condition| condition.status == ConditionStatus::True)
}

fn bounded(message: &str) -> String {
    if message.len() <= MAX_MESSAGE_BYTES {
        return message.to_owned();
    }
    let end = message.floor_char_boundary(MAX_MESSAGE_BYTES - TRUNCATED.len());
    format!("{}{TRUNCATED}", message.get(..end).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn observed(status: ConditionStatus, message: &str, generation: i64) -> Observation<'_> {
        Observation { r#type: "Ready", status, reason: "Because", message, generation }
    }

    #[test]
    fn the_transition_time_moves_only_with_the_status() {
        let mut conditions = vec![];
        let (first, later) = (Time::from_seconds(10), Time::from_seconds(20));
        set(&mut conditions, observed(ConditionStatus::False, "a", 1), first);
        set(&mut conditions, observed(ConditionStatus::False, "b", 1), later);
        assert_eq!(conditions[0].message, "b");
        assert_eq!(conditions[0].last_transition_time, to_wire(first));
        set(&mut conditions, observed(ConditionStatus::True, "b", 1), later);
        assert_eq!(conditions[0].last_transition_time, to_wire(later));
        assert!(is_true(&conditions, "Ready"));
    }

    #[test]
    fn an_older_generation_with_the_same_words_changes_nothing() {
        let mut conditions = vec![];
        set(&mut conditions, observed(ConditionStatus::True, "", 3), Time::from_seconds(1));
        let before = conditions.clone();
        set(&mut conditions, observed(ConditionStatus::True, "", 2), Time::from_seconds(2));
        assert_eq!(conditions, before);
        set(&mut conditions, observed(ConditionStatus::True, "", 4), Time::from_seconds(2));
        assert_eq!(conditions[0].observed_generation, 4);
    }

    #[test]
    fn long_messages_are_cut_between_characters() {
        let mut conditions = vec![];
        let message = "é".repeat(MAX_MESSAGE_BYTES);
        set(&mut conditions, observed(ConditionStatus::Unknown, &message, 0), Time::default());
        assert!(conditions[0].message.len() <= MAX_MESSAGE_BYTES);
        assert!(conditions[0].message.ends_with("é ... (truncated)"));
    }

    #[test]
    fn removing_what_is_not_there_is_fine() {
        let mut conditions = vec![];
        remove(&mut conditions, "Stalled");
        set(&mut conditions, observed(ConditionStatus::True, "", 0), Time::default());
        remove(&mut conditions, "Ready");
        assert!(find(&conditions, "Ready").is_none());
    }
}
