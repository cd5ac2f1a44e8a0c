//! Owners and dependents.

use std::time::Duration;

use http::Method;
use serde_json::{Value, json};

use crate::{
    custom::{WIDGETS, install, widget},
    managed::owners as owners_of,
    world::{CONFIG_MAPS, World, config_map, test},
};

fn owned(name: &str, owners: &[(&str, &Value)], blocks: bool) -> Value {
    let mut object = config_map(name, json!({}));
    let references: Vec<Value> = owners
        .iter()
        .map(|(owner, uid)| {
            json!({
                "apiVersion": "v1", "kind": "ConfigMap", "name": owner, "uid": uid,
                "blockOwnerDeletion": blocks,
            })
        })
        .collect();
    object["metadata"]["ownerReferences"] = json!(references);
    object
}

async fn owner(api: &World, name: &str) -> Value {
    let created = api.post(CONFIG_MAPS, &config_map(name, json!({}))).await.expect(201);
    created.json["metadata"]["uid"].clone()
}

async fn exists(api: &World, name: &str) -> bool {
    api.get(&format!("{CONFIG_MAPS}/{name}")).await.code == 200
}

#[test]
fn dependents_follow_their_owner_down_the_chain() {
    test(|api| async move {
        let uid = owner(&api, "top").await;
        let child = api.post(CONFIG_MAPS, &owned("mid", &[("top", &uid)], false)).await.expect(201);
        let grandchild = owned("low", &[("mid", &child.json["metadata"]["uid"])], false);
        api.post(CONFIG_MAPS, &grandchild).await.expect(201);
        api.delete(&format!("{CONFIG_MAPS}/top")).await.expect(200);
        api.settle(Duration::ZERO).await;
        assert!(!exists(&api, "mid").await);
        assert!(!exists(&api, "low").await);
    });
}

#[test]
fn events_stay_when_their_owner_goes_and_hold_nobody_up() {
    test(|api| async move {
        let events = "/api/v1/namespaces/default/events";
        let uid = owner(&api, "top").await;
        let mut event = owned("e", &[("top", &uid)], true);
        event["kind"] = json!("Event");
        event["involvedObject"] = json!({"namespace": "default"});
        api.post(events, &event).await.expect(201);
        let path = format!("{CONFIG_MAPS}/top?propagationPolicy=Foreground");
        api.delete(&path).await.expect(200);
        api.settle(Duration::from_secs(3)).await;
        assert!(!exists(&api, "top").await);
        api.get(&format!("{events}/e")).await.expect(200);
    });
}

#[test]
fn one_living_owner_is_enough() {
    test(|api| async move {
        let (one, two) = (owner(&api, "one").await, owner(&api, "two").await);
        let object = owned("child", &[("one", &one), ("two", &two)], false);
        api.post(CONFIG_MAPS, &object).await.expect(201);
        api.delete(&format!("{CONFIG_MAPS}/one")).await.expect(200);
        api.settle(Duration::ZERO).await;
        let child = api.get(&format!("{CONFIG_MAPS}/child")).await.expect(200);
        let references = child.json["metadata"]["ownerReferences"].as_array().unwrap();
        assert_eq!(references.len(), 1);
        assert_eq!(references[0]["name"], "two");
    });
}

#[test]
fn an_owner_that_never_was_gets_a_grace() {
    test(|api| async move {
        let object = owned("child", &[("nobody", &json!("no-uid"))], false);
        api.post(CONFIG_MAPS, &object).await.expect(201);
        api.settle(Duration::from_secs(1)).await;
        assert!(exists(&api, "child").await);
        api.settle(Duration::from_secs(2)).await;
        assert!(!exists(&api, "child").await);
    });
}

