//! What the tables of the specification pin, and properties no table can.

use proptest::prelude::*;

use crate::{Constraint, ConstraintError, TagReading, Version, VersionError, version_of_tag};

fn version(text: &str) -> Version {
    Version::parse_lenient(text).expect("a version")
}

fn accepted(constraint: &str, versions: &[&'static str]) -> Vec<&'static str> {
    let constraint = Constraint::parse(constraint).expect("a constraint");
    versions.iter().copied().filter(|text| constraint.matches(&version(text))).collect()
}

#[test]
fn lenient_parser_fills_in_what_is_missing() {
    for (text, canonical) in [
        ("1", "1.0.0"),
        ("v1.2", "1.2.0"),
        ("2024.01.05", "2024.1.5"),
        ("1.2-beta", "1.2.0-beta"),
        ("1.2.3--1", "1.2.3--1"),
        ("v1.2.3-rc.1+build.05", "1.2.3-rc.1+build.05"),
    ] {
        assert_eq!(version(text).to_string(), canonical);
        assert_eq!(version(text).original(), text);
    }
}

#[test]
fn lenient_parser_says_what_is_wrong() {
    for (text, error) in [
        ("", VersionError::Shape),
        ("V1.2.3", VersionError::Shape),
        ("1.2.3.4", VersionError::Shape),
        ("1.2.3-", VersionError::Shape),
        ("1.2.3-01", VersionError::LeadingZero),
        ("18446744073709551616", VersionError::Number),
    ] {
        assert_eq!(Version::parse_lenient(text), Err(error), "{text}");
    }
    assert_eq!(Version::parse_lenient(&"1".repeat(257)), Err(VersionError::TooLong));
}

#[test]
fn strict_parser_reports_metadata_before_prerelease_before_numbers() {
    for (text, error) in [
        ("", VersionError::Empty),
        ("1.2", VersionError::Shape),
        ("v1.-.3-+", VersionError::Metadata),
        ("v1.2.3-", VersionError::Prerelease),
        ("v1.2.3", VersionError::Characters),
        ("01.2.3", VersionError::LeadingZero),
        ("1.2.", VersionError::Number),
    ] {
        assert_eq!(Version::parse_strict(text), Err(error), "{text}");
    }
}

#[test]
fn strict_tags_are_full_versions_with_one_v_at_most() {
    let is_version = |tag, reading| version_of_tag(tag, reading).is_some();
    for tag in ["v1.2.3", "1.2.3-0", "v1.2.3-rc.1+build.5"] {
        assert!(is_version(tag, TagReading::Strict), "{tag}");
    }
    for tag in ["1", "v1.2", "01.02.03", "20240105"] {
        assert!(is_version(tag, TagReading::Lenient), "{tag}");
        assert!(!is_version(tag, TagReading::Strict), "{tag}");
    }
    assert!(!is_version("vv1.0.0", TagReading::Lenient));
}

#[test]
fn a_group_considers_prereleases_as_soon_as_one_member_names_one() {
    let versions = ["1.2.0-rc.1", "1.2.3", "1.3.0-rc.1", "2.0.0-rc.1"];
    assert_eq!(accepted("^1.2.0", &versions), ["1.2.3"]);
    assert_eq!(accepted("^1.2.0-0", &versions), ["1.2.0-rc.1", "1.2.3", "1.3.0-rc.1"]);
    assert_eq!(accepted(">=1.0.0-0 <2.0.0", &versions), versions);
    assert_eq!(accepted(">=1.0.0-0 || ^2", &versions), versions);
}

#[test]
fn partial_bounds_cover_everything_they_leave_open() {
    let versions = ["0.0.0", "0.0.3", "0.2.3", "0.3.0", "1.2.3", "1.3.0", "2.0.0"];
    assert_eq!(accepted("^*", &versions), ["0.0.0"]);
    assert_eq!(accepted("~*", &versions), versions);
    assert_eq!(accepted(">1.2", &versions), ["1.3.0", "2.0.0"]);
    assert_eq!(accepted("<=1.2", &versions), ["0.0.0", "0.0.3", "0.2.3", "0.3.0", "1.2.3"]);
    assert_eq!(accepted("^0.0", &versions), ["0.0.0", "0.0.3"]);
    assert_eq!(
        accepted("!=0.2", &versions),
        ["0.0.0", "0.0.3", "0.3.0", "1.2.3", "1.3.0", "2.0.0"]
    );
    assert_eq!(accepted("0.2 - 1.2", &versions), ["0.2.3", "0.3.0", "1.2.3"]);
}

#[test]
fn hyphen_ranges_swallow_the_blanks_around_them() {
    let rendered = |text| Constraint::parse(text).map(|constraint| constraint.to_string());
    assert_eq!(rendered("1 - 2 || 3 - 4").as_deref(), Ok(">=1 <=2 || >=3 <=4"));
    assert_eq!(rendered("1.5, 1 - 2").as_deref(), Ok("1.5 >=1 <=2"));
    assert!(rendered("1.5 1 - 2").is_err());
    assert!(rendered(">1 - 2").is_err());
}

#[test]
fn constraints_are_bounded() {
    assert_eq!(Constraint::parse(&"1".repeat(513)), Err(ConstraintError::TooLong));
    assert_eq!(Constraint::parse(&["1"; 33].join("||")), Err(ConstraintError::TooManyGroups));
    assert!(Constraint::parse(&["1"; 32].join("||")).is_ok());
}

/// Text made of the characters the grammars care about, which arbitrary text hardly ever hits.
fn grammar_text() -> impl Strategy<Value = String> {
    "[0-9xX*v.+|,<>=!~^ \\-ab]{0,40}"
}

fn any_version() -> impl Strategy<Value = Version> {
    "v?[0-3](\\.[0-3]){0,2}(-(0|[1-9][0-9]{0,20}|[a-c][0-2]?)(\\.(0|[1-9]|[a-c])){0,2})?(\\+[a-c])?"
        .prop_filter_map("a version", |text| Version::parse_lenient(&text).ok())
}

proptest! {
    #[test]
    fn parsers_never_panic(text in prop_oneof![any::<String>(), grammar_text()]) {
        let _ = Version::parse_lenient(&text);
        let _ = Version::parse_strict(&text);
        let _ = Constraint::parse(&text);
    }

    #[test]
    fn the_canonical_form_parses_to_itself(version in any_version()) {
        let canonical = version.to_string();
        let reparsed = Version::parse_strict(&canonical).expect("canonical versions are strict");
        prop_assert_eq!(reparsed.to_string(), canonical);
        prop_assert!(reparsed.has_precedence_of(&version));
    }

    #[test]
    fn a_rendered_constraint_parses_to_itself(text in grammar_text()) {
        if let Ok(constraint) = Constraint::parse(&text) {
            let rendered = constraint.to_string();
            // Spelling ranges out may lengthen a text beyond what is read.
            if rendered.len() <= crate::MAX_CONSTRAINT_BYTES {
                prop_assert_eq!(Constraint::parse(&rendered), Ok(constraint));
            }
        }
    }

    #[test]
    fn precedence_is_a_total_order(a in any_version(), b in any_version(), c in any_version()) {
        prop_assert_eq!(a.compare_precedence(&b), b.compare_precedence(&a).reverse());
        if a <= b && b <= c {
            prop_assert!(a <= c);
        }
        if a.has_precedence_of(&b) {
            prop_assert_eq!(a.compare_precedence(&c), b.compare_precedence(&c));
        }
    }

    #[test]
    fn greater_and_not_greater_divide_the_prereleases_too(a in any_version(), b in any_version()) {
        let bound = format!("{}.{}.{}-{}", b.major(), b.minor(), b.patch(), "0");
        let above = Constraint::parse(&format!(">{bound}")).expect("a constraint");
        let below = Constraint::parse(&format!("<={bound}")).expect("a constraint");
        prop_assert_ne!(above.matches(&a), below.matches(&a));
    }
}
