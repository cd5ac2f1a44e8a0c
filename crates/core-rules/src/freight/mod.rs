//! Freight: what it is called, how old it is, and how far it got.

mod age;
mod alias;
mod name;
mod soak;
mod status;

pub use age::{compare_age, discovered_at};
pub use alias::choose_alias;
pub use name::{Contents, collection_id, freight_name};
pub use soak::{Residence, Soak};
pub use status::{MetadataError, add_approval, add_stay, add_verification, end_stay, put_metadata};
