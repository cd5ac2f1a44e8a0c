//! Replacing ranges of a text.

use std::ops::Range;

/// A range of bytes and what comes in its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Splice {
    pub(crate) range: Range<usize>,
    pub(crate) text: String,
}

impl Splice {
    pub(crate) fn new(range: Range<usize>, text: impl Into<String>) -> Self {
        Self { range, text: text.into() }
    }
}

/// The text with every splice made. Of splices that begin at the same place the last one counts; ranges lie on
/// character boundaries and do not overlap, a splice that breaks this is left out.
pub(crate) fn splice(text: &str, mut splices: Vec<Splice>) -> String {
    splices.sort_by_key(|splice| splice.range.start);
    let mut result = String::with_capacity(text.len());
    let mut done = 0;
    let mut splices = splices.into_iter().peekable();
    while let Some(splice) = splices.next() {
        if splices.peek().is_some_and(|next| next.range.start == splice.range.start) {
            continue;
        }
        let Some(before) = text.get(done..splice.range.start) else { continue };
        result.push_str(before);
        result.push_str(&splice.text);
        done = splice.range.end;
    }
    result.push_str(text.get(done..).unwrap_or_default());
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_splice_of_a_place_counts_and_the_rest_stays() {
        let splices = vec![
            Splice::new(4..5, "C"),
            Splice::new(0..1, "1"),
            Splice::new(0..1, "first"),
            Splice::new(6..6, "!"),
        ];
        assert_eq!(splice("a b c ", splices), "first b C !");
        assert_eq!(splice("é", Vec::new()), "é");
    }
}
