//! Addresses of repositories: their clean-up and their normal forms.
//!
//! Normal forms answer "is this the same repository?" and are part of Freight names, so they follow
//! upstream to the byte, oddities included. What has no normal form is returned as it came.

mod chart;
mod git;
mod image;
mod percent;
mod uri;

use unicode_properties::{GeneralCategoryGroup, UnicodeGeneralCategory as _};

pub use self::chart::normalize_chart;
pub use self::git::normalize_git;
pub use self::image::{ImageRepository, normalize_image};
pub use self::uri::{Uri, UriError};

/// The longest text that is treated as an address.
pub const MAX_URL_BYTES: usize = 8 * 1024;

/// Drops what cannot be seen (tabs, newlines, byte order marks, zero-width and no-break spaces)
/// anywhere, and blanks around the text.
pub fn sanitize(text: &str) -> String {
    let visible: String = text.chars().filter(|character| is_printable(*character)).collect();
    visible.trim().to_owned()
}

/// Letters, marks, numbers, punctuation, symbols and the ASCII space.
fn is_printable(character: char) -> bool {
    use GeneralCategoryGroup::{Letter, Mark, Number, Punctuation, Symbol};
    character == ' '
        || matches!(
            character.general_category_group(),
            Letter | Mark | Number | Punctuation | Symbol
        )
}

/// Lower case, one character for one: what has no single lower-case character loses its dot.
fn lower(text: &str) -> String {
    text.chars().map(|character| character.to_lowercase().next().unwrap_or(character)).collect()
}

#[cfg(test)]
mod tests;
