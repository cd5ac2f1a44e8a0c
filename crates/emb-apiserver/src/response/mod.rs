//! Writing replies in the form that was negotiated.

mod body;
mod gzip;
mod list;
pub(crate) mod shape;
mod write;

pub use body::Body;
pub(crate) use gzip::compress;
pub(crate) use write::{document, plain_text, reply, status, table, value};
