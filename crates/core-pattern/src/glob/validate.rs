//! Whether a glob is well-formed.

/// Checks that classes and alternations are closed, classes are not empty and escapes are complete.
pub(super) fn is_valid(pattern: &[char]) -> bool {
    let mut characters = pattern.iter().copied();
    let mut depth = 0_usize;
    while let Some(character) = characters.next() {
        match character {
            '\\' if characters.next().is_none() => return false,
            '[' if !skip_class(&mut characters) => return false,
            '{' => depth += 1,
            '}' => match depth.checked_sub(1) {
                Some(outer) => depth = outer,
                None => return false,
            },
            _ => {}
        }
    }
    depth == 0
}

/// Consumes a class after its opening bracket; false when it is empty or not closed.
fn skip_class(characters: &mut impl Iterator<Item = char>) -> bool {
    let mut first = characters.next();
    if matches!(first, Some('^' | '!')) {
        first = characters.next();
    }
    match first {
        None | Some(']') => return false,
        Some('\\') if characters.next().is_none() => return false,
        Some(_) => {}
    }
    while let Some(character) = characters.next() {
        match character {
            ']' => return true,
            '\\' if characters.next().is_none() => return false,
            _ => {}
        }
    }
    false
}
