//! Properties of all inputs.

use jiff::Timestamp;
use proptest::prelude::*;

use crate::library::Library;
use crate::parser::parse;
use crate::print::print;
use crate::{Program, Scope, Template, Value, Variables, evaluate_document};

/// Source texts of expressions, as trees that are printed with all their parentheses.
fn expression() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        Just("nil".to_owned()),
        any::<bool>().prop_map(|truth| truth.to_string()),
        (0..i64::MAX).prop_map(|number| number.to_string()),
        (0.0..1e9f64).prop_map(|number| format!("{number:?}")),
        "[a-z][a-z0-9]{0,5}".prop_map(|name| format!("v_{name}")),
        any::<String>()
            .prop_map(|text| format!("{text:?}").replace("\\'", "'").replace("\\0", "\\x00")),
        Just("$env".to_owned()),
        Just("secret".to_owned()),
    ];
    leaf.prop_recursive(5, 48, 4, |inner| {
        let pair = (inner.clone(), inner.clone());
        let operator = prop::sample::select(vec![
            "+",
            "-",
            "*",
            "/",
            "%",
            "**",
            "==",
            "!=",
            "<",
            "<=",
            ">",
            ">=",
            "&&",
            "||",
            "??",
            "in",
            "contains",
            "startsWith",
            "endsWith",
            "matches",
            "..",
            "not in",
        ]);
        prop_oneof![
            (operator, pair.clone()).prop_map(|(op, (a, b))| format!("({a}) {op} ({b})")),
            (prop::sample::select(vec!["!", "-", "+"]), inner.clone())
                .prop_map(|(op, a)| format!("{op}({a})")),
            pair.clone().prop_map(|(a, b)| format!("({a})[{b}]")),
            pair.clone().prop_map(|(a, b)| format!("({a})?.[{b}]?.f.g")),
            pair.clone().prop_map(|(a, b)| format!("({a})[{b}:]")),
            inner.clone().prop_map(|a| format!("({a}).field.call({a})")),
            pair.clone().prop_map(|(a, b)| format!("map({a}, {{ [#, #index, .x, {b}] }})")),
            pair.clone().prop_map(|(a, b)| format!("reduce({a}, #acc == {b}, 1)")),
            pair.clone().prop_map(|(a, b)| format!("let w = ({a}); [w, {b}]")),
            pair.clone().prop_map(|(a, b)| format!("if {a} {{ {b} }} else {{ {a}; {b} }}")),
            pair.clone().prop_map(|(a, b)| format!("({a}) ? ({b}) : ({a})")),
            pair.clone().prop_map(|(a, b)| format!("{{k: {a}, ({b}): 1}}")),
            pair.prop_map(|(a, b)| format!("(({a}) | f({b})) < ({a}) < ({b})")),
            prop::collection::vec(inner, 0..4).prop_map(|items| format!("[{}]", items.join(", "))),
        ]
    })
}

/// Texts made of pieces of the language, most of which mean nothing.
fn fragments() -> impl Strategy<Value = String> {
    let fragment = prop::sample::select(vec![
        "(",
        ")",
        "[",
        "]",
        "{",
        "}",
        "${{",
        "}}",
        "${%",
        "%}",
        ".",
        "?.",
        "??",
        "?",
        ":",
        "::",
        ";",
        ",",
        "#",
        "#acc",
        "|",
        "||",
        "&&",
        "not",
        "in",
        "let",
        "if",
        "else",
        "=",
        "==",
        "..",
        "**",
        "-",
        "!",
        "1",
        "0x",
        "1e9",
        "9223372036854775807",
        "'a'",
        "\"",
        "`",
        "b'x'",
        "nil",
        "true",
        "$env",
        "x",
        "map",
        "filter",
        "sum",
        "len",
        "date",
        "now",
        "split",
        "sort",
        "fromJSON",
        "toJSON",
        "repeat",
        "quote",
        "asYAML",
        "matches",
        "%",
        "/",
        "//",
        "/*",
        " ",
        "\n",
        "é",
        "\u{2028}",
        "max",
        "fromPairs",
        "groupBy",
        "duration('1h')",
        "timezone('UTC')",
        "bitshl",
        "get",
        "int",
    ]);
    prop::collection::vec(fragment, 0..24).prop_map(|fragments| fragments.join(" "))
}

fn evaluate(source: &str) {
    let json = serde_json::json!({"x": [1, "a", {"k": [null]}], "m": {"k": "v"}});
    let variables = Variables::from_root(Value::from_json(&json));
    let scope = Scope::new(&variables, Timestamp::UNIX_EPOCH);
    let _ = Program::compile(source, Library::QUOTING).map(|program| program.run(&scope));
    let _ = Template::parse(source).map(|template| template.evaluate(Library::STEP, &scope));
    let document = serde_json::json!({"a": source, "b": format!("${{{{ {source} }}}}")});
    let _ = evaluate_document(&document.to_string(), Library::CRITERIA, &scope);
    let _ = evaluate_document(source, Library::CRITERIA, &scope);
}

/// The text of the variable `secret`, which no other text holds by chance.
const SECRET: &str = "T0P-S3CR3T";

proptest! {
    #[test]
    fn whatever_shows_a_secret_is_tainted(source in expression(), wrap in 0..8) {
        let call = ["", "upper", "string", "toJSON", "asYAML", "quote", "fromJSON", "split"];
        let source = match call.get(usize::try_from(wrap).unwrap_or_default()) {
            Some(&"split") => format!("split(string({source}), ' ')"),
            Some(name) => format!("{name}({source})"),
            None => source,
        };
        let variables = Variables::from_iter([("secret", Value::text(SECRET).tainted())]);
        let scope = Scope::new(&variables, Timestamp::UNIX_EPOCH);
        let program = Program::compile(&source, Library::QUOTING);
        if let Ok(Ok(value)) = program.map(|program| program.run(&scope)) {
            let shown = value.to_json().unwrap_or_default().to_string();
            prop_assert!(!shown.contains(SECRET) || value.is_tainted(), "{source}");
        }
        let template = format!("a-${{% {source} %}}-b");
        let template = Template::parse(&template);
        if let Ok(Ok(value)) = template.map(|it| it.evaluate(Library::PLAIN, &scope)) {
            let shown = value.to_json().unwrap_or_default().to_string();
            prop_assert!(!shown.contains(SECRET) || value.is_tainted(), "{source}");
        }
    }

    #[test]
    fn a_printed_tree_is_read_as_the_same_tree(source in expression()) {
        if let Ok((ast, root)) = parse(&source, Library::PLAIN) {
            let printed = print(&ast, root);
            let (again, root) = parse(&printed, Library::PLAIN)
                .map_err(|error| TestCaseError::fail(format!("{source}\n{printed}\n{error}")))?;
            prop_assert_eq!(print(&again, root), printed);
        }
    }

    #[test]
    fn trees_are_evaluated_without_panic(source in expression()) {
        evaluate(&source);
    }

    #[test]
    fn fragments_are_evaluated_without_panic(source in fragments()) {
        evaluate(&source);
    }

    #[test]
    fn any_text_is_evaluated_without_panic(source in any::<String>()) {
        evaluate(&source);
    }

    #[test]
    fn json_survives_a_round_trip(text in any::<String>(), number in any::<f64>()) {
        let json = serde_json::json!({"t": [text, number, {"x": null}]});
        let value = Value::from_json(&json);
        let written = crate::json::write(&value);
        if number.is_finite() {
            let read = crate::json::read(written.unwrap().as_bytes()).unwrap();
            prop_assert!(crate::value::equal(&read, &value));
        }
    }
}
