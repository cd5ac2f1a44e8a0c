//! Webhooks have a say in tokens of ServiceAccounts.

use std::sync::Arc;

use serde_json::{Value, json};

use super::double::{Double, MUTATING, Outcome, VALIDATING, configure, hook, patch, setup};
use crate::world::{World, test_with};

const ACCOUNTS: &str = "/api/v1/namespaces/default/serviceaccounts";
const TOKEN: &str = "/api/v1/namespaces/default/serviceaccounts/robot/token";

/// A ServiceAccount, and the webhooks `m` and `v` for its tokens.
async fn stand(api: &World) -> Value {
    let account = api.post(ACCOUNTS, &json!({"metadata": {"name": "robot"}})).await.expect(201);
    let rules = json!([{"operations": ["CREATE"], "apiGroups": [""], "apiVersions": ["v1"],
        "resources": ["serviceaccounts/token"]}]);
    let hooks = |name: &str| json!([hook(name, json!({"rules": rules}))]);
    configure(api, MUTATING, "m", hooks("m")).await.expect(201);
    configure(api, VALIDATING, "v", hooks("v")).await.expect(201);
    account.json
}

#[test]
fn webhooks_are_told_of_token_requests_and_may_change_them() {
    let double = Arc::new(Double::default());
    test_with(setup(&double), |api| async move {
        let account = stand(&api).await;
        let path = "/spec/expirationSeconds";
        double.on("m", move |_| patch(json!([{"op": "replace", "path": path, "value": 700}])));
        let issued = api.post(TOKEN, &json!({})).await.expect(201).json;
        assert_eq!(issued["spec"]["expirationSeconds"], 700);
        assert!(issued["status"]["token"].as_str().unwrap().contains('.'));
        let requests = double.requests();
        let names: Vec<&str> = requests.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["m", "v"]);
        let kind =
            json!({"group": "authentication.k8s.io", "version": "v1", "kind": "TokenRequest"});
        for (_, request) in &requests {
            assert_eq!((&request["kind"], &request["requestKind"]), (&kind, &kind));
            assert_eq!(request["resource"]["resource"], "serviceaccounts");
            assert_eq!(
                (&request["subResource"], &request["name"]),
                (&json!("token"), &json!("robot"))
            );
            assert_eq!(
                (&request["operation"], &request["namespace"]),
                (&json!("CREATE"), &json!("default"))
            );
        }
        let (first, last) = (&requests[0].1["object"], &requests[1].1["object"]);
        let spec = json!({"audiences": null, "expirationSeconds": 3600, "boundObjectRef": null});
        assert_eq!((&first["kind"], &first["spec"]), (&json!("TokenRequest"), &spec));
        assert_eq!(last["metadata"]["uid"], account["metadata"]["uid"]);
        assert_eq!(last["spec"]["audiences"], json!(["https://kubernetes.default.svc"]));
        assert_eq!(last["status"]["token"], "");
    });
}

#[test]
fn a_refused_token_is_not_issued() {
    let double = Arc::new(Double::default());
    test_with(setup(&double), |api| async move {
        stand(&api).await;
        let refusal = json!({"allowed": false, "status": {"code": 403, "message": "no tokens"}});
        double.on("v", move |_| Outcome::Response(refusal.clone()));
        let refused = api.post(TOKEN, &json!({})).await.expect(403);
        assert_eq!(
            refused.message(),
            "admission webhook \"v.hooks.example.com\" denied the request: no tokens"
        );
        assert_eq!(refused.json.get("spec"), None);
        // What is invalid after a change is not shown to the validators.
        double.on("m", |_| {
            patch(json!([{"op": "replace", "path": "/spec/expirationSeconds", "value": 1}]))
        });
        double.asked();
        api.post(TOKEN, &json!({})).await.expect(422);
        assert_eq!(double.asked(), ["m"]);
        double.on("m", |_| patch(json!([{"op": "replace", "path": "/kind", "value": "Secret"}])));
        api.post(TOKEN, &json!({})).await.expect(422);
    });
}

#[test]
fn a_token_request_names_no_other_account() {
    let double = Arc::new(Double::default());
    test_with(setup(&double), |api| async move {
        stand(&api).await;
        let post = async |metadata: Value| api.post(TOKEN, &json!({"metadata": metadata})).await;
        post(json!({"name": "robot", "namespace": "default"})).await.expect(201);
        post(json!({"namespace": "other"})).await.expect(400);
        let refused = post(json!({"name": "other"})).await.expect(422);
        assert!(refused.message().contains("must match the service account name"), "{refused:?}");
        let refused = post(json!({"uid": "u"})).await.expect(409);
        assert!(refused.message().contains("does not match the UID of the service account"));
        api.post(&TOKEN.replace("robot", "nobody"), &json!({})).await.expect(404);
    });
}
