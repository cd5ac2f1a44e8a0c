//! Classes of characters, and upper and lower case one character at a time.

use unicode_properties::{GeneralCategory, GeneralCategoryGroup, UnicodeGeneralCategory as _};

use crate::text::{Characters, Text};

/// Whether a character is a letter; marks and letter-like numbers are not.
pub(crate) fn is_letter(character: char) -> bool {
    character.is_ascii_alphabetic()
        || (!character.is_ascii()
            && character.general_category_group() == GeneralCategoryGroup::Letter)
}

/// Whether a character is a decimal digit of some script.
pub(crate) fn is_digit(character: char) -> bool {
    character.is_ascii_digit()
        || (!character.is_ascii() && character.general_category() == GeneralCategory::DecimalNumber)
}

/// The text in upper case.
pub(crate) fn to_upper(text: &Text) -> Text {
    map(text, upper)
}

/// The text in lower case.
pub(crate) fn to_lower(text: &Text) -> Text {
    map(text, lower)
}

fn map(text: &Text, change: fn(char) -> char) -> Text {
    let mut changed = String::with_capacity(text.len());
    for (_, character) in Characters::new(text.as_bytes()) {
        changed.push(character.map_or(char::REPLACEMENT_CHARACTER, change));
    }
    changed.into()
}

/// Characters that only have an upper case of several characters stay as they are, except Greek
/// letters with iota, whose simple upper case is their title case.
fn upper(character: char) -> char {
    let mut upper = character.to_uppercase();
    match (upper.next(), upper.next()) {
        (Some(single), None) => single,
        _ => greek_title(character),
    }
}

fn greek_title(character: char) -> char {
    let offset = match u32::from(character) {
        0x1F80..=0x1F87 | 0x1F90..=0x1F97 | 0x1FA0..=0x1FA7 => 8,
        0x1FB3 | 0x1FC3 | 0x1FF3 => 9,
        _ => 0,
    };
    char::from_u32(u32::from(character) + offset).unwrap_or(character)
}

fn lower(character: char) -> char {
    character.to_lowercase().next().unwrap_or(character)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn case_changes_one_character_at_a_time() {
        assert_eq!(to_upper(&Text::from("héllo ß ŉ ᾳ")), Text::from("HÉLLO ß ŉ ᾼ"));
        assert_eq!(to_lower(&Text::from("İÉΣ")), Text::from("iéσ"));
    }

    #[test]
    fn letters_and_digits_are_those_of_unicode_categories() {
        assert!(is_letter('é') && is_letter('日') && !is_letter('\u{345}') && !is_letter('1'));
        assert!(is_digit('٣') && !is_digit('²'));
    }
}
