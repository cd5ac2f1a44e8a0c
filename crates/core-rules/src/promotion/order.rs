//! Which Promotion of a Stage is older, and which one's turn it is.

use std::cmp::Ordering;

use api_kinds::Promotion;
use api_kinds::promotion::{PromotionPhase, PromotionStatus, PromotionStepStatus};

const ULID_LENGTH: usize = 26;

/// The place of a Promotion in the order of creation, read from its name.
///
/// The identifier within the name decides, not the text before it: with the text first, Promotions
/// to different Targets of one Stage would sort by Target. Names without an identifier come first,
/// by their text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Sequence<'a> {
    identifier: Option<&'a str>,
    name: &'a str,
}

impl<'a> Sequence<'a> {
    /// The place of the Promotion of this name.
    pub fn of_name(name: &'a str) -> Self {
        let identifier = name.rsplit('.').nth(1).filter(|part| is_identifier(part));
        Self { identifier, name }
    }

    /// The place of this Promotion.
    pub fn of(promotion: &'a Promotion) -> Self {
        Self::of_name(promotion.metadata.name.as_deref().unwrap_or_default())
    }
}

fn is_identifier(part: &str) -> bool {
    part.len() == ULID_LENGTH
        && part.bytes().all(|byte| byte.is_ascii_digit() || byte.is_ascii_lowercase())
}

/// The order of a Stage's Promotions: the running ones, those that wait with the oldest first, and
/// those that ended with the newest first.
pub fn compare_in_queue(left: &Promotion, right: &Promotion) -> Ordering {
    let (left_class, right_class) = (class(&left.status.phase), class(&right.status.phase));
    let by_age = Sequence::of(left).cmp(&Sequence::of(right));
    let within = if left_class == Class::Ended { by_age.reverse() } else { by_age };
    left_class.cmp(&right_class).then(within)
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Class {
    Running,
    Waiting,
    Ended,
}

fn class(phase: &PromotionPhase) -> Class {
    match phase {
        PromotionPhase::Running => Class::Running,
        phase if phase.is_terminal() => Class::Ended,
        _ => Class::Waiting,
    }
}

/// Whether the Promotion is inside a step: the newest record is the current step's and says so.
pub fn is_current_step_running(status: &PromotionStatus) -> bool {
    let records = &status.step_execution_metadata;
    status.phase == PromotionPhase::Running
        && i64::try_from(records.len()).is_ok_and(|count| count == status.current_step + 1)
        && records.last().is_some_and(|record| record.status == PromotionStepStatus::Running)
}

#[cfg(test)]
mod tests {
    use api_kinds::promotion::PromotionStatus;
    use serde_json::json;

    use super::{Sequence, is_current_step_running};

    #[test]
    fn the_identifier_decides_before_the_target() {
        let older = "prod.zurich.01h00000000000000000000000.abc1234";
        let newer = "prod.aarau.01h00000000000000000000001.abc1234";
        assert!(Sequence::of_name(older) < Sequence::of_name(newer));
    }

    #[test]
    fn names_without_an_identifier_sort_by_their_text() {
        assert!(Sequence::of_name("prod.01.abc") < Sequence::of_name("prod.02.abc"));
        assert!(Sequence::of_name("zzz") < Sequence::of_name("a.01h00000000000000000000000.b"));
    }

    #[test]
    fn only_a_running_record_of_the_current_step_counts() {
        let status = |current: i64, statuses: &[&str]| -> PromotionStatus {
            let records: Vec<_> = statuses.iter().map(|status| json!({"status": status})).collect();
            let status = json!({
                "phase": "Running", "currentStep": current, "stepExecutionMetadata": records,
            });
            serde_json::from_value(status).unwrap()
        };
        assert!(is_current_step_running(&status(1, &["Succeeded", "Running"])));
        assert!(!is_current_step_running(&status(1, &["Running"])));
        assert!(!is_current_step_running(&status(0, &["Errored"])));
        assert!(!is_current_step_running(&status(-1, &[])));
    }
}
