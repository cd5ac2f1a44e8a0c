//! Built-ins, mostly where upstream's rules surprise.

use jiff::Timestamp;
use serde_json::{Value as Json, json};

use crate::{Failure, Library, Program, Scope, Value, Variables};

fn run(source: &str) -> Result<Json, Failure> {
    let root = json!({"s": "héllo", "nums": [3, 1, 2], "m": {"b": 1, "a": 2}, "nothing": null});
    let variables = Variables::from_root(Value::from_json(&root));
    let program = Program::compile(source, Library::PLAIN)?;
    let value = program.run(&Scope::new(&variables, Timestamp::UNIX_EPOCH))?;
    Ok(value.to_json().unwrap_or_else(|| json!("no JSON")))
}

#[track_caller]
fn same(cases: &[(&str, Json)]) {
    for (source, want) in cases {
        assert_eq!(
            run(source).unwrap_or_else(|error| panic!("{source}: {error}")),
            *want,
            "{source}"
        );
    }
}

#[track_caller]
fn refused(sources: &[&str]) {
    for source in sources {
        let result = run(source);
        assert!(result.is_err(), "{source}: {result:?}");
    }
}

#[test]
fn texts_are_bytes_that_know_characters() {
    same(&[
        ("len(s)", json!(5)),
        ("indexOf(s, 'l')", json!(3)),
        ("s[0]", json!(104)),
        ("s[:2]", json!("h\u{fffd}")),
        ("split('a,b,c', ',', 0)", json!(null)),
        ("split('日本', '')", json!(["日", "本"])),
        ("splitAfter('a,b,c', ',', 2)", json!(["a,", "b,c"])),
        ("replace('aaa', '', '-', 2)", json!("-a-aa")),
        ("trim('xxaxx', 'x')", json!("a")),
        ("trim('\u{2003}a ')", json!("a")),
        ("lastIndexOf('abc', '')", json!(3)),
        ("join(['a'])", json!("a")),
        ("hasSuffix('abc', 'bc')", json!(true)),
    ]);
    refused(&["join([1], ',')", "repeat('a', -1)", "upper(nums)", "join(1..2)"]);
}

#[test]
fn lists_are_cut_and_joined() {
    same(&[
        ("nums[5:]", json!([])),
        ("nums[-2:]", json!([1, 2])),
        ("take(nums, 9)", json!([3, 1, 2])),
        ("concat([], [])", json!(null)),
        ("flatten([1, [2, [3]]])", json!([1, 2, 3])),
        ("sort(nums, 'desc')", json!([3, 2, 1])),
        ("sort(m)", json!(null)),
        ("sort(['b', 'a'])", json!(["a", "b"])),
        ("uniq([1, 1.0, '1'])", json!([1, "1"])),
        ("first(m)", json!(null)),
        ("last(s)", json!(111)),
        ("get(nums, 9)", json!(null)),
        ("get(m, 'zz')", json!(null)),
        ("reverse(1..3)", json!([3, 2, 1])),
        ("max(nums, 9)", json!(9)),
        ("max(nothing)", json!(null)),
        ("median(1, [4, 2], 3)", json!(2.5)),
        ("mean([])", json!(0)),
        ("sum([s, s])", json!("héllohéllo")),
    ]);
    refused(&[
        "take(nums, -1)",
        "take(nums, 1.5)",
        "sort([1, 'a'])",
        "sum(['a', 'b'])",
        "mean(s)",
        "max([s])",
    ]);
}

#[test]
fn maps_come_in_order() {
    same(&[
        ("keys(m)", json!(["a", "b"])),
        ("values(m)", json!([2, 1])),
        ("toPairs(m)", json!([["a", 2], ["b", 1]])),
        ("fromPairs(toPairs(m)).a", json!(2)),
        ("fromPairs([['a', 1]])", json!("no JSON")),
        ("string(fromPairs([['b', 1], ['a', 2]]))", json!("map[a:2 b:1]")),
    ]);
    refused(&["fromPairs([['a']])", "keys(nums)"]);
}

#[test]
fn numbers_are_converted_as_written() {
    same(&[
        ("int('+7')", json!(7)),
        ("int(-4.9)", json!(-4)),
        ("int(1e300)", json!(i64::MIN)),
        ("float('0x1p4')", json!(16)),
        ("round(-2.5)", json!(-3)),
        ("bitshl(1, 70)", json!(0)),
        ("bitshr(-8, 70)", json!(-1)),
        ("bitnot(5)", json!(-6)),
        ("string(12345678.0)", json!("1.2345678e+07")),
        ("type(s[0])", json!("uint")),
    ]);
    refused(&["int('4.2')", "int(true)", "bitshl(1, -1)", "bitand(1.5, 1)", "abs(s)"]);
}

#[test]
fn encodings_are_strict() {
    same(&[
        ("fromBase64('aGVsbG8=')", json!("hello")),
        ("fromBase64('aGVs\\nbG8=')", json!("hello")),
        ("toBase64(fromBase64('/+8='))", json!("/+8=")),
        ("toJSON({a: [1]})", json!("{\n  \"a\": [\n    1\n  ]\n}")),
        ("fromJSON('[1, 2.5]')", json!([1, 2.5])),
    ]);
    refused(&["fromBase64('aGVsbG8')", "fromJSON('{')", "fromJSON('1 2')"]);
}