#[test]
fn custom_objects_in_a_circle_wait_for_nobody() {
    test(|api| async move {
        install(&api).await;
        let path = |name: &str| format!("{WIDGETS}/{name}");
        let reference = |owner: &Value| json!({"apiVersion": owner["apiVersion"], "kind": "Widget", "name": owner["metadata"]["name"], "uid": owner["metadata"]["uid"]});
        let top = api.post(WIDGETS, &widget("top", json!({}))).await.expect(201).json;
        let mut low = widget("low", json!({}));
        let mut blocks = reference(&top);
        blocks["blockOwnerDeletion"] = json!(true);
        low["metadata"]["ownerReferences"] = json!([reference(&top), blocks]);
        low["metadata"]["finalizers"] = json!(["x.y/z"]);
        let low = api.post(WIDGETS, &low).await.expect(201).json;
        let owners = json!({"metadata": {"ownerReferences": [reference(&low)]}});
        api.merge(&path("top"), &owners).await.expect(200);
        let foreground = json!({"propagationPolicy": "Foreground"});
        api.request(Method::DELETE, &path("top")).json(&foreground).send().await.expect(200);
        api.settle(Duration::ZERO).await;
        let low = api.get(&path("low")).await.expect(200).json;
        let references = low["metadata"]["ownerReferences"].as_array().unwrap();
        assert_eq!(references.len(), 1, "{references:?}");
        assert_eq!(references[0]["blockOwnerDeletion"], false);
        assert!(owners_of(&low).contains(&"kube-controller-manager"), "{low}");
    });
}

#[test]
fn an_owner_goes_when_a_client_takes_it_from_what_held_it_back() {
    for still_named in [false, true] {
        test(|api| async move {
            let uid = owner(&api, "top").await;
            let mut child = owned("child", &[("top", &uid)], true);
            child["metadata"]["finalizers"] = json!(["x.y/z"]);
            api.post(CONFIG_MAPS, &child).await.expect(201);
            let path = |name: &str| format!("{CONFIG_MAPS}/{name}");
            let options = json!({"propagationPolicy": "Foreground"});
            api.request(Method::DELETE, &path("top")).json(&options).send().await.expect(200);
            api.settle(Duration::ZERO).await;
            assert!(exists(&api, "top").await);
            let named = if still_named { vec![("top", &uid)] } else { vec![] };
            let freed = owned("child", &named, false);
            let freed =
                json!({"metadata": {"ownerReferences": freed["metadata"]["ownerReferences"]}});
            api.merge(&path("child"), &freed).await.expect(200);
            api.settle(Duration::ZERO).await;
            assert!(!exists(&api, "top").await && exists(&api, "child").await);
        });
    }
}

fn item(name: &str) -> String {
    format!("{CONFIG_MAPS}/{name}")
}

/// Makes `top` and `low` own each other, and deletes `top` in the foreground. `low` names its owner once for each of
/// `blocks`; the finalizers are those of both.
async fn delete_circle(api: &World, blocks: &[bool], [of_top, of_low]: [Value; 2]) {
    let top = owner(api, "top").await;
    let named = vec![("top", &top); blocks.len()];
    let mut low = owned("low", &named, false);
    for (at, blocks) in blocks.iter().enumerate() {
        low["metadata"]["ownerReferences"][at]["blockOwnerDeletion"] = json!(blocks);
    }
    low["metadata"]["finalizers"] = of_low;
    let low = api.post(CONFIG_MAPS, &low).await.expect(201).json;
    let above = owned("top", &[("low", &low["metadata"]["uid"])], true);
    let references = &above["metadata"]["ownerReferences"];
    let patch = json!({"metadata": {"finalizers": of_top, "ownerReferences": references}});
    api.merge(&item("top"), &patch).await.expect(200);
    let options = json!({"propagationPolicy": "Foreground"});
    api.request(Method::DELETE, &item("top")).json(&options).send().await.expect(200);
    api.settle(Duration::ZERO).await;
}

#[test]
fn of_two_objects_in_a_circle_the_one_above_is_let_go_first() {
    test(|api| async move {
        delete_circle(&api, &[true], [json!(["x.y/z"]), json!([])]).await;
        // Somebody else holds it, so it stays, and what it owns as well.
        let top = api.get(&item("top")).await.expect(200).json;
        assert_eq!(top["metadata"]["finalizers"], json!(["x.y/z"]));
        let low = api.get(&item("low")).await.expect(200).json;
        assert_eq!(low["metadata"].get("deletionTimestamp"), None, "{low}");
        assert_eq!(low["metadata"]["ownerReferences"][0]["blockOwnerDeletion"], false);
        api.merge(&item("top"), &json!({"metadata": {"finalizers": null}})).await.expect(200);
        api.settle(Duration::ZERO).await;
        assert!(!exists(&api, "top").await && !exists(&api, "low").await);
    });
}

