//! The ports through which every decision, service and store sees the outside world: time, entropy, environment and tasks.
//!
//! Real versions live in `io-runtime`. The versions here are deterministic: the same seed and the same calls give the same
//! run, which is what makes simulation and replay possible.

mod clock;
mod entropy;
mod environment;
mod settings;
mod tasks;
mod time;

pub use clock::{Clock, ManualClock, Sleep};
pub use entropy::{Entropy, SeededEntropy};
pub use environment::{Environment, FixedEnvironment};
pub use settings::{SettingError, Variables};
pub use tasks::{BoxTask, Tasks};
pub use time::{ParseTimeError, Time};
