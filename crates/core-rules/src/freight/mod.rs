//! Freight: what it is called.

mod alias;
mod name;

pub use alias::choose_alias;
pub use name::{Contents, collection_id, freight_name};
