//! How the record of a piece of Freight grows. First times win: repeating a change changes nothing.

use api_kinds::freight::{ApprovedStage, CurrentStage, FreightStatus, VerifiedStage};
use core_clock::Time;
use serde_json::Value;
use std::collections::BTreeMap;

use crate::wire_time::{from_wire, to_wire};

/// A note cannot be left.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MetadataError {
    /// Notes are found by their keys.
    #[error("key must not be empty")]
    EmptyKey,
}

/// The Freight entered the Stage.
pub fn add_stay(status: &mut FreightStatus, stage: &str, at: Time) {
    let stay = CurrentStage { since: Some(to_wire(at)) };
    status.currently_in.entry(stage.to_owned()).or_insert(stay);
}

/// The Freight left the Stage. The stay is remembered when it was the longest of a verified piece.
pub fn end_stay(status: &mut FreightStatus, stage: &str, at: Time) {
    let Some(stay) = status.currently_in.remove(stage) else { return };
    if let (Some(verified), Some(since)) = (status.verified_in.get_mut(stage), stay.since) {
        let length = at.since(from_wire(&since)).into();
        let longest = &mut verified.longest_completed_soak;
        *longest = Some(longest.map_or(length, |known| known.max(length)));
    }
}

/// The Freight passed verification in the Stage.
pub fn add_verification(status: &mut FreightStatus, stage: &str, at: Time) {
    let verified = VerifiedStage { verified_at: Some(to_wire(at)), ..VerifiedStage::default() };
    status.verified_in.entry(stage.to_owned()).or_insert(verified);
}

/// Somebody approved the Freight for the Stage.
pub fn add_approval(status: &mut FreightStatus, stage: &str, at: Time) {
    let approved = ApprovedStage { approved_at: Some(to_wire(at)) };
    status.approved_for.entry(stage.to_owned()).or_insert(approved);
}

/// Leaves a note on Freight or Stage, in place of one with the same key.
pub fn put_metadata(
    notes: &mut BTreeMap<String, Value>,
    key: &str,
    value: Value,
) -> Result<(), MetadataError> {
    if key.is_empty() {
        return Err(MetadataError::EmptyKey);
    }
    notes.insert(key.to_owned(), value);
    Ok(())
}

#[cfg(test)]
mod tests {
    use api_kinds::Duration;
    use api_kinds::freight::FreightStatus;
    use core_clock::Time;

    use super::{add_stay, add_verification, end_stay, put_metadata};

    fn at(minute: i64) -> Time {
        Time::from_seconds(60 * minute)
    }

    #[test]
    fn the_first_time_wins() {
        let mut status = FreightStatus::default();
        add_stay(&mut status, "test", at(1));
        let once = status.clone();
        add_stay(&mut status, "test", at(2));
        assert_eq!(status, once);
    }

    #[test]
    fn only_a_longer_stay_of_a_verified_piece_is_remembered() {
        let mut status = FreightStatus::default();
        let stay = |status: &mut FreightStatus, minutes: i64| {
            add_stay(status, "test", at(0));
            end_stay(status, "test", at(minutes));
            assert!(status.currently_in.is_empty());
            status.verified_in.get("test").and_then(|verified| verified.longest_completed_soak)
        };
        assert_eq!(stay(&mut status, 9), None);
        add_verification(&mut status, "test", at(0));
        assert_eq!(stay(&mut status, 5), Some(Duration::from_secs(300)));
        assert_eq!(stay(&mut status, 3), Some(Duration::from_secs(300)));
        assert_eq!(stay(&mut status, 7), Some(Duration::from_secs(420)));
    }

    #[test]
    fn a_note_needs_a_key() {
        let mut status = FreightStatus::default();
        assert!(put_metadata(&mut status.metadata, "", 1.into()).is_err());
        assert!(put_metadata(&mut status.metadata, "a", 1.into()).is_ok());
    }
}
