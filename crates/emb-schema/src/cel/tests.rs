use emb_meta::FieldPath;
use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;
use crate::{
    compile::Compiler,
    node::{Envelope, Node},
};

fn node() -> Node {
    let schema = json!({"type": "object", "properties": {
        "s": {"type": "string"}, "i": {"type": "integer"}, "d": {"type": "number"}, "b": {"type": "boolean"},
        "any": {"x-kubernetes-int-or-string": true},
        "when": {"type": "string", "format": "date-time"},
        "wait": {"type": "string", "format": "duration"},
        "rest": {"type": "string", "format": "duration"},
        "raw": {"type": "string", "format": "byte"},
        "list": {"type": "array", "items": {"type": "string"}},
        "set": {"type": "array", "items": {"type": "string"}, "x-kubernetes-list-type": "set"},
        "ints": {"type": "array", "items": {"type": "integer"}},
        "map": {"type": "object", "additionalProperties": {"type": "string"}},
        "sub": {"type": "object", "properties": {"namespace": {"type": "string"}, "a-b": {"type": "string"}}},
        "free": {"x-kubernetes-preserve-unknown-fields": true},
    }});
    Compiler::new().root(&schema, &FieldPath::root(), Envelope::None)
}

fn object() -> Value {
    json!({
        "s": "héllo", "i": 5, "d": 2, "b": true, "any": 7,
        "when": "2024-02-29T12:00:00Z", "wait": "1h30m", "rest": "2 days and 3 hours", "raw": "YWJj",
        "list": ["a", "b"], "set": ["x", "y"], "ints": [3, 1, 2],
        "map": {"k": "v", "k2": "w"}, "sub": {"namespace": "n", "a-b": "d"},
    })
}

pub(super) fn holds(source: &str) -> Result<bool, String> {
    let (node, object) = (node(), object());
    let own = Type::of(&node).unwrap();
    let program = Program::compile(source, &own, false, &Type::Bool)?;
    let variables =
        Variables { new: &object, old: Some(&object), node: &node, old_is_optional: false };
    program.holds(variables, &mut Meter { left: 100_000 }).map_err(|error| format!("{error:?}"))
}

#[test]
fn true_expressions_are_true() {
    for source in [
        "self.s == 'héllo' && self.s.size() == 5 && size(self.list) == 2",
        "self.i + 2 * 3 == 11 && self.i % 2 == 1 && -self.i == -5 && 7 / 2 == 3",
        "self.d == 2.0 && self.d < 3 && self.i >= 5.0",
        "self.b ? self.s != '' : false",
        "has(self.s) && !has(self.sub.__namespace__) == false && has(self.map.k)",
        "self.sub.__namespace__ == 'n' && self.sub.a__dash__b == 'd'",
        "'k' in self.map && self.map['k'] == 'v' && self.map.k2 == 'w' && !('z' in self.map)",
        "'a' in self.list && self.list[1] == 'b' && self.list == ['a', 'b']",
        "self.list.all(x, x in ['a', 'b']) && self.list.exists(x, x == 'b')",
        "self.list.exists_one(x, x == 'a') && self.map.all(k, self.map[k].size() == 1)",
        "self.list.map(x, x + x) == ['aa', 'bb'] && self.ints.map(x, x > 1, x * 2) == [6, 4]",
        "self.ints.filter(x, x > 1) == [3, 2] && self.ints.sort() == [1, 2, 3]",
        "self.ints.sum() == 6 && self.ints.min() == 1 && self.ints.max() == 3 && !self.ints.isSorted()",
        "self.s.startsWith('h') && self.s.endsWith('lo') && self.s.contains('él') && self.s.matches('^h.l+o$')",
        "self.s.substring(1, 3) == 'él' && self.s.charAt(1) == 'é' && self.s.indexOf('l') == 2 && self.s.lastIndexOf('l') == 3",
        "'a,b,c'.split(',').size() == 3 && ['a', 'b'].join('-') == 'a-b' && 'aXbX'.replace('X', '') == 'ab'",
        "' A '.trim().lowerAscii() == 'a' && 'a1b22'.findAll('[0-9]+') == ['1', '22'] && 'a1'.find('[0-9]') == '1'",
        "type(self.any) == int && self.any == 7 && string(self.any) == '7' && int('5') == self.i",
        "self.when > timestamp('2024-01-01T00:00:00Z') && self.when.getFullYear() == 2024 && self.when.getMonth() == 1 && self.when.getDate() == 29",
        "self.wait == duration('90m') && self.when + self.wait == timestamp('2024-02-29T13:30:00Z') && self.wait.getMinutes() == 90",
        "self.rest == duration('51h') && self.rest > self.wait",
        "duration('2562047h47m16.854775807s').getSeconds() == 9223372036",
        "self.raw == b'abc' && size(self.raw) == 3",
        "self.set == oldSelf.set && sets.equivalent(self.set, ['y', 'x']) && sets.intersects(self.set, ['y'])",
        "self == oldSelf && {'a': 1}.a == 1 && {'a': 1} == {'a': 1}",
        "self.?s.orValue('x') == 'héllo' && self.map[?'zz'].orValue('none') == 'none' && optional.none().hasValue() == false",
        "self.set + ['z', 'x'] == ['x', 'y', 'z'] && self.list + ['a'] == ['a', 'b', 'a']",
        // What decides wins over what fails, on either side.
        "true || self.list[9] == ''",
        "self.list[9] == '' || true",
        "!(self.list[9] == '' && false)",
        "r'\\d' == '\\\\d' && \"\"\"a\nb\"\"\" == 'a\\nb' && '\\u00e9' == 'é' // comment",
        "0x10 == 16 && 1e2 == 100.0 && .5 < 1.0 && 3u == 3u",
        "lists.range(3) == [0, 1, 2] && [1, 1, 2].distinct() == [1, 2] && [1, 2].reverse() == [2, 1] && [1,2,3].slice(0, 2) == [1, 2]",
    ] {
        assert_eq!(holds(source), Ok(true), "{source}");
    }
}

