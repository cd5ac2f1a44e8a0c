//! JSON as upstream reads and writes it.

mod read;
mod write;

pub(crate) use read::read;
pub(crate) use write::{write, write_indented};
