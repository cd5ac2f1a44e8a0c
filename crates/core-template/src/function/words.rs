//! Texts of several words: other ways to join them, and lines.

use gotmpl::Value;

use super::{Call, Table};

pub(super) const TABLE: Table = &[
    ("snakecase", |call| Ok(words(&call.text(0)?).join("_").into())),
    ("kebabcase", |call| Ok(words(&call.text(0)?).join("-").into())),
    ("camelcase", |call| {
        let capitalized = |word: &String| {
            let mut letters = word.chars();
            let first: String = letters.next().into_iter().flat_map(char::to_uppercase).collect();
            first + letters.as_str()
        };
        Ok(words(&call.text(0)?).iter().map(capitalized).collect::<String>().into())
    }),
    ("swapcase", |call| {
        let swapped = |letter: char| -> String {
            if letter.is_lowercase() {
                letter.to_uppercase().collect()
            } else {
                letter.to_lowercase().collect()
            }
        };
        Ok(call.text(0)?.chars().map(swapped).collect::<String>().into())
    }),
    ("wrap", |call| wrapped(call, 1, "\n")),
    ("wrapWith", |call| wrapped(call, 2, &call.text(1)?)),
];

/// The words of a text in small letters: separated by what is no letter or digit, and where small
/// letters are followed by a capital.
fn words(text: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let mut is_new = true;
    let mut was_small = false;
    for letter in text.chars() {
        if !letter.is_alphanumeric() {
            is_new = true;
            continue;
        }
        if is_new || (was_small && letter.is_uppercase()) {
            words.push(String::new());
        }
        if let Some(word) = words.last_mut() {
            word.extend(letter.to_lowercase());
        }
        is_new = false;
        was_small = !letter.is_uppercase();
    }
    words
}

/// Breaks a text into lines between words.
fn wrapped(call: &Call<'_>, index: usize, separator: &str) -> Result<Value, String> {
    let (width, text) = (call.size(0)?, call.text(index)?);
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        match lines.last_mut() {
            Some(line) if line.chars().count() + 1 + word.chars().count() <= width => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    if lines.len().saturating_mul(separator.len()) > crate::MAX_OUTPUT {
        return Err("the text is too long".to_owned());
    }
    Ok(lines.join(separator).into())
}
