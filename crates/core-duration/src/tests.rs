use proptest::prelude::*;

use super::*;

const HOUR: i64 = 3_600_000_000_000;

fn show(nanos: i64) -> String {
    let mut text = String::new();
    write(nanos, &mut text).unwrap();
    text
}

#[test]
fn canonical_text_is_that_of_go() {
    for (nanos, text) in [
        (0, "0s"),
        (1, "1ns"),
        (1_100, "1.1\u{b5}s"),
        (2_200_000, "2.2ms"),
        (250_000_000, "250ms"),
        (3_300_000_000, "3.3s"),
        (60_000_000_000, "1m0s"),
        (90_500_000_000, "1m30.5s"),
        (300_000_000_000, "5m0s"),
        (245_001_000_000, "4m5.001s"),
        (HOUR, "1h0m0s"),
        (336 * HOUR, "336h0m0s"),
        (-HOUR, "-1h0m0s"),
        (i64::MAX, "2562047h47m16.854775807s"),
        (i64::MIN, "-2562047h47m16.854775808s"),
    ] {
        assert_eq!(show(nanos), text);
        assert_eq!(parse(text), Ok(nanos));
    }
}

#[test]
fn other_spellings_are_read() {
    for (text, nanos) in [
        ("0", 0),
        ("-0", 0),
        ("+5s", 5_000_000_000),
        (".5s", 500_000_000),
        ("5.s", 5_000_000_000),
        ("1.5h", HOUR / 2 * 3),
        ("12us", 12_000),
        ("12\u{b5}s", 12_000),
        ("12\u{3bc}s", 12_000),
        ("2h1m3s5ms7us9ns", 2 * HOUR + 63_005_007_009),
        ("1m1h", HOUR + 60_000_000_000),
        ("0.3333333333333333333h", HOUR / 3),
        ("0.830103483285477580700h", 2_988_372_539_827),
        ("0.100000000000000000000h", 360_000_000_000),
        ("9223372036854775807ns", i64::MAX),
        ("-9223372036854775808ns", i64::MIN),
    ] {
        assert_eq!(parse(text), Ok(nanos), "{text}");
    }
}

#[test]
fn text_outside_the_grammar_is_refused() {
    for text in ["", "-", "+", "s", ".", ".s", "-.", "+.s", "--5s", " 1s", "1s ", "5m\u{a0}"] {
        assert!(parse(text).is_err(), "{text:?}");
    }
    for text in
        ["9223372036854775808ns", "9223372036854775.808us", "3000000h", "99999999999999999999s"]
    {
        assert_eq!(parse(text), Err(ParseDurationError::Invalid(text.to_owned())));
    }
}

#[test]
fn errors_name_what_is_wrong_with_the_unit() {
    assert_eq!(parse("3").unwrap_err().to_string(), r#"time: missing unit in duration "3""#);
    assert_eq!(parse("1.5").unwrap_err().to_string(), r#"time: missing unit in duration "1.5""#);
    assert_eq!(parse("1d").unwrap_err().to_string(), r#"time: unknown unit "d" in duration "1d""#);
}

proptest! {
    #[test]
    fn every_duration_survives_a_round_trip(nanos: i64) {
        prop_assert_eq!(parse(&show(nanos)), Ok(nanos));
    }

    #[test]
    fn no_text_makes_the_parser_panic(text in "[-+]?([0-9.]{0,25}(ns|us|µs|ms|s|m|h|x)?){0,4}") {
        if let Ok(nanos) = parse(&text) {
            prop_assert_eq!(parse(&show(nanos)), Ok(nanos));
        }
    }

    #[test]
    fn arbitrary_text_never_panics(text: String) {
        let _ = parse(&text);
    }
}
