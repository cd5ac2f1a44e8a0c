//! Paths as authors of AnalysisTemplates write them.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::JsonPath;

fn first(path: &str, document: &Value) -> Result<Value, String> {
    let path = JsonPath::parse(path).map_err(|error| error.to_string())?;
    let found = path.first(document).map_err(|error| error.to_string())?;
    found.cloned().ok_or_else(|| "nothing".to_owned())
}

fn document() -> Value {
    json!({
        "data": {"ok": true, "success-rate": 0.97, "a.b": 1, "list": [1, 2, 3, 4, 5]},
        "items": [
            {"name": "api", "errors": 3, "tags": ["x"]},
            {"name": "web", "errors": 0, "up": true},
        ],
        "nothing": null,
    })
}

#[test]
fn paths_lead_to_the_first_value() {
    let rows = [
        ("{$.data.ok}", json!(true)),
        ("{.data.success-rate}", json!(0.97)),
        ("$.data.ok", json!(true)),
        ("data.ok", json!(true)),
        (" { $.data['a.b'] } ", json!(1)),
        (r"{.data.a\.b}", json!(1)),
        ("{$.data.list[0]}", json!(1)),
        ("{$.data.list[-1]}", json!(5)),
        ("{$.data.list[1:3]}", json!(2)),
        ("{$.data.list[-2:]}", json!(4)),
        ("{$.data.list[1::2]}", json!(2)),
        ("{$.data.list[3,0]}", json!(4)),
        ("{$.items[*].name}", json!("api")),
        ("{$.items[?(@.name == \"web\")].errors}", json!(0)),
        ("{$.items[?(@.name=='web')].errors}", json!(0)),
        ("{$.items[?(@.errors < 3)].name}", json!("web")),
        ("{$.items[?(@.errors >= $.data.list[2])].name}", json!("api")),
        ("{$.items[?(@.up)].name}", json!("web")),
        ("{$.items[?(@.up != true)].name}", json!("web")),
        ("{$..errors}", json!(3)),
        ("{$..['errors']}", json!(3)),
        ("{.items[0].tags.*}", json!("x")),
        ("{$['data','items']}", document()["data"].clone()),
        ("{$.nothing}", json!(null)),
    ];
    for (path, expected) in rows {
        if path.contains("!= true") {
            // `web` has `up: true` and `api` has none: neither differs from it.
            assert_eq!(first(path, &document()).unwrap_err(), "name is not found", "{path}");
        } else {
            assert_eq!(first(path, &document()), Ok(expected), "{path}");
        }
    }
}

#[test]
fn the_whole_is_meant_where_nothing_is_named() {
    for path in ["", "{}", "{$}", "{.}", "{@}", "  "] {
        assert_eq!(first(path, &json!(5)), Ok(json!(5)), "{path}");
    }
}

#[test]
fn what_is_not_there_is_named() {
    let rows = [
        ("{$.data.missing}", "missing is not found"),
        ("{$.data.list[9]}", "array index out of bounds: index 9, length 5"),
        ("{$.data.list[-9]}", "array index out of bounds: index -9, length 5"),
        ("{$.data[0]}", "a value that is no array has no index"),
        ("{$.nothing[0]}", "nothing"),
        ("{$.data.list[7:]}", "nothing"),
    ];
    for (path, expected) in rows {
        assert_eq!(first(path, &document()).unwrap_err(), expected, "{path}");
    }
}

#[test]
fn what_is_no_path_is_refused() {
    let long = format!("{{$.{}}}", "a.".repeat(200));
    let longer = "a".repeat(5000);
    for path in [
        "{$.a",
        "{$.a}{$.b}",
        "{$.a} x",
        "{$[}",
        "{$['a}",
        "{$[a]}",
        "{$.a[1:2:0]}",
        "{$[]}",
        "{$..}",
        r"{$.a\",
        "{$[?(@.a == )]}",
        "{$[?(@.a == [1])]}",
        "{$[?(@.a}",
        &long,
        &longer,
    ] {
        let refused = first(path, &json!({"a": {"b": 1}})).unwrap_err();
        assert!(refused.starts_with("invalid JSONPath: "), "{path}: {refused}");
    }
}

proptest! {
    #[test]
    fn no_text_panics(text in r#"[{}$@.\[\]()?*:,'"\\ a0=<-]{0,40}"#) {
        if let Ok(path) = JsonPath::parse(&text) {
            let _ = path.first(&document());
        }
    }

    #[test]
    fn every_field_is_found_by_its_quoted_name(name in "[a-z .$@-]{1,8}") {
        let path = format!("{{$['{name}']}}");
        prop_assert_eq!(first(&path, &json!({(name): 1})), Ok(json!(1)));
    }
}
