//! Holds our rules to results computed with upstream.
//!
//! A *family* is one file of cases; its runner turns the inputs of a case into an [`Answer`], and
//! the comparison is the same for all. Where ours does better on purpose, a named [`Exception`]
//! says so and is counted. To add a family, write one file in `families/` and one line in
//! [`FAMILIES`].

mod answer;
mod case;
mod exception;
mod families;
mod folder;
mod report;

pub use answer::Answer;
pub use case::Case;
pub use exception::Exception;
pub use families::{FAMILIES, Family};
pub use folder::{Folder, FolderError};
pub use report::{Failure, Report, run};

#[cfg(test)]
mod tests;
