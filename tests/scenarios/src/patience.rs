//! Waiting for what other processes do.

use std::time::Duration;

use dev_testkit::Patience;

/// How long something may take on a machine that has other things to do.
pub(crate) const PATIENCE: Patience = Patience::of(Duration::from_mins(1));
