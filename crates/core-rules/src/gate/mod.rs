//! The gate: whether Freight may enter a Stage, and why not.
//!
//! One place decides it for everybody who asks: a person who promotes by hand, automatic promotion,
//! and the queue that starts Promotions. [`judge`] answers with a list of named [`Check`]s. Each
//! says for which [`Question`]s it counts, so that what stops a machine (a hold, a fresher piece)
//! never stops a person. [`availability`] is the part that concerns Freight and Stage alone, without
//! the sentences, for those who look at many pieces at once.

mod answer;
mod arrival;
mod auto;
mod check;
mod list;
#[cfg(test)]
mod properties;
mod queue;
mod route;
mod sentence;
mod situation;
#[cfg(test)]
mod tests;

pub use answer::Answer;
pub use arrival::{Arrival, PassingStages};
pub use check::{Check, CheckName, Question, Verdict};
pub use list::{MissingWarehouse, available, next_opening, require_warehouses, selectable};
pub(crate) use queue::{Passage, passage};
pub(crate) use route::is_matching_upstream;
pub use route::{Availability, availability, matches_upstream};
pub use situation::{AutoView, Permission, QueueView, Situation};

/// Answers for one piece of Freight and one Stage at one time.
pub fn judge(situation: &Situation<'_>) -> Answer {
    let mut checks = sentence::route_checks(&situation.arrival);
    checks.push(sentence::window_check(situation.window));
    checks.push(sentence::permission_check(&situation.arrival, &situation.permission));
    let mut asked = vec![Question::Enter];
    if let Some(view) = &situation.auto {
        checks.extend(auto::checks(&situation.arrival, view));
        asked.push(Question::Auto);
    }
    if let Some(view) = &situation.queue {
        checks.push(queue::check(&situation.arrival, view));
        asked.push(Question::Start);
    }
    Answer::new(asked, checks)
}
