use std::num::NonZeroUsize;

use proptest::prelude::*;

use super::*;
use crate::FixedEnvironment;

const NAME: &str = "NAME";

fn read<T>(value: &str, read: impl Fn(Variables<'_>) -> T) -> T {
    let environment: FixedEnvironment = [(NAME, value)].into_iter().collect();
    read(Variables::new(&environment))
}

fn duration(value: &str) -> Option<Duration> {
    read(value, |variables| variables.duration(NAME, Duration::MAX)).ok()
}

#[test]
fn what_is_unset_or_empty_has_its_default() {
    for environment in [FixedEnvironment::default(), [(NAME, "")].into_iter().collect()] {
        let variables = Variables::new(&environment);
        assert_eq!(variables.text(NAME), None);
        assert_eq!(variables.text_or(NAME, "kargo"), "kargo");
        assert_eq!(variables.path(NAME), None);
        assert_eq!(variables.list(NAME), Vec::<String>::new());
        assert_eq!(variables.flag(NAME, true), Ok(true));
        assert_eq!(variables.count(NAME, 1.., 4_usize), Ok(4));
        assert_eq!(variables.duration(NAME, Duration::ZERO), Ok(Duration::ZERO));
        assert_eq!(variables.choice(NAME, &[("One", 1)], 2), Ok(2));
    }
}

#[test]
fn flags_are_read_as_go_reads_them() {
    let flag = |value: &str| read(value, |variables| variables.flag(NAME, false)).ok();
    for yes in ["1", "t", "T", "true", "TRUE", "True"] {
        assert_eq!(flag(yes), Some(true), "{yes}");
    }
    for no in ["0", "f", "F", "false", "FALSE", "False"] {
        assert_eq!(flag(no), Some(false), "{no}");
    }
    for neither in ["yes", "tRUE", " true", "2"] {
        assert_eq!(flag(neither), None, "{neither}");
    }
}

#[test]
fn counts_keep_to_their_range() {
    assert_eq!(read("0", |variables| variables.count(NAME, .., 1_u8)), Ok(0));
    assert_eq!(read("7", |variables| variables.count(NAME, 1..=7, 1_i32)), Ok(7));
    let one = NonZeroUsize::MIN;
    assert_eq!(read("3", |variables| variables.count(NAME, one.., one)).map(Into::into), Ok(3));
    assert!(read("8", |variables| variables.count(NAME, 1..=7, 1_i32)).is_err());
}

#[test]
fn lists_drop_blanks_and_what_is_empty() {
    assert_eq!(read(" a, ,b c,", |variables| variables.list(NAME)), ["a", "b c"]);
}

#[test]
fn choices_are_known_in_any_letter_case() {
    let choices = [("Files", 1), ("Own", 2)];
    assert_eq!(read("own", |variables| variables.choice(NAME, &choices, 0)), Ok(2));
}

#[test]
fn durations_are_read_as_go_reads_them() {
    for (text, nanos) in [
        ("0", 0),
        ("+0", 0),
        ("0s", 0),
        ("336h", 336 * 3_600_000_000_000),
        ("1h30m", 5_400_000_000_000),
        ("5m0s", 300_000_000_000),
        ("30m1h", 5_400_000_000_000),
        ("1.5s", 1_500_000_000),
        (".5s", 500_000_000),
        ("1.s", 1_000_000_000),
        ("0.0000000019s", 1),
        ("100ms20us3ns", 100_020_003),
        ("1µs1μs", 2_000),
    ] {
        assert_eq!(duration(text), Some(Duration::from_nanos(nanos)), "{text}");
    }
    for text in [
        "-1s",
        "1",
        "s",
        ".",
        ".s",
        "1h 30m",
        "2 weeks",
        "1d",
        "1hm",
        "1e3s",
        "9223372036854775808ns",
        "2562048h",
        "99999999999999999999h",
        "１s",
    ] {
        assert_eq!(duration(text), None, "{text}");
    }
}

#[test]
fn what_is_refused_is_told_in_one_line() {
    let long = "x".repeat(1000);
    let told = |error: Option<SettingError>| error.unwrap().to_string();
    let lines = [
        told(read("maybe", |variables| variables.flag(NAME, true)).err()),
        told(read("two\nlines", |variables| variables.flag(NAME, true)).err()),
        told(read("0", |variables| variables.count(NAME, 1.., 4_usize)).err()),
        told(read("257", |variables| variables.count(NAME, 1..=256, 4_usize)).err()),
        told(read("-1", |variables| variables.count(NAME, 0.., 4_u8)).err()),
        told(read("soon", |variables| variables.duration(NAME, Duration::ZERO)).err()),
        told(read("0s", |variables| variables.interval(NAME, Duration::MAX)).err()),
        told(
            read("Here", |variables| variables.choice(NAME, &[("Files", 1), ("Own", 2)], 1)).err(),
        ),
        told(read("", |variables| variables.required(NAME, "the name of a namespace")).err()),
        told(read(&long, |variables| variables.flag(NAME, true)).err()),
    ];
    insta::assert_snapshot!(lines.join("\n"), @r#"
    NAME: "maybe" is not true or false
    NAME: "two\nlines" is not true or false
    NAME: "0" is not a number, 1 or more
    NAME: "257" is not a number from 1 to 256
    NAME: "-1" is not a number, 0 or more
    NAME: "soon" is not a duration such as 90s or 1h30m
    NAME: "0s" is not a duration above zero, such as 90s or 1h30m
    NAME: "Here" is not one of Files, Own
    NAME: must be set to the name of a namespace
    NAME: "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx" is not true or false
    "#);
}

proptest! {
    #[test]
    fn no_text_breaks_the_readers(text in ".*") {
        let _ = duration(&text);
        let error = read(&text, |variables| variables.flag(NAME, true)).err();
        prop_assert!(error.is_none_or(|error| !error.to_string().contains('\n')));
    }

    #[test]
    fn whole_units_add_up(hours in 0_u64..1000, minutes in 0_u64..1000, millis in 0_u64..1000) {
        let text = format!("{hours}h{minutes}m{millis}ms");
        let expected = Duration::from_mins(hours * 60 + minutes) + Duration::from_millis(millis);
        prop_assert_eq!(duration(&text), Some(expected));
    }
}
