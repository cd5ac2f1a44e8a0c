//! The client against a scripted server.

use std::sync::Arc;

use core_clock::Time;
use futures::executor::block_on;
use serde_json::{Value, json};

use crate::{
    Address, BearerToken, Change, Client, Effect, Error, Event, FreightChoice, Identity, Outcome,
    Scope, Trust,
    fake::{Script, SwiftClock},
};

const HOST: &str = "https://kargo.example.com/base";

fn client(script: &Arc<Script>) -> Client {
    let identity =
        Identity { token: Some(BearerToken::new("token")), version: "v1.2.3".to_owned() };
    let clock = Arc::new(SwiftClock::new(Time::from_seconds(0)));
    let address = Address::parse(&format!("{HOST}/")).unwrap();
    Client::new(script.clone(), clock, address, Trust::Verified, identity)
}

fn at(target: &str) -> String {
    format!("GET {HOST}/v1beta1/{target}")
}

fn stage(version: &str) -> Value {
    json!({ "metadata": { "name": "test", "resourceVersion": version } })
}

fn version(event: Event) -> (Change, String) {
    match event {
        Event::Object(change, object) => {
            (change, object.text("/metadata/resourceVersion").to_owned())
        }
        Event::Restart => panic!("not a change"),
    }
}

#[test]
fn every_form_of_a_list_is_read() {
    let script = Script::new()
        .on(&at("projects"), 200, json!({ "items": [stage("1")], "total": 1 }))
        .on(&at("projects/p/roles"), 200, json!([stage("1"), stage("2")]))
        .on(
            &at("projects/p/freight?origins=w"),
            200,
            json!({ "groups": { "": { "items": [stage("1")] } }, "resourceVersion": "9" }),
        )
        .on(&at("system/api-tokens"), 200, json!({ "items": null }));
    let client = client(&Arc::new(script));
    let scope = Scope::Project("p".to_owned());
    assert_eq!(block_on(client.projects().list()).unwrap().items[0].kind(), "Project");
    assert_eq!(block_on(client.roles(&scope).list()).unwrap().items.len(), 2);
    let freight = block_on(client.freight("p").with("origins", "w").list()).unwrap();
    assert_eq!((freight.items.len(), freight.resource_version.as_str()), (1, "9"));
    assert!(block_on(client.api_tokens(&Scope::System).list()).unwrap().items.is_empty());
}

#[test]
fn a_watch_goes_on_where_its_stream_broke() {
    let script = Script::new()
        .on_watch(
            &at("projects/p/stages?watch=true&resourceVersion=1"),
            &[("MODIFIED", stage("2")), ("MODIFIED", stage("3"))],
        )
        .on(&at("projects/p/stages?watch=true&resourceVersion=3"), 503, json!({ "error": "busy" }))
        .on_watch(
            &at("projects/p/stages?watch=true&resourceVersion=3"),
            &[("DELETED", stage("4"))],
        );
    let script = Arc::new(script);
    let stages = client(&script).stages("p");
    let list = crate::List { items: Vec::new(), resource_version: "1".to_owned() };
    let mut watch = block_on(stages.watch_from(&list)).unwrap();
    let mut seen = Vec::new();
    for _ in 0..3 {
        seen.push(version(block_on(watch.next()).unwrap()));
    }
    let told: Vec<_> = seen.iter().map(|(change, version)| (*change, version.as_str())).collect();
    assert_eq!(
        told,
        [(Change::Modified, "2"), (Change::Modified, "3"), (Change::Deleted, "4")],
        "{}",
        script.transcript()
    );
}

#[test]
fn a_watch_whose_version_is_forgotten_starts_again() {
    let told = "event: error\ndata: {\"code\":\"out_of_range\",\"message\":\"expired\"}\n\n";
    let route = at("projects/p/stages?watch=true&resourceVersion=1");
    let script = Arc::new(Script::new().on_text(&route, 200, told));
    let list = crate::List { items: Vec::new(), resource_version: "1".to_owned() };
    let mut watch = block_on(client(&script).stages("p").watch_from(&list)).unwrap();
    assert_eq!(block_on(watch.next()).unwrap(), Event::Restart);
}

#[test]
fn a_watch_that_never_works_again_ends() {
    let route = at("projects/p/stages/test?watch=true");
    let script = Arc::new(Script::new().on_watch(&route, &[]));
    let mut watch = block_on(client(&script).stages("p").watch("test")).unwrap();
    assert_eq!(block_on(watch.next()).unwrap_err(), Error::WatchEnded);
}

#[test]
fn logs_come_as_they_were_written() {
    let route = at("projects/p/analysis-runs/r/logs?metricName=m");
    let body = "data: first\ndata: second\ndata: \n\n: keepalive\n\ndata: third\n\n";
    let script = Arc::new(Script::new().on_text(&route, 200, body));
    let client = client(&script);
    let mut log = block_on(client.analysis_run_logs("p", "r", Some("m"), None)).unwrap();
    let mut text = String::new();
    while let Some(piece) = block_on(log.next()).unwrap() {
        text.push_str(&piece);
    }
    assert_eq!(text, "first\nsecond\nthird");
}

#[test]
fn batches_and_promotions_tell_what_came_of_them() {
    let script = Script::new()
        .on(
            &format!("PUT {HOST}/v1beta1/resources?upsert=true"),
            200,
            json!({ "results": [
                { "createdResourceManifest": stage("1") }, { "error": "no" },
                { "updatedResourceManifest": stage("1") }] }),
        )
        .on(
            &format!("POST {HOST}/v1beta1/projects/p/stages/s/promotions/downstream"),
            207,
            json!({ "promotions": [stage("1")], "promotionRequests": [stage("2")], "errors": "x" }),
        );
    let script = Arc::new(script);
    let client = client(&script);
    let batch =
        block_on(client.apply_resources("kind: Stage\n".to_owned(), None, Effect::Real)).unwrap();
    let outcomes: Vec<_> = batch.done.iter().map(|(outcome, _)| *outcome).collect();
    assert_eq!(outcomes, [Outcome::Created, Outcome::Updated]);
    assert_eq!(batch.errors, ["no"]);
    let choice = FreightChoice::Alias("brave".to_owned());
    let result = block_on(client.promote_downstream("p", "s", &choice)).unwrap();
    assert_eq!((result.created.len(), result.errors.as_str()), (2, "x"));
    let asked = script.transcript();
    assert!(asked.contains("[text/plain] kind: Stage\n"), "{asked}");
    assert!(asked.contains("[application/json] {\"freightAlias\":\"brave\"}"), "{asked}");
}
