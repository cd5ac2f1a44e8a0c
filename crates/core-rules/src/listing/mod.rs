//! Lists as clients ask for them: which objects, what of them, and how many at once.
//!
//! The words are those of Kubernetes: `labelSelector`, `fieldSelector`, `limit` and `continue`.
//! `fields` is our own: an object can be long, and most of it is not looked at in a list.

mod card;
mod field;
mod label;
mod page;
mod view;

pub use field::FieldSelector;
pub use label::LabelSelector;
pub use page::{Page, Portion};
pub use view::View;

use crate::fault::{Class, Fault};

/// What is wrong with the parameters of a list.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ListingError {
    /// A part of the label selector is none.
    #[error("labelSelector: {0:?} is no requirement")]
    Label(String),
    /// A part of the field selector is none.
    #[error("fieldSelector: {0:?} is no requirement")]
    Field(String),
    /// A path of `fields` is none.
    #[error("fields: {0:?} is neither a path nor \"card\"")]
    Path(String),
    /// A list of requirements or paths that nobody needs.
    #[error("{0}: too many parts")]
    TooMany(&'static str),
    /// The limit is no number.
    #[error("limit: {0:?} is no number")]
    Limit(String),
    /// What was sent as `continue` was not given out here.
    #[error("continue: {0:?} was not given out by this server")]
    Continue(String),
}

impl Fault for ListingError {
    fn class(&self) -> Class {
        Class::BadRequest
    }
}
