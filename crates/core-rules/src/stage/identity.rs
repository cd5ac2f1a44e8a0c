//! What verifications and their AnalysisRuns are called.
//!
//! Names follow from what caused a verification. A process that dies after it created an AnalysisRun
//! leaves one that the next process finds, and the same Freight that comes back later is verified
//! anew.

use core_clock::Time;
use sha2::{Digest as _, Sha256};

use crate::promotion::analysis_run_name;
use crate::ulid::Ulid;

/// What a verification and its AnalysisRun are called.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct VerificationIdentity {
    /// Identifies the verification; in the form of a UUID.
    pub(super) id: String,
    /// Name for the AnalysisRun.
    pub(super) run_name: String,
}

/// What a verification follows from.
#[derive(Clone, Copy, Debug)]
pub(super) struct VerificationCause<'a> {
    /// Name of the Stage.
    pub(super) stage: &'a str,
    /// Identity of the Stage.
    pub(super) stage_uid: &'a str,
    /// Identity of what is verified.
    pub(super) collection: &'a str,
    /// The Promotion that brought it, or the verification that is repeated.
    pub(super) trigger: &'a str,
    /// When that was.
    pub(super) at: Time,
}

impl VerificationIdentity {
    /// What follows from the cause.
    pub(super) fn of(cause: &VerificationCause<'_>) -> Self {
        let text = [cause.stage_uid, cause.collection, cause.trigger].join("\n");
        let digest = Sha256::digest(text);
        let number = |bytes: &[u8]| {
            bytes.iter().fold(0_u128, |number, byte| (number << 8) | u128::from(*byte))
        };
        let (first, second) = digest.split_at(16);
        let milliseconds = u64::try_from(cause.at.as_millis()).unwrap_or_default();
        let ulid = Ulid::from_parts(milliseconds, number(second));
        let run_name = analysis_run_name(cause.stage, cause.collection, ulid).unwrap_or_default();
        Self { id: uuid(number(first)), run_name }
    }
}

/// The number as a UUID of version 8, which is for makers' own rules.
fn uuid(number: u128) -> String {
    const VERSION: u128 = 0xf << 76;
    const VARIANT: u128 = 0b11 << 62;
    let marked = (number & !VERSION & !VARIANT) | (8 << 76) | (0b10 << 62);
    let digits = format!("{marked:032x}");
    let part = |from: usize, to: usize| digits.get(from..to).unwrap_or_default();
    [part(0, 8), part(8, 12), part(12, 16), part(16, 20), part(20, 32)].join("-")
}

#[cfg(test)]
mod tests {
    use core_clock::Time;

    use super::{VerificationCause, VerificationIdentity, uuid};

    fn identity(trigger: &str, seconds: i64) -> VerificationIdentity {
        VerificationIdentity::of(&VerificationCause {
            stage: "prod",
            stage_uid: "u",
            collection: "0123456789",
            trigger,
            at: Time::from_seconds(seconds),
        })
    }

    #[test]
    fn the_same_cause_has_the_same_names() {
        assert_eq!(identity("p1", 7), identity("p1", 7));
        assert_ne!(identity("p1", 7).id, identity("p2", 7).id);
        assert_ne!(identity("p1", 7).run_name, identity("p2", 7).run_name);
    }

    #[test]
    fn names_of_runs_sort_by_time_and_end_in_what_they_verify() {
        let (earlier, later) = (identity("p2", 7), identity("p1", 8));
        assert!(earlier.run_name < later.run_name);
        assert!(later.run_name.starts_with("prod.") && later.run_name.ends_with(".0123456"));
    }

    #[test]
    fn identities_have_the_form_of_a_uuid() {
        assert_eq!(uuid(0), "00000000-0000-8000-8000-000000000000");
        assert_eq!(uuid(u128::MAX), "ffffffff-ffff-8fff-bfff-ffffffffffff");
    }
}
