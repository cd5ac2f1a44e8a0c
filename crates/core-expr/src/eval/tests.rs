//! Evaluation of whole expressions.

use jiff::Timestamp;
use serde_json::{Value as Json, json};

use crate::{ErrorKind, Failure, Function, Library, Program, Scope, Value, Variables};

fn variables() -> Variables {
    let root = json!({
        "s": "text", "n": 42, "list": [3, 1, 2], "m": {"a": {"b": null}, "t": "x"},
    });
    Variables::from_root(Value::from_json(&root))
}

fn run(source: &str) -> Result<Value, Failure> {
    let variables = variables();
    let now = Timestamp::from_second(1_700_000_000).unwrap();
    Program::compile(source, Library::PLAIN)?.run(&Scope::new(&variables, now))
}

fn json(source: &str) -> Json {
    run(source).unwrap_or_else(|error| panic!("{source}: {error}")).to_json().unwrap()
}

fn kind(source: &str) -> ErrorKind {
    match run(source) {
        Err(Failure::Invalid(error)) => error.kind,
        other => panic!("{source}: {other:?}"),
    }
}

#[test]
fn whole_numbers_wrap_and_division_gives_floats() {
    assert_eq!(json("9223372036854775807 + 1"), json!(i64::MIN));
    assert_eq!(json("7 / 2"), json!(3.5));
    assert_eq!(json("-7 % 3"), json!(-1));
    assert_eq!(json("2 ** 3 ** 2"), json!(512));
    assert_eq!(kind("list[0] % 2"), ErrorKind::Run);
    assert_eq!(kind("n % 0"), ErrorKind::Run);
    assert_eq!(kind("1 % 0"), ErrorKind::Compile);
}

#[test]
fn chains_end_at_nil() {
    assert_eq!(json("m.a.b?.c.d"), json!(null));
    assert_eq!(json("m?.x?.y ?? 'default'"), json!("default"));
    assert_eq!(json("m?.[s]"), json!(null));
    assert_eq!(kind("m.a.b.c"), ErrorKind::Run);
    assert_eq!(kind("(m?.x)[0]"), ErrorKind::Run);
}

#[test]
fn constant_conditions_are_not_evaluated() {
    assert_eq!(json("n && true"), json!(42));
    assert_eq!(json("missing.x && false"), json!(false));
    assert_eq!(kind("n && m.t"), ErrorKind::Run);
}

#[test]
fn the_first_match_is_enough() {
    assert_eq!(json("first(filter([1, 'a'], # > 0))"), json!(1));
    assert_eq!(json("count([1, 'a'], # > 0) > 0"), json!(true));
    assert_eq!(kind("filter([1, 'a'], # > 0)"), ErrorKind::Run);
}

#[test]
fn predicates_see_elements_and_outer_variables() {
    assert_eq!(json("let k = 2; map(filter(list, # >= k), # * 10)"), json!([30, 20]));
    assert_eq!(json("map(list, map([1], #index))"), json!([[0], [0], [0]]));
    assert_eq!(json("reduce(list, #acc + # * #index, 100)"), json!(105));
    assert_eq!(json("findLastIndex(list, # > 1)"), json!(2));
    assert_eq!(kind("reduce([], #acc)"), ErrorKind::Run);
    assert_eq!(json("sortBy(list, -#)"), json!([3, 2, 1]));
    assert_eq!(json("groupBy(list, # > 1 ? 'big' : 'small').big"), json!([3, 2]));
}

#[test]
fn comparisons_with_nothing_fail_only_between_known_types() {
    assert_eq!(json("find(list, # > 9) == 'x'"), json!(false));
    assert_eq!(kind("find(['a'], # == 'b') == 'x'"), ErrorKind::Run);
    assert_eq!(json("find(['a'], # == 'b') == nil"), json!(true));
    assert_eq!(kind("n in ['a']"), ErrorKind::Run);
    assert_eq!(json("missing in ['']"), json!(true));
}

#[test]
fn functions_among_the_variables_can_be_called() {
    let shout = Function::new(1, |arguments| match arguments {
        [value] => Ok(Value::text(format!("{}!", value.as_text().unwrap().to_str()))),
        _ => Err("one argument".to_owned()),
    });
    let request = Value::map([("shout", Value::function(shout))]);
    let variables = Variables::from_iter([("request", request)]);
    let scope = Scope::new(&variables, Timestamp::UNIX_EPOCH);
    let run = |source| Program::compile(source, Library::PLAIN).unwrap().run(&scope);
    assert_eq!(run("request.shout('hey')").unwrap().to_json(), Some(json!("hey!")));
    assert!(run("request.shout()").is_err());
    assert!(run("request.whisper('x')").is_err());
}

#[test]
fn times_have_methods() {
    assert_eq!(json("now().Year()"), json!(2023));
    assert_eq!(
        json("date('2024-02-29').AddDate(1, 0, 0).Format('2 Jan 2006')"),
        json!("1 Mar 2025")
    );
    assert_eq!(json("(date('2024-01-02') - date('2024-01-01')).Hours()"), json!(24));
    assert_eq!(json("string(date('2024-01-15').Weekday())"), json!("Monday"));
    assert_eq!(json("int(date('2024-03-15').Month())"), json!(3));
    assert_eq!(
        json("date('2024-01-15').In(timezone('America/New_York')).Format('15:04 MST')"),
        json!("19:00 EST")
    );
    assert_eq!(kind("date('2024-03-15').Month() == 3"), ErrorKind::Compile);
}

