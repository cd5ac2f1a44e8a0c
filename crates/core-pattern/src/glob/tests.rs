use proptest::prelude::*;

use super::{Glob, GlobError, MAX_GLOB_ALTERNATIONS, MAX_GLOB_BYTES};

fn matches(glob: &str, name: &str) -> bool {
    Glob::parse(glob).expect("a glob").matches(name)
}

#[test]
fn stars_stay_within_a_component_and_globstars_do_not() {
    assert!(matches("*", "a.yaml"));
    assert!(matches("*", ""));
    assert!(!matches("*.yaml", "dir/a.yaml"));
    assert!(matches("**/*.yaml", "a.yaml"));
    assert!(matches("env/**/d.yaml", "env/a/b/d.yaml"));
    assert!(!matches("env/*/d.yaml", "env/a/b/d.yaml"));
    assert!(matches("abc**", "abcd"));
    assert!(!matches("abc**", "abc/d"));
}

#[test]
fn a_trailing_globstar_also_matches_the_directory_itself() {
    assert!(matches("a/**", "a"));
    assert!(matches("a/**", "a/b/c"));
    assert!(matches("a/**/", "a/b/"));
    assert!(!matches("a/**/", "a/b"));
    assert!(!matches("a/**/**", "a"));
}

#[test]
fn classes_have_ranges_negation_and_escapes() {
    assert!(matches("[a-c]", "b"));
    assert!(matches("[a-]", "-"));
    assert!(matches("[^a]", "b"));
    assert!(!matches("[!a-c]", "b"));
    assert!(matches("[\\]]", "]"));
    assert!(matches("a]", "a]"));
    assert!(matches("[c-a]", "c"));
}

#[test]
fn alternatives_nest_and_may_be_empty() {
    for name in ["a", "abc", "abd"] {
        assert!(matches("a{,b{c,d}}", name), "{name}");
    }
    assert!(!matches("a{,b{c,d}}", "ab"));
    assert!(matches("*{a,b}/x", "ca/x"));
    assert!(matches("{apps,docs}/**", "docs/x"));
    assert!(matches("\\{a\\}", "{a}"));
}

#[test]
fn malformed_globs_are_refused() {
    for glob in ["[", "[]a]", "[^", "a\\", "{a", "a}", "[a", "[\\", "[a\\"] {
        assert_eq!(Glob::parse(glob), Err(GlobError::Syntax), "{glob}");
    }
}

#[test]
fn globs_and_their_work_are_bounded() {
    assert_eq!(Glob::parse(&"a".repeat(MAX_GLOB_BYTES + 1)), Err(GlobError::TooLong));
    let alternations = "{a,b}".repeat(MAX_GLOB_ALTERNATIONS);
    assert!(!matches(&alternations, &"a".repeat(MAX_GLOB_ALTERNATIONS - 1)));
    assert!(Glob::parse(&format!("{alternations}{{a,b}}")).is_err());
    assert!(!matches(&"**/*a".repeat(100), &"a/".repeat(1000)));
}

proptest! {
    #[test]
    fn parsing_and_matching_never_panic(
        glob in prop_oneof![any::<String>(), "[ab/*?\\[\\]{},!^\\\\-]{0,24}"],
        name in prop_oneof![any::<String>(), "[ab/\\]{}-]{0,16}"],
    ) {
        if let Ok(glob) = Glob::parse(&glob) {
            glob.matches(&name);
        }
    }

    #[test]
    fn an_escaped_name_matches_itself_only(name in "[ab/*?\\[\\]{},]{1,12}", other in "[ab/*]{1,12}") {
        let escaped: String = name.chars().flat_map(|character| ['\\', character]).collect();
        let glob = Glob::parse(&escaped).expect("escapes are valid");
        prop_assert!(glob.matches(&name));
        prop_assert_eq!(glob.matches(&other), name == other);
    }
}
