//! Layouts: a time is written by showing what the reference time, Monday, 2 January 2006,
//! 15:04:05 at seven hours west of UTC, would look like.

/// One part of a layout.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    LongMonth,
    ShortMonth,
    Month {
        zero: bool,
    },
    LongWeekday,
    ShortWeekday,
    Day {
        fill: Fill,
    },
    YearDay {
        fill: Fill,
    },
    Hour,
    Hour12 {
        zero: bool,
    },
    Minute {
        zero: bool,
    },
    Second {
        zero: bool,
    },
    LongYear,
    Year,
    HalfDay {
        upper: bool,
    },
    ZoneName,
    Offset(OffsetForm),
    /// Digits of a second behind a point or comma; without trailing zeros when `trim`.
    Fraction {
        digits: usize,
        trim: bool,
        separator: char,
    },
}

/// What stands before a number that is too short.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fill {
    Nothing,
    Space,
    Zero,
}

/// How an offset from UTC is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct OffsetForm {
    /// UTC itself is `Z`.
    pub(super) with_z: bool,
    pub(super) colons: bool,
    pub(super) minutes: bool,
    pub(super) seconds: bool,
}

/// Fixed texts of a layout, in the order in which they are tried.
const WORDS: [(&str, Part); 33] = [
    ("January", Part::LongMonth),
    ("Jan", Part::ShortMonth),
    ("Monday", Part::LongWeekday),
    ("Mon", Part::ShortWeekday),
    ("MST", Part::ZoneName),
    ("002", Part::YearDay { fill: Fill::Zero }),
    ("01", Part::Month { zero: true }),
    ("02", Part::Day { fill: Fill::Zero }),
    ("03", Part::Hour12 { zero: true }),
    ("04", Part::Minute { zero: true }),
    ("05", Part::Second { zero: true }),
    ("06", Part::Year),
    ("15", Part::Hour),
    ("1", Part::Month { zero: false }),
    ("2006", Part::LongYear),
    ("2", Part::Day { fill: Fill::Nothing }),
    ("__2", Part::YearDay { fill: Fill::Space }),
    ("_2", Part::Day { fill: Fill::Space }),
    ("3", Part::Hour12 { zero: false }),
    ("4", Part::Minute { zero: false }),
    ("5", Part::Second { zero: false }),
    ("PM", Part::HalfDay { upper: true }),
    ("pm", Part::HalfDay { upper: false }),
    ("-070000", offset(false, false, 3)),
    ("-07:00:00", offset(false, true, 3)),
    ("-0700", offset(false, false, 2)),
    ("-07:00", offset(false, true, 2)),
    ("-07", offset(false, false, 1)),
    ("Z070000", offset(true, false, 3)),
    ("Z07:00:00", offset(true, true, 3)),
    ("Z0700", offset(true, false, 2)),
    ("Z07:00", offset(true, true, 2)),
    ("Z07", offset(true, false, 1)),
];

const fn offset(with_z: bool, colons: bool, numbers: u8) -> Part {
    Part::Offset(OffsetForm { with_z, colons, minutes: numbers > 1, seconds: numbers > 2 })
}

/// Splits a layout at its first part: text before it, the part, text after it.
pub(super) fn next_part(layout: &str) -> (&str, Option<Part>, &str) {
    for (index, _) in layout.char_indices() {
        let (before, rest) = layout.split_at_checked(index).unwrap_or((layout, ""));
        if let Some((part, length)) = part_at(rest) {
            // `_2006` is an underscore and a year.
            if part == (Part::Day { fill: Fill::Space }) && rest.starts_with("_2006") {
                let (before, _) = layout.split_at_checked(index + 1).unwrap_or((layout, ""));
                return (before, Some(Part::LongYear), rest.get(5..).unwrap_or_default());
            }
            return (before, Some(part), rest.get(length..).unwrap_or_default());
        }
    }
    (layout, None, "")
}

fn part_at(layout: &str) -> Option<(Part, usize)> {
    if let Some(fraction) = fraction_at(layout) {
        return Some(fraction);
    }
    WORDS.iter().find_map(|(word, part)| {
        let rest = layout.strip_prefix(word)?;
        let is_abbreviation = matches!(part, Part::ShortMonth | Part::ShortWeekday);
        let goes_on = rest.starts_with(|next: char| next.is_ascii_lowercase());
        (!(is_abbreviation && goes_on)).then_some((*part, word.len()))
    })
}

/// `.000` or `.999`, if no other digit follows.
fn fraction_at(layout: &str) -> Option<(Part, usize)> {
    let separator = layout.chars().next().filter(|first| matches!(first, '.' | ','))?;
    let rest = layout.get(1..)?;
    let digit = rest.chars().next().filter(|first| matches!(first, '0' | '9'))?;
    let digits = rest.len() - rest.trim_start_matches(digit).len();
    let goes_on = rest.get(digits..)?.starts_with(|next: char| next.is_ascii_digit());
    let part = Part::Fraction { digits, trim: digit == '9', separator };
    (!goes_on).then_some((part, digits + 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn layouts_are_split_into_parts() {
        assert_eq!(next_part("at 15:04"), ("at ", Some(Part::Hour), ":04"));
        assert_eq!(next_part("January"), ("", Some(Part::LongMonth), ""));
        assert_eq!(next_part("Janus"), ("Janus", None, ""));
        assert_eq!(next_part("_2006"), ("_", Some(Part::LongYear), ""));
        assert_eq!(
            next_part(".000Z"),
            ("", Some(Part::Fraction { digits: 3, trim: false, separator: '.' }), "Z")
        );
        assert_eq!(next_part("é"), ("é", None, ""));
    }
}
