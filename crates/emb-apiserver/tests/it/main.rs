//! The server as its clients see it: HTTP requests to the tower service, on a store in memory and a clock that stands
//! still.

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "tests")]

mod crud;
mod world;
