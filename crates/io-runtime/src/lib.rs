//! The process as the ports of `core-clock` see it: the only crate that reads the clock, entropy or the environment.

pub mod telemetry;

mod blocking;
mod clock;
mod entropy;
mod environment;
mod process;
mod shutdown;
mod tasks;

pub use blocking::blocking;
pub use clock::SystemClock;
pub use entropy::SystemEntropy;
pub use environment::SystemEnvironment;
pub use process::ProcessFigures;
pub use shutdown::stop_signal;
pub use tasks::TaskGroup;
