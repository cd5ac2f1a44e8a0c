//! Every decision of the domain exists once, here, as a pure function of plain values.
//!
//! Controllers, admission, REST and command line ask these functions; none of them reads a clock,
//! draws randomness or talks to anything. Time and entropy arrive as arguments.
//!
//! One module per noun: names and identities of [`freight`] and [`promotion`]s, aliases of
//! [`step`]s, what [`actor`]s are called, which [`stage`]s an Application trusts, the [`request`]s
//! people leave in annotations, the addresses of webhook [`receiver`]s, the contents of
//! [`replica`]s, what a [`subscription`] is interested in.

pub mod actor;
mod digest;
pub mod freight;
pub mod promotion;
pub mod receiver;
pub mod replica;
pub mod request;
pub mod shorten;
pub mod stage;
pub mod step;
pub mod subscription;
pub mod ulid;
