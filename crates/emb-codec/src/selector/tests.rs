use std::borrow::Cow;

use proptest::prelude::*;
use serde_json::json;

use super::*;

fn selects(selector: &str, labels: &[(&str, &str)]) -> bool {
    let find = |key: &str| labels.iter().find(|(name, _)| *name == key).map(|(_, value)| *value);
    LabelSelector::parse(selector).unwrap().matches(find)
}

fn label_error(selector: &str) -> String {
    LabelSelector::parse(selector).unwrap_err().to_string()
}

fn field_error(selector: &str) -> String {
    FieldSelector::parse(selector).unwrap_err().to_string()
}

#[test]
fn labels_match_as_the_grammar_says() {
    let labels = [("a", "1"), ("b", ""), ("in", "notin")];
    for yes in [
        "",
        "a",
        "!c",
        "a=1",
        "a==1",
        "a!=2",
        "c!=1",
        "a in (1,2)",
        "a in(2,1)",
        "c notin (x)",
        "a notin (x)",
        "b=",
        "b in ()",
        "b in (,x)",
        "b in (x,)",
        "b in (x,,y)",
        "a>0",
        "a<2",
        " a = 1 , b ",
        "in=notin",
        "in in (in,notin)",
        "a=1,!c,b=",
    ] {
        assert!(selects(yes, &labels), "{yes}");
    }
    for no in [
        "c",
        "!a",
        "a=2",
        "a!=1",
        "c=",
        "a in (2)",
        "a notin (1)",
        "a>1",
        "a<1",
        "b>0",
        "c<1",
        "a in ()",
        "a=1,c",
    ] {
        assert!(!selects(no, &labels), "{no}");
    }
}

#[test]
fn label_errors_have_the_text_of_the_api() {
    let cases = [
        ("=a", "found '=', expected: !, identifier, or 'end of string'"),
        (",a", "found ',', expected: !, identifier, or 'end of string'"),
        ("a,", "found '', expected: identifier after ','"),
        ("a,=b", "found '=', expected: identifier after ','"),
        ("a=b c", "found 'c', expected: ',' or 'end of string'"),
        ("!a=b", "found '=', expected: ',' or 'end of string'"),
        ("!", "unable to parse requirement: found '', expected: identifier"),
        ("a b", "unable to parse requirement: found 'b', expected: in, notin, =, ==, !=, gt, lt"),
        ("a=(", "unable to parse requirement: found '(', expected: identifier"),
        ("a in b", "unable to parse requirement: found 'b' expected: '('"),
        ("a in (=", "unable to parse requirement: found '=', expected: ',', ')' or identifier"),
        ("a in (b", "unable to parse requirement: found '', expected: ',' or ')'"),
        ("a in (b,=", "unable to parse requirement: found '=', expected: ',', or identifier"),
        (
            "a>x",
            "unable to parse requirement: values[0]: Invalid value: \"x\": for 'Gt', 'Lt' operators, the value must be an integer",
        ),
    ];
    for (selector, expected) in cases {
        assert_eq!(label_error(selector), expected, "{selector}");
    }
    assert!(label_error("-a=b").starts_with(
        "unable to parse requirement: <nil>: Invalid value: \"-a\": name part must consist of"
    ));
    assert!(label_error("a=-").starts_with(
        "unable to parse requirement: values[0][a]: Invalid value: \"-\": a valid label must be"
    ));
    assert!(
        label_error("/")
            .contains("prefix part must be non-empty; name part must be non-empty; name part must")
    );
    assert!(label_error("a/b/c").contains("with an optional DNS subdomain prefix"));
    assert!(label_error("A/b").contains("prefix part a lowercase RFC 1123"));
}

#[test]
fn selector_objects_match_like_their_query_form() {
    let object = json!({
        "matchLabels": {"b": "x"},
        "matchExpressions": [
            {"key": "a", "operator": "In", "values": ["2", "1"]},
            {"key": "c", "operator": "DoesNotExist"},
        ],
    });
    let selector = LabelSelector::from_object(&object).unwrap();
    assert_eq!(selector.to_string(), "a in (1,2),b=x,!c");
    assert!(LabelSelector::from_object(&json!({})).unwrap().is_everything());
    assert!(!LabelSelector::from_object(&json!(null)).unwrap().matches(|_| None));

    let error = |object| LabelSelector::from_object(&object).unwrap_err().to_string();
    assert_eq!(
        error(json!({"matchExpressions": [{"key": "a", "operator": "Like"}]})),
        "\"Like\" is not a valid label selector operator"
    );
    assert_eq!(
        error(json!({"matchExpressions": [{"key": "a", "operator": "In"}]})),
        "values: Invalid value: null: for 'in', 'notin' operators, values set can't be empty"
    );
}

#[test]
fn an_exact_label_is_known_to_the_index() {
    let selector = LabelSelector::parse("a=1,b in (2),c in (3,4),d!=5").unwrap();
    let exact = ["a", "b", "c", "d", "e"].map(|label| selector.exact(label));
    assert_eq!(exact, [Some("1"), Some("2"), None, None, None]);
}

#[test]
fn fields_match_by_text_and_absent_ones_are_empty() {
    let get = |field: &str| match field {
        "metadata.name" => Cow::Borrowed("a"),
        "odd" => Cow::Borrowed(r"x,y=z\"),
        _ => Cow::Borrowed(""),
    };
    for yes in [
        "",
        "metadata.name=a",
        "metadata.name==a,none=",
        "metadata.name!=b",
        r"odd=x\,y\=z\\",
        ",",
        "=",
    ] {
        assert!(FieldSelector::parse(yes).unwrap().matches(get), "{yes}");
    }
    for no in ["metadata.name=b", "metadata.name!=a", "none!=", "metadata.name=a,none=x"] {
        assert!(!FieldSelector::parse(no).unwrap().matches(get), "{no}");
    }
    let selector = FieldSelector::parse("b!=1,a==2").unwrap();
    assert_eq!((selector.exact("a"), selector.exact("b")), (Some("2"), None));
    assert_eq!(selector.to_string(), "a=2,b!=1");
    assert_eq!(FieldSelector::parse("a=c,a==b").unwrap().to_string(), "a=b,a=c");
}

#[test]
fn field_errors_have_the_text_of_the_api() {
    assert_eq!(field_error("x"), "invalid selector: 'x'; can't understand 'x'");
    assert_eq!(field_error("b=1,x"), "invalid selector: 'b=1,x'; can't understand 'x'");
    assert_eq!(field_error(r"a=\b"), r"invalid field selector: invalid escape sequence: \b");
    assert_eq!(field_error(r"a=b\"), r"invalid field selector: invalid escape sequence: \");
    assert_eq!(field_error("a=b=c"), "invalid field selector: unescaped character in value: 61");
}

proptest! {
    #[test]
    fn label_selectors_display_what_parses_to_themselves(text in "[ab!=<>() ,/01in]{0,24}") {
        if let Ok(selector) = LabelSelector::parse(&text) {
            prop_assert_eq!(LabelSelector::parse(&selector.to_string()).unwrap(), selector);
        }
    }

    #[test]
    fn field_selectors_display_what_parses_to_themselves(text in r"[ab!=\\ ,.é]{0,24}") {
        if let Ok(selector) = FieldSelector::parse(&text) {
            prop_assert_eq!(FieldSelector::parse(&selector.to_string()).unwrap(), selector);
        }
    }

    #[test]
    fn arbitrary_text_never_panics(text in ".*") {
        let _ = (LabelSelector::parse(&text), FieldSelector::parse(&text));
    }
}
