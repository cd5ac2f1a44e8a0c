use proptest::prelude::*;

use super::{MAX_REGEX_BYTES, RegexError, UserRegex};

fn is_match(regex: &str, text: &str) -> bool {
    UserRegex::parse(regex).unwrap_or_else(|error| panic!("{regex}: {error}")).is_match(text)
}

#[test]
fn perl_classes_are_ascii_and_the_dot_is_not() {
    assert!(is_match(r"^\w$", "a"));
    assert!(!is_match(r"^\w$", "é"));
    assert!(is_match(r"^\W$", "é"));
    assert!(!is_match(r"^\d$", "٣"));
    assert!(!is_match(r"\s", "\u{b}\u{a0}"));
    assert!(is_match(r"^.$", "é"));
    assert!(is_match(r"^[^a]$", "é"));
    assert!(!is_match(r"^(?i)\w$", "ſ"));
    assert!(is_match(r"^(?i)s$", "ſ"));
}

#[test]
fn word_boundaries_are_ascii() {
    assert!(is_match(r"\ba\b", "éaé"));
    assert!(is_match(r"a\Bb", "ab"));
    assert!(!is_match(r"é\Ba", "éa"));
}

#[test]
fn quoting_and_escapes_are_literal() {
    assert!(is_match(r"^\Qa.b(\E+$", "a.b((("));
    assert!(!is_match(r"^\Qa.b", "aXb"));
    assert!(is_match(r"^\<a\>\_$", "<a>_"));
    assert!(is_match(r"^\x41\x{42}\103\07$", "ABC\u{7}"));
}

#[test]
fn classes_have_no_set_operations() {
    assert!(is_match(r"^[a&&b]+$", "a&b"));
    assert!(is_match(r"^[[a]+$", "[a"));
    assert!(is_match(r"^[a-c--]$", "-"));
    assert!(is_match(r"^[]a]+$", "]a"));
    assert!(is_match(r"^[^]a]$", "b"));
    assert!(is_match(r"^[\w.-]+$", "a.b-c"));
    assert!(is_match(r"^[[:alpha:]\d]+$", "a1"));
    assert!(is_match(r"^[^\D5]$", "4"));
    assert!(is_match(r"^\p{Greek}\pL\P{^Lu}$", "αaB"));
}

#[test]
fn braces_that_do_not_count_are_literal() {
    assert!(is_match(r"^a{2}$", "aa"));
    assert!(is_match(r"^a{,2}$", "a{,2}"));
    assert!(is_match(r"^{}]$", "{}]"));
    assert!(is_match(r"^a{01}$", "a{01}"));
}

#[test]
fn flags_may_stand_before_a_repetition() {
    assert!(is_match(r"^a(?i)+B$", "aab"));
    assert!(!is_match(r"^a(?i)+B$", "aAb"));
}

#[test]
fn what_upstream_refuses_is_refused() {
    for regex in [
        "(",
        ")",
        "[",
        "a{2,1}",
        "a{1001}",
        "a**",
        "a*+",
        "*a",
        "|*",
        "(?=a)",
        "(?x)a",
        r"\1",
        r"\C",
        r"\Z",
        "[z-a]",
        r"[a-\d]",
        "[[:nope:]]",
        r"a\",
        "(?P<>a)",
        "(?-)a",
        r"\é",
    ] {
        assert!(UserRegex::parse(regex).is_err(), "{regex}");
    }
}

#[test]
fn expressions_are_bounded() {
    assert_eq!(UserRegex::parse(&"a".repeat(MAX_REGEX_BYTES + 1)).err(), Some(RegexError::TooLong));
    assert!(UserRegex::parse(r"((\pL{1000}){1000}){1000}").is_err());
}

proptest! {
    #[test]
    fn parsing_and_matching_never_panic(
        regex in prop_oneof![any::<String>(), r"[ab0-3()\[\]{},|*+?^$.\\QEpPdwsx:<>=!-]{0,20}"],
        text in "[ab0-3é]{0,8}",
    ) {
        if let Ok(regex) = UserRegex::parse(&regex) {
            regex.is_match(&text);
        }
    }

    #[test]
    fn a_quoted_text_matches_itself(text in r"[^\\]{0,20}") {
        let regex = format!(r"\A\Q{text}\E\z");
        prop_assert!(is_match(&regex, &text));
    }
}
