//! Promotions and what belongs to them: how they are called, whose turn it is, what is to be done about them, what
//! came of them.

mod attempt;
mod filter;
mod inflate;
mod lifecycle;
mod log;
mod name;
mod order;
mod outcome;
mod outset;
#[cfg(test)]
mod tests;

pub use attempt::Attempt;
pub use filter::PromotionFilter;
pub use inflate::{InflateError, InflateProblem, Task, inflate, referenced_tasks};
pub use lifecycle::{Abort, Decision, Observation, decide, ended, unhandled_refresh};
pub use log::{find_log, log_data, log_name};
pub use name::{analysis_run_name, child_promotion_name, promotion_name, promotion_request_name};
pub use order::{Sequence, compare_in_queue, is_current_step_running};
pub use outcome::reduce_to_outcome;
pub use outset::{outset, reference, reverification};
