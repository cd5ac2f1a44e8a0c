//! The name somebody may have meant.

/// More differences than this are another word.
const MAX_DISTANCE: usize = 2;

/// The most similar of some names, if any is similar at all.
pub(super) fn nearest<'a>(name: &str, names: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let near = names.map(|candidate| (distance(name, candidate), candidate));
    near.filter(|(distance, _)| *distance <= MAX_DISTANCE).min().map(|(_, candidate)| candidate)
}

/// How many letters must be added, removed or replaced to get from one word to the other.
fn distance(from: &str, to: &str) -> usize {
    let mut row: Vec<usize> = (0..=to.chars().count()).collect();
    for (line, letter) in from.chars().enumerate() {
        let mut diagonal = line;
        let mut left = line + 1;
        if let Some(first) = row.first_mut() {
            *first = left;
        }
        for (cell, other) in row.iter_mut().skip(1).zip(to.chars()) {
            let replaced = diagonal + usize::from(letter != other);
            diagonal = *cell;
            left = replaced.min(diagonal + 1).min(left + 1);
            *cell = left;
        }
    }
    row.last().copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::{distance, nearest};

    #[test]
    fn the_distance_counts_changes_of_letters() {
        for (from, to, expected) in [
            ("", "", 0),
            ("", "abc", 3),
            ("abc", "", 3),
            ("git-clone", "git-clon", 1),
            ("kitten", "sitting", 3),
        ] {
            assert_eq!(distance(from, to), expected, "{from} {to}");
        }
    }

    #[test]
    fn only_similar_names_are_suggested() {
        let names = ["git-clone", "git-clear", "copy"];
        assert_eq!(nearest("git-clome", names.into_iter()), Some("git-clone"));
        assert_eq!(nearest("something", names.into_iter()), None);
    }
}
