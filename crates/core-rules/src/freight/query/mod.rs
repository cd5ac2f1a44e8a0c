//! The Freight of a Project as clients ask for it: selected, put into groups, sorted.
//!
//! Upstream's comparison by tag is no order across repositories, and it looks at the first image of
//! a piece whatever the group is about. Here each entry of a group stands for the artifact that put
//! it there, and entries compare by the version of that artifact, then by its text, by age and by
//! name: always the same order, whatever order they came in.

mod arrange;
mod parameters;
mod select;
#[cfg(test)]
mod tests;

pub use arrange::Groups;
pub use parameters::{Grouping, Order, Parameters, Query, QueryError};
pub use select::{SelectError, available_to, of_origins};
