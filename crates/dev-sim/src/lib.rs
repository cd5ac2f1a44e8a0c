//! Simulation: the whole control plane in one thread, decided by a seed.
//!
//! A [`Scenario`] has components, actors and invariants. A run plays it on the embedded API server with a clock that moves
//! only when nothing else is left to do, while connections break, watches lag, disks refuse and processes die: see
//! [`Fault`]. The same seed gives the same run, byte for byte in the audit log, so that a failure found once can be looked
//! at as often as needed. [`Sim`] runs a scenario over many seeds and names the one that fails.
//!
//! The parts: `executor` draws the next task; `driver` moves tasks and time; `director` is the course of a run; `nemesis`
//! ends processes, `wire` breaks connections, `disk` cuts writes off; `engine` is the server that survives them, and
//! `gatekeeper` is the admission inside it.

mod clock;
mod dice;
mod director;
mod disk;
mod driver;
mod engine;
mod executor;
mod faults;
mod gatekeeper;
mod ledger;
mod nemesis;
mod process;
mod scenario;
mod sim;
mod story;
mod view;
mod wire;
mod world;

pub use dice::Dice;
pub use faults::{Fault, Rates};
pub use gatekeeper::ServerCx;
pub use process::ProcessCx;
pub use scenario::Scenario;
pub use sim::{Failure, Run, SeedError, Sim, Simulation};
pub use view::View;
pub use wire::Broken;
