//! Lists by label and field (rows 97 to 99).

use std::fmt::Write;

use anyhow::Result;
use serde_json::{Value, json};

use crate::{
    cases::Cases,
    expect::equal,
    namespace::{Namespace, widget_with},
    world::World,
};

/// What a selector must bring: the names found, or the words of the 400.
enum Want {
    Names(&'static str),
    Says(&'static str),
}

use Want::{Names, Says};

const LABEL_VALUE: &str = "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', \
    and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for \
    validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";

#[rustfmt::skip]
const LABEL_SELECTORS: &[(&str, Want)] = &[
    ("", Names("a b c d e")),
    ("app", Names("a b c e")),
    ("!app", Names("d")),
    ("app=x", Names("a c")),
    ("app==x", Names("a c")),
    ("app!=x", Names("b d e")),
    ("app in (x,y)", Names("a b c")),
    ("app in ( x , y )", Names("a b c")),
    ("app notin (x,y)", Names("d e")),
    ("app=x,tier=web", Names("a")),
    (" app = x , tier ", Names("a")),
    ("app=x,app=y", Names("")),
    ("app,!tier", Names("c e")),
    ("tier=", Names("b")),
    ("tier in ()", Names("b")),
    ("tier notin ()", Names("a c d e")),
    ("n>5", Names("b")),
    ("n<10", Names("a")),
    ("n>4,n<11", Names("a b")),
    ("conf.example.com/role=x", Names("e")),
    ("in in (in)", Names("")),
    ("=x", Says("found '=', expected: !, identifier, or 'end of string'")),
    (",app", Says("found ',', expected: !, identifier, or 'end of string'")),
    ("app=x,", Says("found '', expected: identifier after ','")),
    ("app=x y", Says("found 'y', expected: ',' or 'end of string'")),
    ("!app=x", Says("found '=', expected: ',' or 'end of string'")),
    ("!", Says("unable to parse requirement: found '', expected: identifier")),
    ("app===x", Says("unable to parse requirement: found '=', expected: identifier")),
    ("app in x", Says("unable to parse requirement: found 'x' expected: '('")),
    ("app in (x", Says("unable to parse requirement: found '', expected: ',' or ')'")),
    ("app x", Says("unable to parse requirement: found 'x', expected: in, notin, =, ==, !=, gt, lt")),
    ("app>x", Says("unable to parse requirement: values[0]: Invalid value: \"x\": for 'Gt', 'Lt' operators, the value must be an integer")),
];

pub(crate) async fn labels(world: &World<'_>) -> Result<()> {
    let namespace = five(world).await?;
    let mut cases = Cases::default();
    for (selector, want) in LABEL_SELECTORS {
        cases.note(
            selector,
            judge(world, &namespace.widgets(), "labelSelector", selector, want).await,
        );
    }
    let bad_value = format!(
        "unable to parse requirement: values[0][app]: Invalid value: \"b@d\": {LABEL_VALUE}"
    );
    for selector in ["app=b@d", "app in (b@d)"] {
        let reply = select(world, &namespace.widgets(), "labelSelector", selector).await?;
        cases.note(selector, reply.fails_saying(400, "BadRequest", &bad_value));
    }
    for selector in ["-bad=x", "a/b/c"] {
        let reply = select(world, &namespace.widgets(), "labelSelector", selector).await?;
        cases.note(
            selector,
            reply.fails_with(
                400,
                "BadRequest",
                "unable to parse requirement: <nil>: Invalid value: ",
            ),
        );
    }
    cases.finish()
}

#[rustfmt::skip]
const FIELD_SELECTORS: &[(&str, Want)] = &[
    ("", Names("a b c d e")),
    ("metadata.name=a", Names("a")),
    ("metadata.name==a", Names("a")),
    ("metadata.name!=a", Names("b c d e")),
    ("metadata.name=a,metadata.name=b", Names("")),
    ("metadata.name=a\\,b", Names("")),
    ("metadata.namespace=elsewhere", Names("")),
    ("spec.color=red", Names("a c")),
    ("spec.color!=red", Names("b d e")),
    ("spec.color=red,metadata.name=c", Names("c")),
    ("spec.note=x", Says("field label not supported: spec.note")),
    ("metadata.uid=x", Says("field label not supported: metadata.uid")),
    ("metadata.labels=x", Says("field label not supported: metadata.labels")),
    ("x", Says("invalid selector: 'x'; can't understand 'x'")),
    ("metadata.name", Says("invalid selector: 'metadata.name'; can't understand 'metadata.name'")),
    ("metadata.name>a", Says("invalid selector: 'metadata.name>a'; can't understand 'metadata.name>a'")),
];

pub(crate) async fn fields(world: &World<'_>) -> Result<()> {
    let namespace = five(world).await?;
    let widgets = namespace.widgets();
    let mut cases = Cases::default();
    for (selector, want) in FIELD_SELECTORS {
        cases.note(selector, judge(world, &widgets, "fieldSelector", selector, want).await);
    }
    let own = format!("metadata.namespace={}", namespace.name);
    cases.note(&own, judge(world, &widgets, "fieldSelector", &own, &Names("a b c d e")).await);
    let all = "/apis/conf.example.com/v1/widgets";
    cases.note(
        "across namespaces",
        judge(world, all, "fieldSelector", &own, &Names("a b c d e")).await,
    );
    let active =
        select(world, "/api/v1/namespaces", "fieldSelector", "status.phase=Active").await?;
    cases.note(
        "namespaces",
        active.is(200).and_then(|list| {
            let found = names(&list).split(' ').any(|name| name == namespace.name);
            equal("found", &found, &true)
        }),
    );
    let plain =
        Says(r#""data" is not a known field selector: only "metadata.name", "metadata.namespace""#);
    let config_maps = namespace.core("configmaps");
    cases.note("configmaps", judge(world, &config_maps, "fieldSelector", "data=x", &plain).await);
    let unsupported = Says("field label not supported: spec.x");
    cases.note(
        "namespaces",
        judge(world, "/api/v1/namespaces", "fieldSelector", "spec.x=y", &unsupported).await,
    );
    cases.finish()
}

#[rustfmt::skip]
const EVENT_SELECTORS: &[(&str, Want)] = &[
    ("involvedObject.kind=Widget", Names("e1 e2")),
    ("involvedObject.kind=Widget,type=Normal", Names("e1")),
    ("involvedObject.uid=u1", Names("e1 e3")),
    ("involvedObject.name=o-e2", Names("e2")),
    ("involvedObject.apiVersion=conf.example.com/v1", Names("e1 e2 e3")),
    ("involvedObject.resourceVersion=7", Names("e1 e2 e3")),
    ("involvedObject.fieldPath=spec.color", Names("e1 e2 e3")),
    ("involvedObject.namespace=elsewhere", Names("")),
    ("reason=Made", Names("e1 e3")),
    ("type=Warning", Names("e2")),
    ("type!=Warning", Names("e1 e3")),
    ("source=source-e1", Names("e1")),
    ("reportingComponent=reporter-e2", Names("e2")),
    ("message=m", Says("field label not supported: message")),
];

#[rustfmt::skip]
const NEW_EVENT_SELECTORS: &[(&str, Want)] = &[
    ("regarding.kind=Widget", Names("e1 e2")),
    ("regarding.uid=u1", Names("e1 e3")),
    ("regarding.name=o-e1", Names("e1")),
    ("reportingController=reporter-e2", Names("e2")),
    ("reason=Made", Names("e1 e3")),
    ("type=Warning", Names("e2")),
    ("involvedObject.kind=Widget", Says("field label not supported: involvedObject.kind")),
];

#[rustfmt::skip]
const SECRET_SELECTORS: &[(&str, Want)] = &[
    ("type=Opaque", Names("s1")),
    ("type!=Opaque", Names("s2 s3")),
    ("type=kubernetes.io/basic-auth", Names("s2")),
    ("type=nothing", Names("")),
    ("type=example.com/own,metadata.name=s3", Names("s3")),
    ("data=x", Says("field label not supported: data")),
];

pub(crate) async fn events_and_secrets(world: &World<'_>) -> Result<()> {
    let namespace = world.namespace().await?;
    for (name, kind, uid, level, reason) in [
        ("e1", "Widget", "u1", "Normal", "Made"),
        ("e2", "Widget", "u2", "Warning", "Broke"),
        ("e3", "Gadget", "u1", "Normal", "Made"),
    ] {
        let event = json!({"metadata": {"name": name}, "type": level, "reason": reason, "message": "m",
            "involvedObject": {"apiVersion": "conf.example.com/v1", "kind": kind, "namespace": namespace.name,
                "name": format!("o-{name}"), "uid": uid, "resourceVersion": "7", "fieldPath": "spec.color"},
            "source": {"component": format!("source-{name}")},
            "reportingComponent": format!("reporter-{name}")});
        world.create(&namespace.core("events"), &event).await?;
    }
    for (name, kind, data) in [
        ("s1", "Opaque", json!({})),
        ("s2", "kubernetes.io/basic-auth", json!({"username": "dQ=="})),
        ("s3", "example.com/own", json!({})),
    ] {
        let secret = json!({"metadata": {"name": name}, "type": kind, "data": data});
        world.create(&namespace.core("secrets"), &secret).await?;
    }
    let mut cases = Cases::default();
    for (path, selectors) in [
        (namespace.core("events"), EVENT_SELECTORS),
        (namespace.collection("events.k8s.io/v1", "events"), NEW_EVENT_SELECTORS),
        (namespace.core("secrets"), SECRET_SELECTORS),
    ] {
        for (selector, want) in selectors {
            cases.note(selector, judge(world, &path, "fieldSelector", selector, want).await);
        }
    }
    cases.finish()
}

/// A namespace with the Widgets a to e.
async fn five(world: &World<'_>) -> Result<Namespace> {
    let namespace = world.namespace().await?;
    for (name, color, labels) in [
        ("a", "red", json!({"app": "x", "tier": "web", "n": "5"})),
        ("b", "blue", json!({"app": "y", "tier": "", "n": "10"})),
        ("c", "red", json!({"app": "x", "n": "abc"})),
        ("d", "green", json!({})),
        ("e", "blue", json!({"app": "z", "conf.example.com/role": "x"})),
    ] {
        let mut object = widget_with(name, json!({"color": color}));
        object["metadata"]["labels"] = labels;
        world.create(&namespace.widgets(), &object).await?;
    }
    Ok(namespace)
}

async fn judge(
    world: &World<'_>,
    path: &str,
    parameter: &str,
    selector: &str,
    want: &Want,
) -> Result<()> {
    let reply = select(world, path, parameter, selector).await?;
    match want {
        Names(wanted) => equal("names", &names(&reply.is(200)?).as_str(), wanted),
        Says(message) => reply.fails_saying(400, "BadRequest", message).map(drop),
    }
}

async fn select(
    world: &World<'_>,
    path: &str,
    parameter: &str,
    selector: &str,
) -> Result<crate::answer::Answer> {
    world.get(&format!("{path}?{parameter}={}", encode(selector))).await
}

fn names(list: &Value) -> String {
    let items = list["items"].as_array().into_iter().flatten();
    items.filter_map(|item| item["metadata"]["name"].as_str()).collect::<Vec<_>>().join(" ")
}

/// Percent-encodes everything but letters and digits.
fn encode(text: &str) -> String {
    text.bytes().fold(String::new(), |mut encoded, byte| {
        if byte.is_ascii_alphanumeric() {
            encoded.push(char::from(byte));
        } else {
            let _ = write!(encoded, "%{byte:02X}");
        }
        encoded
    })
}
