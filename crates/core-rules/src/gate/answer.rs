//! All checks together, and what they amount to for each question.

use core_clock::Time;

use super::check::{Check, Question, Verdict};

/// What the gate says about one piece of Freight and one Stage.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    asked: Vec<Question>,
    checks: Vec<Check>,
}

impl Answer {
    pub(super) fn new(asked: Vec<Question>, checks: Vec<Check>) -> Self {
        Self { asked, checks }
    }

    /// Every check, in the order in which a person would go through them.
    pub fn checks(&self) -> &[Check] {
        &self.checks
    }

    /// Whether the situation said enough to answer the question.
    pub fn is_answered(&self, question: Question) -> bool {
        self.asked.contains(&question)
    }

    /// Whether the answer is yes. A question that was not asked is never answered with yes.
    pub fn allows(&self, question: Question) -> bool {
        self.is_answered(question) && self.refusals(question).next().is_none()
    }

    /// The checks that say no.
    pub fn refusals(&self, question: Question) -> impl Iterator<Item = &Check> {
        self.counting(question).filter(|check| check.verdict == Verdict::Refused)
    }

    /// When the answer will change by the passing of time alone: a no when the last check that
    /// says no changes, a yes as soon as one that says yes does.
    pub fn changes_at(&self, question: Question) -> Option<Time> {
        if self.allows(question) {
            return self.counting(question).filter_map(|check| check.changes_at).min();
        }
        let times: Option<Vec<Time>> =
            self.refusals(question).map(|check| check.changes_at).collect();
        times?.into_iter().max()
    }

    fn counting(&self, question: Question) -> impl Iterator<Item = &Check> {
        self.checks.iter().filter(move |check| check.counts_for(question))
    }
}
