//! YAML files: scalars replaced in place, documents merged, documents read.
//!
//! The parser tells where every value stands, so an update is a change of a few bytes. Only the first document of
//! a file counts. Texts are read as Kubernetes tools read them, by YAML 1.1; what is written means the same by 1.2.

mod merge;
mod quote;
mod reader;
mod scalar;
mod tree;
mod update;
mod value;

use granit_parser::ScalarStyle;
use serde_json::Value;

use crate::EditError;

pub use merge::{MergeError, merge};
pub use quote::message_text;
pub use update::update;

pub(crate) use quote::{Place, write_text};
pub(crate) use reader::read;
pub(crate) use tree::{Content, Document, Entry, Node, line_start};

/// Reads the first document. Only comments are null; a file with nothing in it is refused.
pub fn parse(text: &str) -> Result<Value, EditError> {
    if text.is_empty() {
        return Err(EditError::Empty);
    }
    value::value(&read(text)?)
}

/// Whether a plain scalar is read as a text.
pub(crate) fn is_text(plain: &str) -> bool {
    scalar::plain(plain).is_ok_and(|value| value.is_string())
}

/// Whether a key is `<<`, which brings the members of other mappings.
fn is_merge_key(key: &Node<'_>) -> bool {
    matches!(&key.content, Content::Scalar { text, style: ScalarStyle::Plain } if text == "<<")
        && key.tag.is_none()
}

#[cfg(test)]
mod tests;
