//! Times, zones and durations with upstream's layouts and methods.

mod duration;
mod format;
mod layout;
mod moment;
mod parse;
mod scan;
mod zone;

pub(crate) use duration::{format_duration, parse_duration, round_duration, truncate_duration};
pub(crate) use format::format;
pub use moment::Moment;
pub(crate) use moment::{Calendar, month_name, weekday_name};
pub(crate) use parse::{looks_like_time, parse, parse_any};
pub use zone::Zone;

/// Nanoseconds of a second.
pub(crate) const SECOND: i64 = 1_000_000_000;
