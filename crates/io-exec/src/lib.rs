//! Child processes with deadlines and whole-group kills, and work directories.
//!
//! Every program that is run leads a process group of its own, sees only the environment it was given, and is always
//! reaped: whoever gives up on it (a deadline, a stall, a cancelled caller, the end of the process) ends its whole group.
//! What it printed reaches an error only bounded, cleaned and without the secrets it was handed.

mod activity;
pub mod archive;
mod capture;
mod command;
mod confine;
mod error;
mod exec;
mod group;
mod ignore_rules;
mod jail;
mod program;
mod redact;
mod supervise;
mod work_dir;

pub use command::{Command, Input, Limits, Output};
pub use confine::Confinement;
pub use error::Error;
pub use exec::{Exec, Finished, Running};
pub use ignore_rules::IgnoreRules;
pub use jail::{Descend, Entry, FileKind, Jail, JailError, Metadata, NewFile};
pub use program::find_program;
pub use redact::Redactor;
pub use work_dir::WorkDir;
