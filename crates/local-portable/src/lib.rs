//! The state of a control plane in a form that either engine takes.
//!
//! [`collect`] reads everything that belongs to an installation at one moment into a [`Collection`]; [`archive::write`]
//! and [`archive::read`] keep it in a file; [`restore`](restore::restore) puts it into another control plane whose
//! controllers stand still; [`compare`] tells what differs afterwards.
//!
//! What makes this more than copying: uids change, so owner references are written anew; a status is written on its own,
//! so a Promotion must never be seen without it; admission would rename and refuse, so it is taken out for the time; and
//! a restore that was killed is gone on with by running it again.

pub mod archive;
mod collect;
mod collection;
mod compare;
mod content;
mod error;
mod object;
mod requests;
mod resource;
pub mod restore;
mod selection;

pub use collect::{CollectOptions, collect};
pub use collection::{Collection, LeftOut, Origin};
pub use compare::{Comparison, compare};
pub use error::Error;
pub use resource::{RESOURCES, Resource};
pub use selection::Namespaces;
