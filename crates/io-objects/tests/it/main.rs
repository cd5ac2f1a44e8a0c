//! Places for objects as they are used: a bucket behind HTTP that checks signatures, and a directory.

#![allow(clippy::unwrap_used, reason = "tests fail by panicking")]

mod bucket;
mod directory;