#[test]
fn secrets_taint_what_is_made_of_them() {
    let variables = Variables::from_iter([("k", Value::text("s3cr3t").tainted())]);
    let scope = Scope::new(&variables, Timestamp::UNIX_EPOCH);
    let tainted = |source| {
        Program::compile(source, Library::QUOTING).unwrap().run(&scope).unwrap().is_tainted()
    };
    for source in [
        "k",
        "'a' + k",
        "upper(k)",
        "split(k, 'c')",
        "split(k, 'c')[0]",
        "{a: [k]}",
        "toBase64(k)",
        "fromJSON(toJSON([k]))[0]",
        "k[1:3]",
        "map([k], # + 'x')",
        "let x = k; [x]",
        "quote(k)",
        "join([k, 'a'], ',')",
        "true ? k : 'x'",
        "replace('abc', 'b', k)",
        "[1, k][1]",
        "string(k)",
        "$env",
        "k[0]",
        "asYAML({x: k})",
        "nil ?? k",
        "max([1], [2]) > 1 ? k : ''",
    ] {
        assert!(tainted(source), "{source}");
    }
    for source in [
        "k == 'x'",
        "len(k)",
        "k contains 's'",
        "['a', k][0]",
        "k in ['x']",
        "type(k)",
        "{a: k, b: 1}.b",
    ] {
        assert!(!tainted(source), "{source}");
    }
}

#[test]
fn content_of_secrets_is_in_no_message() {
    let variables = Variables::from_iter([("k", Value::text("s3cr3t(").tainted())]);
    let scope = Scope::new(&variables, Timestamp::UNIX_EPOCH);
    for source in
        ["fromJSON(k)", "'a' matches k", "date(k)", "{a: 1}[k].x", "k.x", "[k][0].y", "k[9:].z"]
    {
        let failure = Program::compile(source, Library::PLAIN).unwrap().run(&scope).unwrap_err();
        let message = format!("{failure} {failure:?}");
        assert!(!message.contains("s3c") && !message.contains("'s'"), "{source}: {message}");
    }
    let shown = format!("{:?}", variables.get("k"));
    assert!(!shown.contains("s3c"), "{shown}");
}

#[test]
fn work_and_memory_are_bounded() {
    for source in [
        "1..2000000",
        "map(1..5000, map(1..5000, #))",
        "repeat('a', 2000000)",
        "reduce(1..1000, [#acc], 0)",
        "reduce(1..40, #acc + #acc, 'aaaaaaaa')",
        "uniq(1..100000)",
        "all(1..3000, all(1..3000, true))",
        "reduce(1..100, [#acc, #acc], 1)",
        "let t = repeat('a', 100000); map(1..9999, t)",
        "let l = 1..90000; map(1..90000, l[0:])",
        "let g = groupBy(1..9000, #); map(1..9000, g[#])",
    ] {
        assert_eq!(kind(source), ErrorKind::Limit, "{source}");
    }
    assert_eq!(json("5 in 1..2000000"), json!(true));
    assert_eq!(json("sum(1..2000000)"), json!(2_000_001_000_000_i64));
    let long_sum = vec!["1"; 4000].join(" + ");
    assert_eq!(json(&long_sum), json!(4000));
}

#[test]
fn the_deepest_expressions_fit_on_a_small_stack() {
    let nest = |open: &str, inner: &str, close: &str| {
        let fits = |levels: &usize| {
            let source = format!("{}{inner}{}", open.repeat(*levels), close.repeat(*levels));
            Program::compile(&source, Library::PLAIN).is_ok()
        };
        let levels = (1..200).rev().find(fits).unwrap();
        format!("{}{inner}{}", open.repeat(levels), close.repeat(levels))
    };
    let sources = [
        nest("[", "1", "]"),
        nest("!", "true", ""),
        nest("(true ? ", "1", " : 2)"),
        nest("map([1], ", "#", ")"),
        nest("{a: ", "1", "}"),
        nest("m?.[", "s", "]"),
        nest("upper(string(", "1", "))"),
        nest("1 + (", "1", ")"),
    ];
    let json = format!("string(fromJSON('{}{}'))", "[".repeat(399), "]".repeat(399));
    let deepest = move || {
        for source in sources.iter().chain([&json]) {
            let _ = run(source).map(|value| value.to_json());
        }
    };
    // Less than threads usually have, although nothing is optimised here.
    let small = std::thread::Builder::new().stack_size(1280 * 1024);
    small.spawn(deepest).unwrap().join().unwrap();
}

#[test]
fn errors_point_at_their_source() {
    let Err(Failure::Invalid(error)) = run("1 + m.t.x.y") else { panic!("should fail") };
    assert_eq!(error.range, 8..9);
    assert_eq!(error.message, "cannot fetch x from string");
}
