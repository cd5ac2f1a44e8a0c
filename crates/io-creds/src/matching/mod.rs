//! Which Secrets are for a repository: pure rules over labels, data and addresses.
//!
//! Within a namespace a Secret that names the repository exactly comes before one whose expression
//! matches it, and Secrets of one sort come by name. The Secrets of a namespace are kept in a
//! [`Book`], by kind and normal form, so that a lookup does not grow with their number.

mod address;
mod book;
mod entry;
mod material;
#[cfg(test)]
mod tests;

pub(crate) use self::{
    address::Address,
    book::Book,
    entry::{Entry, Unusable},
    material::Material,
};