#[test]
fn an_owner_whose_last_reference_did_not_block_is_not_let_go_before() {
    test(|api| async move {
        let finalizers = [json!(["x.y/z"]), json!(["x.y/low"])];
        delete_circle(&api, &[true, false], finalizers).await;
        let low = api.get(&item("low")).await.expect(200).json;
        assert!(low["metadata"]["deletionTimestamp"].is_string(), "{low}");
    });
}

#[test]
fn an_owner_named_twice_by_a_built_in_object_in_a_circle_goes_on_waiting() {
    test(|api| async move {
        delete_circle(&api, &[false, true], [json!([]), json!([])]).await;
        let low = api.get(&item("low")).await.expect(200).json;
        assert!(low["metadata"]["deletionTimestamp"].is_string(), "{low}");
        let references = low["metadata"]["ownerReferences"].as_array().unwrap();
        let blocks: Vec<&Value> = references.iter().map(|one| &one["blockOwnerDeletion"]).collect();
        assert_eq!(blocks, [false, true]);
        assert!(exists(&api, "top").await);
    });
}

#[test]
fn a_foreground_delete_goes_bottom_up() {
    test(|api| async move {
        let uid = owner(&api, "top").await;
        let mut child = owned("child", &[("top", &uid)], true);
        child["metadata"]["finalizers"] = json!(["x.y/z"]);
        api.post(CONFIG_MAPS, &child).await.expect(201);
        let path = format!("{CONFIG_MAPS}/top");
        let options = json!({"propagationPolicy": "Foreground"});
        let marked = api.request(Method::DELETE, &path).json(&options).send().await.expect(200);
        assert_eq!(marked.json["metadata"]["finalizers"], json!(["foregroundDeletion"]));
        api.settle(Duration::ZERO).await;
        assert!(exists(&api, "top").await && exists(&api, "child").await);
        api.merge(&format!("{CONFIG_MAPS}/child"), &json!({"metadata": {"finalizers": null}}))
            .await
            .expect(200);
        api.settle(Duration::ZERO).await;
        assert!(!exists(&api, "top").await && !exists(&api, "child").await);
    });
}

#[test]
fn orphans_forget_their_owner() {
    test(|api| async move {
        let uid = owner(&api, "top").await;
        api.post(CONFIG_MAPS, &owned("child", &[("top", &uid)], true)).await.expect(201);
        let path = format!("{CONFIG_MAPS}/top?propagationPolicy=Orphan");
        api.delete(&path).await.expect(200);
        api.settle(Duration::ZERO).await;
        assert!(!exists(&api, "top").await);
        let child = api.get(&format!("{CONFIG_MAPS}/child")).await.expect(200);
        assert!(child.json["metadata"].get("ownerReferences").is_none());
    });
}

#[test]
fn what_has_no_dependents_goes_at_once_although_its_owner_waits() {
    test(|api| async move {
        let uid = owner(&api, "top").await;
        api.post(CONFIG_MAPS, &owned("child", &[("top", &uid)], true)).await.expect(201);
        let mut watch = api.watch(&format!("{CONFIG_MAPS}?watch=true")).await;
        while watch.next().await.is_some_and(|event| event["object"]["metadata"]["name"] != "top") {
        }
        api.delete(&format!("{CONFIG_MAPS}/top?propagationPolicy=Foreground")).await.expect(200);
        api.settle(Duration::ZERO).await;
        for expected in [("MODIFIED", "top"), ("DELETED", "child"), ("DELETED", "top")] {
            assert_eq!(watch.seen().await, Some((expected.0.into(), expected.1.into())));
        }
    });
}

#[test]
fn owners_of_each_other_do_not_wait_for_each_other() {
    test(|api| async move {
        let one = owner(&api, "one").await;
        let two = api.post(CONFIG_MAPS, &owned("two", &[("one", &one)], true)).await.expect(201);
        let two = two.json["metadata"]["uid"].clone();
        let mut closed = owned("one", &[("two", &two)], true);
        closed["metadata"]["uid"] = one;
        api.merge(&format!("{CONFIG_MAPS}/one"), &closed).await.expect(200);
        api.delete(&format!("{CONFIG_MAPS}/one?propagationPolicy=Foreground")).await.expect(200);
        api.settle(Duration::ZERO).await;
        assert!(!exists(&api, "one").await && !exists(&api, "two").await);
    });
}
