//! Promotions and what belongs to them: how they are called.

mod name;

pub use name::{analysis_run_name, child_promotion_name, promotion_name, promotion_request_name};
