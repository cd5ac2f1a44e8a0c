//! Promotions and what belongs to them: how they are called, whose turn it is, what came of them.

mod attempt;
mod inflate;
mod name;
mod order;

pub use attempt::Attempt;
pub use inflate::{InflateError, InflateProblem, Task, inflate, referenced_tasks};
pub use name::{analysis_run_name, child_promotion_name, promotion_name, promotion_request_name};
pub use order::{Sequence, compare_in_queue, is_current_step_running};
