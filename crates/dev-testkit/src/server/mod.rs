//! Real servers of the outside world, started and stopped by the test that needs them.

pub mod registry;
