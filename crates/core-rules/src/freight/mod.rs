//! Freight: what it is called, how old it is, how far it got, and how clients ask for it.

mod age;
mod alias;
mod alias_change;
mod name;
pub mod query;
mod soak;
mod status;

pub use age::{compare_age, discovered_at};
pub use alias::choose_alias;
pub use alias_change::{AliasError, FreightNotFound, change_alias, check_alias};
pub use name::{Contents, collection_id, freight_name};
pub use soak::{Residence, Soak};
pub use status::{MetadataError, add_approval, add_stay, add_verification, end_stay, put_metadata};
