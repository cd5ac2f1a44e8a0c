//! Tokens of all kinds.

use super::*;

fn tokens(source: &str) -> Vec<TokenKind<'_>> {
    let mut lexer = Lexer::new(source);
    let mut tokens = Vec::new();
    loop {
        match lexer.next().unwrap().kind {
            TokenKind::End => return tokens,
            kind => tokens.push(kind),
        }
    }
}

fn shown(source: &str) -> String {
    let show = |token: TokenKind<'_>| match token {
        TokenKind::Name(text) => format!("n:{text}"),
        TokenKind::Operator(text) => text.to_owned(),
        TokenKind::Bracket(bracket) => bracket.to_string(),
        TokenKind::Number(text) => format!("#{text}"),
        TokenKind::Text(text) => format!("{text:?}"),
        TokenKind::Bytes(text) => format!("b{text:?}"),
        TokenKind::End => String::new(),
    };
    tokens(source).into_iter().map(show).collect::<Vec<_>>().join(" ")
}

#[test]
fn numbers_stop_before_ranges() {
    assert_eq!(
        shown(".5 1 1e3 0xFF 0b01 1.2e-4 1_000 1..5 -.5"),
        "#.5 #1 #1e3 #0xFF #0b01 #1.2e-4 #1_000 #1 .. #5 - #.5"
    );
    assert!(Lexer::new("1a").next().is_err());
    assert!(Lexer::new("0b12").next().is_err());
}

#[test]
fn names_operators_and_comments_are_told_apart() {
    assert_eq!(shown("a and orb().val #."), "n:a and n:orb ( ) . n:val # .");
    assert_eq!(shown("foo?.bar ?? x ? .b : ::c"), "n:foo ?. n:bar ?? n:x ? . n:b : :: n:c");
    assert_eq!(shown("not in not i $x früh _0"), "not in not n:i n:$x n:früh n:_0");
    assert_eq!(shown("#index #1 # in"), "# n:index # n:1 # in");
    assert_eq!(shown("a // b\n/* c */ d"), "n:a n:d");
    assert!(Lexer::new("/* x").next().is_err());
    assert!(Lexer::new("@").next().is_err());
}

#[test]
fn texts_are_unescaped() {
    assert_eq!(
        shown(r#""a\n\t\"\\" 'it\'s' "\u00e9\U0001F600\x41\101\u{61}""#),
        r#""a\n\t\"\\" "it's" "é😀AAa""#
    );
    assert_eq!(shown(r"`raw \n` `a``b` ````"), r#""raw \\n" "a`b" "`""#);
    assert_eq!(tokens(r#"b"\xff\101é""#), [TokenKind::Bytes(b"\xffA\xc3\xa9"[..].into())]);
    for bad in [
        r#""\q""#,
        r#""\'""#,
        "'a",
        "\"a\nb\"",
        "`a",
        r#""\400""#,
        r#""\x4""#,
        r#""\u{}""#,
        r#"b"\u0041""#,
    ] {
        assert!(Lexer::new(bad).next().is_err(), "{bad}");
    }
}
