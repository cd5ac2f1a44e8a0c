//! Expressions that are refused before they run.

use crate::{ErrorKind, Library, Program};

fn compile(source: &str) -> Result<Program, ErrorKind> {
    Program::compile(source, Library::STEP.and(Library::QUOTING)).map_err(|error| error.kind)
}

#[test]
fn types_that_cannot_fit_are_refused() {
    for source in [
        "1 == '1'",
        "'a' + 1",
        "'a' + nil",
        "!nil",
        "-'a'",
        "nil || true",
        "1 ? 2 : 3",
        "'a' < 1",
        "7.5 % 2",
        "'a' in 'abc'",
        "'a' in nil",
        "'a' in [1]",
        "1 in {'a': 1}",
        "[1]['a']",
        "{}[1]",
        "'abc'[0]",
        "[1].length",
        "'a'.x",
        "nil.x",
        "upper(1)",
        "upper()",
        "len(1)",
        "first(nil)",
        "map('a', #)",
        "filter([1], #)",
        "filter([1], #index == 0)",
        "map([1], nil)",
        "sum(1)",
        "let len = 1; 2",
        "let x = 1; let x = 2; x",
        "let quote = 1; 2",
        "'a' matches '['",
        "date('x').Nope()",
        "duration('1s') / 2",
        "date('x').Date()",
        "quote()",
        "quote(1, 2)",
        "imageFrom('x').tag",
        "imageFrom(1)",
        "imageFrom('x', 'y')",
        "warehouse('x').Kind == 'Warehouse'",
        "semverParse('1').Nope()",
        "always == true",
        "secret('x').y + 1",
        "5 contains 'a'",
        "$env()",
        "now(1)",
        "date()",
        "take('a', 1)",
        "concat([1], 2)",
        "get('a', 1)",
        "nil contains 'a'",
        "semverParse('1').IncMajor().LessThan(semverParse('2'))",
        "reduce([1], #nope)",
        "join('a', ',')",
    ] {
        assert_eq!(compile(source).err(), Some(ErrorKind::Compile), "{source}");
    }
}

#[test]
fn what_is_not_known_may_fit() {
    for source in [
        "a == '1'",
        "a + 1",
        "!a",
        "a ? 1 : 2",
        "a in 'abc'",
        "a.b.c(1 + 'x')",
        "upper(a)",
        "nil == 1",
        "[1, 'a'][0] + 1",
        "(a ?? 1) == 'x'",
        "let x = a; x + 1",
        "imageFrom(a).Tag + 'x'",
        "len(a)",
        "chartFrom('x', warehouse('y')).Version",
        "chartFrom(a, a, a)",
        "map(a, # + #index)",
        "secret('x').y == 'z'",
        "always",
        "date('2024-01-01') > now()",
        "'Tag' in imageFrom('x')",
        "semverParse('1').LessThan(semverParse('2'))",
        "find([1], # > 0) + 1",
        "[] == nil",
        "sum(a)",
        "first(split('a', ',')) + 'x'",
        "let str = 1; str",
        "b'a' matches 'a'",
        "(1 == 1.0) == true",
    ] {
        assert!(compile(source).is_ok(), "{source}: {:?}", compile(source).err());
    }
}

#[test]
fn shared_operands_do_not_explode() {
    let mut source = "1".to_owned();
    for _ in 0..30 {
        source = format!("1 < ({source}) < 3");
    }
    // Each level doubles the paths through the tree.
    assert!(compile(&source).is_err());
}
