//! Precedence, and what is not an expression.

use super::parse;
use crate::library::Library;
use crate::print::print;

fn shown(source: &str) -> String {
    let (ast, root) = parse(source, Library::PLAIN).unwrap_or_else(|e| panic!("{source}: {e}"));
    print(&ast, root)
}

#[test]
fn operators_bind_by_precedence() {
    for (source, want) in [
        ("1 + 2 * 3", "1 + (2 * 3)"),
        ("-1 ** 2", "-(1 ** 2)"),
        ("2 ^ 3 ^ 2", "2 ** (3 ** 2)"),
        ("not a == b", "(!a) == b"),
        ("a or b and c", "a || (b && c)"),
        ("a < b <= c", "(a < b) && (b <= c)"),
        ("a not in b", "!(a in b)"),
        ("1..3 == x", "(1 .. 3) == x"),
        ("a ? b : c ? d : e", "a ? b : (c ? d : e)"),
        ("a ?: b", "a ? a : b"),
        ("x | trim() | split(',')", "split(trim(x), \",\")"),
        ("a?.b.c[0]", "a?.b.c[0]"),
        ("if a { 1 } else if b { 2 } else { 3 }", "if a { 1 } else { (if b { 2 } else { 3 }) }"),
        ("map(x, .y)", "map(x, {#.y})"),
        ("{a: 1, 'b c': 2, (d): 3, 4: 5,}", "{\"a\": 1, \"b c\": 2, (d): 3, \"4\": 5}"),
        ("let x = 1; x", "let x = 1; x"),
        ("::len(x)", "len(x)"),
        ("a.not.in", "a.not.in"),
    ] {
        assert_eq!(shown(source), want, "{source}");
    }
}

#[test]
fn other_text_is_refused() {
    for source in [
        "",
        " ",
        "1 +",
        "[1",
        "{'a'}",
        "a ? b",
        "a?.",
        "a[",
        "let x = 1",
        "x = 1",
        "# + 1",
        ".a",
        "1 === 1",
        "x => x",
        "a not b",
        "map(x)",
        "f(,)",
        "{a: 1,, b: 2}",
        "1 2",
        ";",
        "a..",
        "[...a]",
        "map(x, 1; 2)",
        "1 + if a {1} else {2}",
        "a | b",
        "a ?? b + c",
        "9223372036854775808",
        "1e400",
        "0b2",
    ] {
        assert!(parse(source, Library::PLAIN).is_err(), "{source}");
    }
}

#[test]
fn depth_and_size_are_bounded() {
    for source in
        ["(".repeat(100_000), "!".repeat(100_000), "[".repeat(5_000), "a.".repeat(100_000) + "b"]
    {
        assert!(parse(&source, Library::PLAIN).is_err());
    }
    assert!(parse(&vec!["1"; 20_000].join(","), Library::PLAIN).is_err());
    assert!(parse(&format!("{}1{}", "(".repeat(90), ")".repeat(90)), Library::PLAIN).is_ok());
}
