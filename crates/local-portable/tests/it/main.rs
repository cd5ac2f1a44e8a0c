//! Control planes that are saved and restored, on the embedded engine in process.

#![allow(clippy::disallowed_methods, reason = "tests run on the real clock and runtime")]

mod interruption;
mod refusal;
mod round_trip;
mod world;
