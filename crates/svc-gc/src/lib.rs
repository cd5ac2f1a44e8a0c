//! The garbage collector: deletes what no Stage, Promotion or person needs any more.
//!
//! What goes is decided in `core-rules` ([`core_rules::retention`]). Here every Project is looked
//! at in pages, a few Projects at a time, and what the plan names is deleted at a bounded rate,
//! each object only if it is still as it was when it was looked at. Trouble in one Project stops
//! no other.
//!
//! [`Collector::collect`] is one run, as a CronJob starts it; [`run_scheduled`] repeats it inside a
//! longer-lived process.

mod analysis_run;
mod collector;
mod limiter;
mod metrics;
mod project;
mod report;
mod request;
mod schedule;
mod settings;

pub use collector::Collector;
pub use metrics::Metrics;
pub use report::{Failure, Incomplete, Item, Report};
pub use request::RequestError;
pub use schedule::run_scheduled;
pub use settings::{Mode, Settings};
