//! The kinds of the fixture: see `dev_testkit::fixture`.

use serde_json::{Value, json};

use super::Kind;

pub(super) const WIDGET: Kind = Kind {
    plural: "widgets",
    name: "Widget",
    api_version: "conf.example.com/v1",
    namespaced: true,
    custom: true,
    status: true,
    minimal: || json!({"spec": {"color": "red"}}),
    fields: widget_fields,
};

pub(super) const GADGET: Kind = Kind {
    plural: "gadgets",
    name: "Gadget",
    api_version: "conf.example.com/v1",
    namespaced: false,
    custom: true,
    status: false,
    minimal: || json!({}),
    fields: || {
        json!({
            "/spec/size": {"good": [1, 2, null], "bad": ["x", 1.5]},
            "/spec": {"good": [{}, {"size": 3}], "bad": [[], "x"]},
            "/spec/bogus": {"good": [], "bad": [1]},
            "/status/phase": {"good": ["Ready", "Waiting", null], "bad": [1]},
        })
    },
};

fn widget_fields() -> Value {
    let mut fields = scalars();
    for part in [collections(), rules(), status()] {
        if let (Some(fields), Value::Object(part)) = (fields.as_object_mut(), part) {
            fields.extend(part);
        }
    }
    fields
}

fn scalars() -> Value {
    json!({
        "/spec/color": {"good": ["red", "green", "blue"], "bad": ["pink", 5, null]},
        "/spec/size": {"good": ["large", "small", null], "bad": [3]},
        "/spec/count": {"good": [0, 1, 100, 5.0, null], "bad": [-1, 101, 5.5, "x"]},
        "/spec/ratio": {"good": [0.5, 1, 1000.0, -2.25], "bad": ["x"]},
        "/spec/big": {"good": [9_007_199_254_740_993_i64, -1], "bad": [1.5]},
        "/spec/on": {"good": [true, false], "bad": ["true"]},
        "/spec/note": {"good": ["abc", "de"], "bad": ["A", "abcdefghijklm", "ABC", ""]},
        "/spec/when": {"good": ["2026-01-02T03:04:05Z"], "bad": ["yesterday"]},
        "/spec/every": {"good": ["5m", "1h30m"], "bad": ["often"]},
        "/spec/port": {"good": [80, "http"], "bad": [true, 1.5]},
        "/spec/maybe": {"good": [null, "x"], "bad": [1]},
        "/spec/plain": {"good": [null, "x", "y"], "bad": [{}]},
        "/spec/bogus": {"good": [], "bad": [1, {"deep": true}]},
        "/bogus": {"good": [], "bad": [1]},
    })
}

fn collections() -> Value {
    json!({
        "/spec/sub": {"good": [{}, {"a": "x"}, {"depth": 7}, {"a": null}, null], "bad": [{"depth": "x"}, {"b": 1}, []]},
        "/spec/tags": {"good": [["a", "b"], ["b"], [], ["c", "a"]], "bad": [["a", "a"], [1], "a"]},
        "/spec/items": {
            "good": [[{"name": "a", "value": "1"}], [{"name": "b"}, {"name": "a", "value": "2"}], []],
            "bad": [[{"name": "a"}, {"name": "a"}], [{"value": "x"}], [{"name": "a"}, {"name": "b"}, {"name": "c"}, {"name": "d"}]]},
        "/spec/path": {"good": [["a", "b"], []], "bad": [[null], ["a", 1]]},
        "/spec/labels": {"good": [{"x": "y"}, {"x": "z", "w": ""}, {}], "bad": [{"x": 1}, {"x": null}]},
        "/spec/any": {"good": [1, "x", null, {"a": [1, null, {"b": {}}]}, [[]], 1.0], "bad": []},
        "/spec/free": {"good": [{"a": {"b": null}, "c": 1.5}, {}], "bad": [1]},
        "/spec/embedded": {
            "good": [{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p", "labels": {"a": "b"}}, "x": 1}],
            "bad": [{"kind": "Pod"}, {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "-"}}]},
    })
}

fn rules() -> Value {
    json!({
        "/spec/min": {"good": [1, 2], "bad": [9]},
        "/spec/max": {"good": [5, 6], "bad": [0]},
        "/spec/fixed": {"good": ["x", null], "bad": ["y"]},
        "/spec/silent": {"good": [1, 9], "bad": [10]},
        "/spec/spoken": {"good": ["ok"], "bad": ["bad"]},
        "/spec/barred": {"good": ["ok"], "bad": ["bad", "0123456789012345678901"]},
        "/spec/pair": {"good": [{"left": "xa"}, {"left": "xb", "right": "r"}], "bad": [{"left": "a"}, {"right": "b"}]},
    })
}

fn status() -> Value {
    json!({
        "/status/phase": {"good": ["Ready", "Waiting", null], "bad": [1]},
        "/status/observed": {"good": [1, 2], "bad": ["x"]},
        "/status/bogus": {"good": [], "bad": ["x"]},
        "/status/conditions": {
            "good": [[{"type": "Ready", "status": "True"}], [{"type": "Ready", "status": "False", "message": "m"}, {"type": "Done", "status": "True"}], []],
            "bad": [[{"type": "Ready"}], [{"type": "A", "status": "x"}, {"type": "A", "status": "y"}]]},
    })
}