#[test]
fn what_cannot_work_does_not_compile() {
    for (source, problem) in [
        ("self.nope == 1", "undefined field 'nope'"),
        ("self.free == 1", "undefined field 'free'"),
        ("other", "undeclared reference to 'other'"),
        ("foo(1)", "undeclared reference to 'foo'"),
        ("self.s == 1", "found no matching overload for '_==_' applied to '(string, int)'"),
        (
            "self.s.startsWith(1)",
            "found no matching overload for 'startsWith' applied to 'string.(int)'",
        ),
        ("self.i.foo == 1", "type 'int' does not support field selection"),
        ("self.s.all(x, true)", "cannot be range of a comprehension"),
        ("self.s && true", "expected type 'bool' but found 'string'"),
        ("[1, 'a'] == []", "expected type 'int' but found 'string'"),
        ("has(self)", "invalid argument to has() macro"),
        ("self.s.matches('(')", "invalid matches argument"),
        ("if == 1", "reserved identifier: if"),
        ("'a", "unterminated string literal"),
        ("1 +", "Syntax error"),
        ("self.s", "must evaluate to a bool"),
        ("99999999999999999999 == 1", "invalid int literal"),
    ] {
        let error = holds(source).unwrap_err();
        assert!(error.contains(problem), "{source}: {error}");
    }
    let deep = format!("{}true{}", "(".repeat(1000), ")".repeat(1000));
    assert!(holds(&deep).unwrap_err().contains("recursion limit"));
    assert!(holds(&"!".repeat(5000)).is_err());
    let wide = (0..60).fold("1".to_owned(), |inner, _| format!("({inner}{})", "+1".repeat(100)));
    assert!(holds(&format!("{wide} > 0")).unwrap_err().contains("recursion limit"));
    assert_eq!(holds(&vec!["true"; 500].join(" && ")), Ok(true));
}

#[test]
fn what_goes_wrong_at_run_time_is_told() {
    for (source, problem) in [
        ("self.list[5] == ''", "index out of bounds: 5"),
        ("self.map['zz'] == ''", "no such key: zz"),
        ("1 / (self.i - 5) == 0", "division by zero"),
        ("9223372036854775807 + self.i > 0", "integer overflow"),
        ("self.any.startsWith('a')", "NoSuchOverload"),
        ("lists.range(100000000).size() > 0", "OutOfBudget"),
        ("int(self.s) == 1", "type conversion error"),
    ] {
        let error = holds(source).unwrap_err();
        assert!(error.contains(problem), "{source}: {error}");
    }
}

proptest! {
    #[test]
    fn no_source_upsets_the_engine(source in "[ -~é]{0,40}") {
        let _ = holds(&source);
    }

    #[test]
    fn no_likely_source_upsets_the_engine(
        words in proptest::collection::vec(
            prop_oneof![
                Just("self"), Just(".s"), Just(".list"), Just(".map"), Just(".any"), Just("["), Just("]"), Just("("),
                Just(")"), Just("0"), Just("'a'"), Just("=="), Just("<"), Just("+"), Just("&&"), Just("||"), Just("!"),
                Just("?"), Just(":"), Just(".all(x,"), Just(".map(x,"), Just("x"), Just(".size()"), Just("has("),
                Just("in"), Just("1.5"), Just("-"), Just("{"), Just("}"), Just(","), Just(".sort()"), Just("oldSelf"),
            ],
            0..24,
        )
    ) {
        let _ = holds(&words.join(" "));
    }
}
