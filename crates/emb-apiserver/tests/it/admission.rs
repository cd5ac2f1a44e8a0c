//! Rules of the embedding program.

use std::sync::Arc;

use emb_apiserver::{Admission, AdmissionRequest, Operation, Verdict};
use emb_meta::{GroupResource, Status};
use futures::future::{BoxFuture, FutureExt};
use serde_json::{Value, json};

use crate::world::{CONFIG_MAPS, Setup, config_map, test_with};

/// Marks ConfigMaps, refuses those that say so and those in use.
struct Marker;

impl Admission for Marker {
    fn mutate<'a>(
        &'a self,
        request: &'a AdmissionRequest,
        object: &'a mut Value,
    ) -> BoxFuture<'a, Verdict> {
        async move {
            if &*request.resource != "configmaps" {
                return Ok(vec![]);
            }
            assert!(request.namespace_object.is_some());
            assert_eq!(request.operation == Operation::Update, request.old_object.is_some());
            object["data"]["marked"] = json!("yes");
            Ok(vec!["marked".to_owned()])
        }
        .boxed()
    }

    fn validate<'a>(
        &'a self,
        request: &'a AdmissionRequest,
        object: Option<&'a Value>,
    ) -> BoxFuture<'a, Verdict> {
        async move {
            let refused = match object {
                Some(object) => object["data"].get("bad").is_some(),
                None => request.old_object.as_ref().is_some_and(|old| old["data"]["k"] == "used"),
            };
            assert!(!matches!(request.name.as_str(), "panic"), "as asked");
            if refused {
                let resource = GroupResource::new("", "configmaps");
                return Err(Status::forbidden(&resource, &request.name, "not so"));
            }
            Ok(vec![])
        }
        .boxed()
    }
}

fn setup() -> Setup {
    Setup { admission: vec![Arc::new(Marker)], ..Setup::default() }
}

#[test]
fn plugins_change_and_refuse() {
    test_with(setup(), |api| async move {
        let created =
            api.post(CONFIG_MAPS, &config_map("a", json!({"k": "used"}))).await.expect(201);
        assert_eq!(created.json["data"]["marked"], "yes");
        assert_eq!(created.warnings(), ["299 - \"marked\""]);
        let refused =
            api.post(CONFIG_MAPS, &config_map("b", json!({"bad": "x"}))).await.expect(403);
        assert_eq!(refused.message(), "configmaps \"b\" is forbidden: not so");
        api.delete(&format!("{CONFIG_MAPS}/a")).await.expect(403);
        let patched = api.merge(&format!("{CONFIG_MAPS}/a"), &json!({"data": {"k": "v"}})).await;
        patched.expect(200);
        api.delete(&format!("{CONFIG_MAPS}/a")).await.expect(200);
    });
}

#[test]
fn a_panic_is_one_bad_reply() {
    test_with(setup(), |api| async move {
        let reply = api.post(CONFIG_MAPS, &config_map("panic", json!({}))).await.expect(500);
        assert_eq!(reply.json["reason"], "InternalError");
        api.post(CONFIG_MAPS, &config_map("fine", json!({}))).await.expect(201);
    });
}
