use proptest::prelude::*;
use serde_json::json;

use super::*;

const TEXT: &str = "# top\ntitle = \"app\" # trailing\nversion = '1'\ncount = 3\nratio = 1.5\nwhen = 1979-05-27T07:32:00Z\nml = \"\"\"\nx\"\"\"\n\
arr = [1, 2 , [3]]\ninline = { a = 1, c.d = 5 }\n\"dot.ted\" = 2\na.b.c = 'x'\n\n[server]\n  port = 80   # spaced\n\n\
[[items]]\nname = \"one\"\n[[items]]\nname = \"two\"\n[items.tls]\nk = 1\n[[items.sub]]\nk = \"v\"\n[[items.sub]]\nk = \"w\"\n";

fn set(text: &str, key: &str, value: serde_json::Value) -> Result<String, EditError> {
    let scalar = Scalar::of_update(key, &value, false)?;
    update(text, &[(KeyPath::parse(key)?, scalar)])
}

#[track_caller]
fn check(key: &str, value: impl Into<serde_json::Value>, old: &str, new: &str) {
    let value = value.into();
    let expected = TEXT.replacen(old, new, 1);
    assert_ne!(expected, TEXT);
    assert_eq!(set(TEXT, key, value.clone()).unwrap(), expected);
    assert_eq!(set(&expected, key, value).unwrap(), expected);
}

#[test]
fn every_kind_of_place_is_reached_and_the_rest_stays() {
    check("title", "new", "\"app\" #", "\"new\" #");
    check("version", "2", "'1'", "'2'");
    check("version", "it's", "'1'", "\"it's\"");
    check("count", 9090, "3\n", "9090\n");
    check("ratio", 2, "1.5", "2.0");
    check("ratio", 2.25, "1.5", "2.25");
    check("when", "x", "1979-05-27T07:32:00Z", "'x'");
    check("ml", "x", "\"\"\"\nx\"\"\"", "\"x\"");
    check("arr.1", true, "2 ,", "true ,");
    check("arr.2.0", 4, "[3]", "[4]");
    check("inline.c.d", "é", "5 }", "'é' }");
    check(r"dot\.ted", 1e6, "= 2\n", "= 1000000\n");
    check("a.b.c", 1, "'x'", "1");
    check("server.port", 81, "80   #", "81   #");
    check("items.1.name", "z", "\"two\"", "\"z\"");
    check("items.1.tls.k", 2, "k = 1", "k = 2");
    check("items.1.sub.1.k", "z", "\"w\"", "\"z\"");
}

#[test]
fn members_of_the_only_table_that_has_them_need_no_index() {
    check("items.tls.k", 2, "k = 1", "k = 2");
    check("items.sub.0.k", "z", "\"v\"", "\"z\"");
    assert!(set(TEXT, "items.name", json!("z")).is_err());
}

#[test]
fn what_is_no_scalar_is_refused() {
    for key in [
        "missing",
        "server",
        "arr",
        "items",
        "inline",
        "a.b",
        "arr.3",
        "arr.-1",
        "title.x",
        "items.2.name",
    ] {
        let error = set(TEXT, key, json!("x")).unwrap_err();
        assert!(error.to_string().contains(&format!("{key:?}")), "{error}");
    }
    for value in [json!(null), json!([]), json!({})] {
        assert!(set(TEXT, "title", value).is_err());
    }
    for text in
        ["", "# c\n", "a = ", "[a]\n[a]\nb = 1\n", "not toml", "é = 1\na = 1\n", "a = 1\na = 2"]
    {
        assert!(set(text, "a", json!(1)).is_err(), "{text}");
    }
}

#[test]
fn line_ends_stay() {
    assert_eq!(set("a = 1\r\nb = 2\r\n", "a", json!("x")).unwrap(), "a = 'x'\r\nb = 2\r\n");
    assert_eq!(set("a = \"x\"#c", "a", json!("y\n\u{1}")).unwrap(), "a = \"y\\n\\u0001\"#c");
}

#[test]
fn documents_keep_integers_and_points_in_time() {
    let Data::Table(members) =
        parse("n = 42\nf = inf\nt = 1979-05-27 07:32:00Z\nd = 1979-05-27\nl = [[true]]\n[a.b]\n")
            .unwrap()
    else {
        panic!("a table");
    };
    let values: Vec<Data> = members.into_iter().map(|(_, value)| value).collect();
    let table = Data::Table(vec![("b".to_owned(), Data::Table(Vec::new()))]);
    assert_eq!(
        values,
        [
            Data::Integer(42),
            Data::Float(f64::INFINITY),
            Data::Moment("1979-05-27T07:32:00Z".to_owned()),
            Data::Text("1979-05-27".to_owned()),
            Data::List(vec![Data::List(vec![Data::Bool(true)])]),
            table,
        ]
    );
    assert_eq!(parse(""), Err(EditError::Empty));
    assert_eq!(parse("# c\n"), Ok(Data::Table(Vec::new())));
}

proptest! {
    #[test]
    fn texts_that_were_set_are_there(value in "[ -~é\\n\\t\\r\u{1}]{0,12}", key in "(title|version|count|ml|arr\\.0|items\\.0\\.name)") {
        let edited = set(TEXT, &key, json!(value)).unwrap();
        let document = read(&edited).unwrap();
        let found = locate(document.as_table(), &KeyPath::parse(&key).unwrap()).unwrap();
        prop_assert_eq!(found.as_str(), Some(value.as_str()));
        let written = found.span().unwrap();
        let before = read(TEXT).unwrap();
        let replaced = locate(before.as_table(), &KeyPath::parse(&key).unwrap()).unwrap().span().unwrap();
        prop_assert_eq!(&edited[..written.start], &TEXT[..replaced.start]);
        prop_assert_eq!(&edited[written.end..], &TEXT[replaced.end..]);
        prop_assert_eq!(set(&edited, &key, json!(value)).unwrap(), edited);
    }

    #[test]
    fn arbitrary_text_never_panics(text in "[\\[\\]{}=.,\"'# \n\ra1-]{0,32}") {
        let _ = set(&text, "a.1", json!("x"));
        let _ = parse(&text);
    }
}
